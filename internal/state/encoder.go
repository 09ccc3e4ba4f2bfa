// Package state writes and reads the saved state of detectors. The bytes may come
// from anywhere: nothing is believed that was not checked, and nothing is
// allocated for what is not there.
//
//	kind     1 byte
//	version  1 byte, of all that follows
//	body     numbers, as the kind has them
//	sum      CRC-32C of all before, 4 bytes, the lowest first
//
// Whole numbers are varints, as encoding/binary has them. Of a row of them there
// is first how many, then each less the one before, wrapped round at 64 bits: gaps
// between heartbeats are much like each other. Floats are their IEEE 754 bits, the
// lowest byte first.
package state

import (
	"encoding/binary"
	"hash/crc32"
	"iter"
	"math"
)

const (
	headerSize = 2
	sumSize    = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// An Encoder appends a state to bytes. It must be made by Begin.
type Encoder struct {
	b     []byte
	start int
}

// Begin begins a state at the end of b.
func Begin(b []byte, kind, version byte) Encoder {
	return Encoder{append(b, kind, version), len(b)}
}

// Byte appends x.
func (e *Encoder) Byte(x byte) { e.b = append(e.b, x) }

// Bool appends x.
func (e *Encoder) Bool(x bool) {
	if x {
		e.Byte(1)
	} else {
		e.Byte(0)
	}
}

// Uint appends x.
func (e *Encoder) Uint(x uint64) { e.b = binary.AppendUvarint(e.b, x) }

// Float appends x.
func (e *Encoder) Float(x float64) {
	e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(x))
}

// Float32 appends the float32 of these bits.
func (e *Encoder) Float32(bits uint32) { e.b = binary.LittleEndian.AppendUint32(e.b, bits) }

// AppendRow appends the n numbers of row.
func AppendRow[T ~int64](e *Encoder, n int, row iter.Seq[T]) {
	e.Uint(uint64(n))
	last := int64(0)
	for x := range row {
		e.b = binary.AppendVarint(e.b, int64(x)-last)
		last = int64(x)
	}
}

// Seal ends the state and returns the bytes.
func (e *Encoder) Seal() []byte {
	return binary.LittleEndian.AppendUint32(e.b, crc32.Checksum(e.b[e.start:], castagnoli))
}
