package peers

import (
	"context"
	"time"
)

// Run calls [Monitor.Advance] by the real clock, whenever it is due, until ctx is
// done. It returns the error of ctx.
//
// One Run is enough. It rests for Config.Resolution between two rounds, so that
// many peers that are due within it cost one round.
func (m *Monitor[K]) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		next := m.Advance(time.Now())
		timer.Reset(m.cfg.Resolution)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
		timer.Reset(time.Until(next))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.wakeup: // something has become due sooner
		case <-timer.C:
		}
	}
}
