package gray

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIndex(t *testing.T) {
	x := newIndex()
	a, b := &server{name: "a"}, &server{name: "b"}
	var all []*path
	for i := range 1000 {
		for _, s := range []*server{a, b} {
			p := &path{clientName: string(rune('a' + i)), server: s}
			x.add(p)
			all = append(all, p)
		}
	}
	for _, p := range all {
		assert.Same(t, p, x.find(p.clientName, p.server.name))
	}
	assert.Nil(t, x.find("nobody", "a"))
	x.remove(func(p *path) bool { return p.server == a })
	for _, p := range all {
		if p.server == a {
			assert.Nil(t, x.find(p.clientName, "a"))
		} else {
			assert.Same(t, p, x.find(p.clientName, "b"))
		}
	}
	assert.Equal(t, 1000, x.taken)
	x.remove(func(*path) bool { return true })
	assert.Len(t, *x.slots.Load(), 16)
}
