package watchdog

import (
	"fmt"
	"os"
	"time"
)

// A Miss is a deadline that passed without a kick. It is an error too.
type Miss struct {
	Part    string        // the one that is the most overdue
	Timeout time.Duration // what it was allowed
	Silence time.Duration // since its last kick, when that was noticed
	At      time.Time     // when it was noticed, as the caller gave it
}

// Error says what was missed.
func (m Miss) Error() string {
	return fmt.Sprintf("watchdog: part %q has not kicked for %v, its limit is %v", m.Part, m.Silence, m.Timeout)
}

// Kill ends the process: it writes the miss to standard error and sends itself
// what nobody can catch (SIGKILL, or its like). No deferred call runs, no buffer
// is flushed, no handler gets a chance to finish a write. For the line it waits
// 10 ms at most, since standard error may be a pipe that nobody reads.
func Kill(m Miss) {
	written := make(chan struct{})
	go func() {
		fmt.Fprintf(os.Stderr, "%v: this process ends itself\n", m)
		close(written)
	}()
	select {
	case <-written:
	case <-time.After(10 * time.Millisecond):
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Kill() == nil {
		// The signal may take a moment, in which nothing else must be done.
		time.Sleep(time.Second)
	}
	os.Exit(1)
}
