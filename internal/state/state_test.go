package state

import (
	"math"
	"slices"
	"strings"
	"testing"
)

const version = 3

func TestRoundTrip(t *testing.T) {
	row := []int64{5, math.MinInt64, math.MaxInt64, 0, -1, -1}
	e := Begin([]byte("before"), 'k', version)
	e.Byte(200)
	e.Bool(true)
	e.Bool(false)
	e.Uint(math.MaxUint64)
	e.Float(-0.1)
	e.Float32(math.Float32bits(2.5))
	AppendRow(&e, len(row), slices.Values(row))
	AppendRow(&e, 0, slices.Values[[]int64](nil))
	data, found := strings.CutPrefix(string(e.Seal()), "before")
	if !found {
		t.Fatal("what was before is gone")
	}

	if kind, ok := Kind([]byte(data)); kind != 'k' || !ok {
		t.Errorf("kind %c, %v", kind, ok)
	}
	d := Open([]byte(data), version)
	if x := d.Byte("x", 200); x != 200 {
		t.Errorf("byte %d", x)
	}
	if a, b := d.Bool("x"), d.Bool("x"); !a || b {
		t.Errorf("truths %v and %v", a, b)
	}
	if x := d.Uint("x", 0, math.MaxUint64); x != math.MaxUint64 {
		t.Errorf("number %d", x)
	}
	if x := d.Float("x", -1, 0); x != -0.1 {
		t.Errorf("float %v", x)
	}
	if x := d.Float32("x", 1, 3); x != math.Float32bits(2.5) {
		t.Errorf("float32 of the bits %x", x)
	}
	if got := d.Row("x", math.MinInt64, math.MaxInt64, len(row), 4); !slices.Equal(got, row[2:]) {
		t.Errorf("row %d, want %d", got, row[2:])
	}
	if got := d.Row("x", 0, 0, 0, 4); len(got) != 0 {
		t.Errorf("row %d", got)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// After an error there are only zeros, and the first error stays.
func TestErrors(t *testing.T) {
	e := Begin(nil, 'k', version)
	e.Byte(7)
	e.Float(1)
	data := e.Seal()
	for name, spoil := range map[string]func(*Decoder){
		"first is 7, want at most 6":                      func(d *Decoder) { d.Byte("first", 6) },
		"first is 7, want a number from 8 to 9":           func(d *Decoder) { d.Uint("first", 8, 9) },
		"it ends within the first":                        func(d *Decoder) { d.Count("first", 10, 2) },
		"number of first is 7, want a number from 0 to 6": func(d *Decoder) { d.Row("first", 0, 1, 6, 6) },
		"odd":                                    func(d *Decoder) { d.Check(false, "odd") },
		"there are bytes after its end":          func(d *Decoder) {},
		"second is 1, want a number from 2 to 3": func(d *Decoder) { d.Byte("first", 7); d.Float("second", 2, 3) },
		"it ends before the third":               func(d *Decoder) { d.Byte("first", 7); d.Float("second", 0, 3); d.Uint("third", 0, 3) },
		"second is 0, want a number from 1 to 2": func(d *Decoder) { d.Byte("first", 7); d.Float32("second", 1, 2) },
	} {
		d := Open(data, version)
		spoil(d)
		if name != "there are bytes after its end" {
			if d.Byte("x", 255) != 0 || d.Bool("x") || d.Uint("x", 0, 255) != 0 || d.Float("x", 0, 255) != 0 ||
				d.Float32("x", 1, 3) != 0 || len(d.Row("x", 0, 255, 255, 255)) != 0 {
				t.Errorf("%s: and then there is something", name)
			}
			d.Check(false, "later")
		}
		if err := d.Close(); err == nil || err.Error() != name {
			t.Errorf("error %v, want %s", err, name)
		}
	}
	for n := range data {
		if Open(data[:n], version).Close() == nil {
			t.Errorf("%d bytes are enough", n)
		}
	}
	if err := Open(data, version+1).Close(); err == nil || err.Error() != "version 3, want 4" {
		t.Errorf("error %v", err)
	}
}
