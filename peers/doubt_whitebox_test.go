package peers

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"example.com/liveness"
)

// B050, B054: the wall clock runs ahead of the monotonic one. No test can make
// such an instant with the functions of package time, so it is made by hand.
func TestSuspended(t *testing.T) {
	now := time.Now()
	assert.Equal(t, time.Duration(0), suspended(now, now.Add(time.Hour)))
	assert.Equal(t, time.Hour, suspended(now, ahead(now, time.Hour)))
	assert.Equal(t, time.Duration(0), suspended(now, ahead(now, -time.Hour)))
	assert.Equal(t, time.Duration(0), suspended(now.Round(0), ahead(now, time.Hour).Round(0)), "nobody can tell")

	m, err := New(Config[string]{NewDetector: func(string) (liveness.Detector, error) { return liveness.NewFixedTimeout(3 * time.Second) }})
	assert.NoError(t, err)
	sub, err := m.Subscribe(SubscriptionConfig{})
	assert.NoError(t, err)
	assert.NoError(t, m.Register("a", now, Registration{}))
	m.Heartbeat("a", now)
	m.Advance(now)
	for now.Sub(m.doubt.last) < 2900*time.Millisecond {
		now = m.Advance(now)
		if now.Sub(m.doubt.last) == 0 || now.After(m.doubt.last.Add(time.Second)) {
			break
		}
		if e, ok := sub.TryNext(); ok {
			assert.Equal(t, Trusted, e.Kind)
		}
		if p, _ := m.Peer("a", now); p.Deadline.Sub(now) < 200*time.Millisecond {
			break
		}
	}
	later := ahead(now.Add(200*time.Millisecond), time.Hour) // the deadline has passed, and an hour of the wall clock
	m.Advance(later)
	e, _ := sub.TryNext()
	assert.Equal(t, Stalled, e.Kind)
	assert.Equal(t, ClockAhead, e.Reason)
	assert.Equal(t, time.Hour, e.Length)
	_, more := sub.TryNext()
	assert.False(t, more, "nobody is suspected on resume")
}

// ahead returns t with the wall clock by so many whole seconds ahead, and the
// same monotonic reading.
func ahead(t time.Time, by time.Duration) time.Time {
	wall := (*uint64)(unsafe.Pointer(&t))
	*wall += uint64(by/time.Second) << 30 // hasMonotonic: 33 bits of seconds, then 30 of nanoseconds
	return t
}
