package peers

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// What a heartbeat touches of a peer lies in one line of memory.
func TestPeerSize(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 8 {
		assert.Equal(t, uintptr(64), unsafe.Sizeof(peer[uint32]{}))
		assert.Equal(t, uintptr(64), unsafe.Sizeof(peer[uint64]{}))
		assert.Equal(t, uintptr(32), unsafe.Sizeof(rest{}))
	}
}
