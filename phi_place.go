package liveness

import (
	"reflect"
	"sync"
	"time"
)

// maxTogether bounds the windows that lie beside their Phi: there is a type for
// each of their sizes, and types are never given back.
const maxTogether = 4096

// together has the pieces by window size.
var together sync.Map

// piece is the type of a Phi with its window, nil where two pieces take less memory.
type piece struct{ reflect.Type }

func newPiece(window int) piece {
	const header = 8 // the allocator's, of what has pointers
	phi, ring := reflect.TypeFor[Phi](), reflect.ArrayOf(window, reflect.TypeFor[time.Duration]())
	both := reflect.StructOf([]reflect.StructField{{Name: "Phi", Type: phi}, {Name: "Ring", Type: ring}})
	if allocated(both.Size()+header) > allocated(phi.Size())+allocated(ring.Size()) {
		return piece{}
	}
	return piece{both}
}

// allocated returns what the allocator takes for n bytes.
func allocated(n uintptr) uintptr { return uintptr(cap(append([]byte(nil), make([]byte, n)...))) }

// placePhi allocates a Phi, and its window for so many gaps. Where it takes no
// more memory they are one piece: then a heartbeat of one detector among a
// million waits for one page of memory less, and what the allocator rounds up is
// rounded up once.
func placePhi(window int) *Phi {
	if window > maxTogether {
		return &Phi{window: makeWindow(window)}
	}
	known, ok := together.Load(window)
	if !ok {
		known, _ = together.LoadOrStore(window, newPiece(window))
	}
	p := known.(piece)
	if p.Type == nil {
		return &Phi{window: makeWindow(window)}
	}
	both := reflect.New(p.Type).Elem()
	d := both.Field(0).Addr().Interface().(*Phi)
	d.window.ring = both.Field(1).Slice(0, window).Interface().([]time.Duration)
	return d
}
