// Package systemd tells systemd that a service is ready, and whether it is
// alive, over the protocol of sd_notify(3) and sd_watchdog_enabled(3). The
// protocol itself is spoken by github.com/coreos/go-systemd.
//
// The unit file asks for it:
//
//	[Service]
//	Type=notify
//	WatchdogSec=2s
//	Restart=on-failure
//
// and the service answers, while its own watchdog is well:
//
//	w, err := watchdog.New(watchdog.Config{OnMiss: watchdog.Kill})
//	…
//	go systemd.Run(ctx, w.Check)
//
// So the service kills itself when one of its parts hangs, and systemd kills it
// when it cannot even do that: a stopped process does not notify.
package systemd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// ErrUnwell is what Run returns after it has told systemd that the service is
// not well.
var ErrUnwell = errors.New("systemd: the service is not well")

// trigger has systemd act as if the watchdog had run out, at once.
const trigger = "WATCHDOG=trigger"

// Run tells systemd that the service is ready, then, every half of the interval
// that systemd set (WATCHDOG_USEC), that it is alive, and at the end of ctx that
// it is stopping. It returns the cause of the end.
//
// Before each message but the last it asks well, which is meant to be
// [example.com/liveness/watchdog.Watchdog.Check]. Once that says no, it has
// systemd act at once instead of at the end of the interval, and returns
// ErrUnwell. A service that is not well from the start is never called ready.
//
// Where nobody set NOTIFY_SOCKET, as outside systemd, it returns nil at once.
// Where no watchdog is wanted, it only waits for the end. It returns an error if
// WATCHDOG_USEC or WATCHDOG_PID makes no sense, or if systemd cannot be told that
// the service is ready. A later message that cannot be sent is not an error: the
// next one may get through, and if none does, systemd acts.
func Run(ctx context.Context, well func(now time.Time) bool) error {
	if os.Getenv("NOTIFY_SOCKET") == "" {
		return nil
	}
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		return fmt.Errorf("systemd: %w", err)
	}
	if !well(time.Now()) {
		return unwell()
	}
	if _, err := daemon.SdNotify(false, daemon.SdNotifyReady); err != nil {
		return fmt.Errorf("systemd: %s: %w", daemon.SdNotifyReady, err)
	}
	if interval > 0 {
		err = feed(ctx, well, interval/2)
	} else {
		<-ctx.Done()
	}
	if err == nil {
		daemon.SdNotify(false, daemon.SdNotifyStopping) // nobody is left to tell of an error
		err = context.Cause(ctx)
	}
	return err
}

// feed sends a sign of life at once, since the interval is already running.
func feed(ctx context.Context, well func(now time.Time) bool, every time.Duration) error {
	ticker := time.NewTicker(max(every, time.Microsecond))
	defer ticker.Stop()
	for {
		if !well(time.Now()) {
			return unwell()
		}
		daemon.SdNotify(false, daemon.SdNotifyWatchdog) // for an error see Run
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func unwell() error {
	if _, err := daemon.SdNotify(false, trigger); err != nil {
		return errors.Join(ErrUnwell, err)
	}
	return ErrUnwell
}
