package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// Kind returns what kind of state data is, and whether it is long enough to be any.
func Kind(data []byte) (kind byte, ok bool) {
	if len(data) < headerSize+sumSize {
		return 0, false
	}
	return data[0], true
}

// A Decoder reads a state. After an error it returns only zeros: Close tells the
// first one. Errors name what was read, by the name that the caller has for it. It
// must be made by Open.
type Decoder struct {
	rest []byte
	err  error
}

// Open reads as far as the body of a state of which Kind is known. The version
// comes before the sum, which another version may have elsewhere.
func Open(data []byte, version byte) *Decoder {
	d := &Decoder{}
	if _, ok := Kind(data); !ok {
		d.fail("%d bytes are too few", len(data))
		return d
	}
	if data[1] != version {
		d.fail("version %d, want %d", data[1], version)
		return d
	}
	end := len(data) - sumSize
	if crc32.Checksum(data[:end], castagnoli) != binary.LittleEndian.Uint32(data[end:]) {
		d.fail("wrong checksum: it is damaged or cut short")
		return d
	}
	d.rest = data[headerSize:end]
	return d
}

// fail notes the first error.
func (d *Decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
	d.rest = nil
}

// Check notes an error unless ok, or there is one. The rest is as for fmt.Errorf.
func (d *Decoder) Check(ok bool, format string, args ...any) {
	if !ok && d.err == nil {
		d.fail(format, args...)
	}
}

// take returns the next n bytes, nil after an error.
func (d *Decoder) take(n int, what string) []byte {
	if len(d.rest) < n {
		d.fail("it ends before the %s", what)
		return nil
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

// Byte reads a byte up to most.
func (d *Decoder) Byte(what string, most byte) byte {
	b := d.take(1, what)
	if b == nil {
		return 0
	}
	if b[0] > most {
		d.fail("%s is %d, want at most %d", what, b[0], most)
		return 0
	}
	return b[0]
}

// Bool reads a truth value.
func (d *Decoder) Bool(what string) bool { return d.Byte(what, 1) == 1 }

// Uint reads a number from least to most.
func (d *Decoder) Uint(what string, least, most uint64) uint64 {
	x, n := binary.Uvarint(d.rest)
	if !d.moved(n, what) {
		return 0
	}
	if x < least || x > most {
		d.fail("%s is %d, want a number from %d to %d", what, x, least, most)
		return 0
	}
	return x
}

// moved skips a varint of n bytes, if that is what n says.
func (d *Decoder) moved(n int, what string) bool {
	switch {
	case n > 0:
		d.rest = d.rest[n:]
		return true
	case n == 0:
		d.fail("it ends before the %s", what)
	default:
		d.fail("%s is above 64 bits", what)
	}
	return false
}

// Float reads a number from least to most, which excludes NaN.
func (d *Decoder) Float(what string, least, most float64) float64 {
	b := d.take(8, what)
	if b == nil {
		return 0
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(b))
	if !(least <= x && x <= most) {
		d.fail("%s is %v, want a number from %v to %v", what, x, least, most)
		return 0
	}
	return x
}

// Float32 reads a number from least to most, which excludes NaN, and returns its bits.
func (d *Decoder) Float32(what string, least, most float32) uint32 {
	b := d.take(4, what)
	if b == nil {
		return 0
	}
	bits := binary.LittleEndian.Uint32(b)
	if x := math.Float32frombits(bits); !(least <= x && x <= most) {
		d.fail("%s is %v, want a number from %v to %v", what, x, least, most)
		return 0
	}
	return bits
}

// Row reads up to limit numbers from least to most, and returns the last keep of them.
func (d *Decoder) Row(what string, least, most int64, limit, keep int) []int64 {
	n := d.Count(what, limit, 1)
	skip := max(n-keep, 0)
	row := make([]int64, 0, n-skip)
	x := int64(0)
	for i := range n {
		apart, size := binary.Varint(d.rest)
		if !d.moved(size, what) {
			return nil
		}
		if x += apart; x < least || x > most {
			d.fail("number %d of the %s is %d, want %d to %d", i+1, what, x, least, most)
			return nil
		}
		if i >= skip {
			row = append(row, x)
		}
	}
	return row
}

// Count reads how many of something there are, up to limit, each of which takes
// at least size bytes. There are as many bytes left.
func (d *Decoder) Count(what string, limit, size int) int {
	n := int(d.Uint("number of "+what, 0, uint64(limit)))
	if n > len(d.rest)/size {
		d.fail("it ends within the %s", what)
		return 0
	}
	return n
}

// Close returns the first error, one being that there are bytes left.
func (d *Decoder) Close() error {
	if d.err == nil && len(d.rest) > 0 {
		d.err = errors.New("there are bytes after its end")
	}
	return d.err
}
