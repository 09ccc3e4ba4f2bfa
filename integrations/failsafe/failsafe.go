// Package failsafe runs the attempts that a [hedge.Hedger] decides on, with the
// hedge policy of failsafe-go: its timers, its goroutines, its cancellation.
//
// What failsafe-go leaves open is which server a hedge goes to, what the request
// cost whom, and a delay that also learns from attempts that were cancelled. That
// is the hedger's.
package failsafe

import (
	"context"
	"errors"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"

	"example.com/liveness/hedge"
)

// ErrNoServer is returned by Do for a request that may go nowhere.
var ErrNoServer = errors.New("failsafe: there is no server to send the request to")

// A Call sends a request to a server. It returns with the whole answer, since ctx
// ends with Do, and soon after the end of ctx, which comes when another server
// has answered.
type Call[R any] func(ctx context.Context, server string) (R, error)

// Do sends one request to the first of servers, hedges it to others in their
// order when h says so, and returns the first answer. An attempt that ends in an
// error does not end the others; if all do, Do returns the error of the last.
// Retries are not its business: put them around it.
//
// Each masked failure is passed to lost, unless that is nil, before Do returns:
// tell it to whatever judges servers by their latency. Package hedge says what to
// record of each attempt; the program examples/slownode does it in its frontend.go.
func Do[R any](ctx context.Context, h *hedge.Hedger, servers []string, call Call[R], lost func(hedge.Loss)) (R, error) {
	if len(servers) == 0 {
		var none R
		return none, ErrNoServer
	}
	r := &request[R]{
		Request: h.Start(servers[0], time.Now()),
		hedger:  h,
		servers: servers,
		call:    call,
		lost:    lost,
	}
	policy := hedgepolicy.NewBuilderWithDelayFunc(r.delay).WithMaxHedges(h.MaxHedges()).Build()
	return failsafe.With(policy).WithContext(ctx).GetWithExecution(r.attempt)
}

type request[R any] struct {
	*hedge.Request
	hedger  *hedge.Hedger
	servers []string
	call    Call[R]
	lost    func(hedge.Loss)
}

// delay returns −1 for never, as failsafe-go wants it.
func (r *request[R]) delay(failsafe.ExecutionAttempt[R]) time.Duration {
	if d, ok := r.hedger.Delay(); ok {
		return d
	}
	return -1
}

// attempt is run by failsafe-go for each attempt, and the first one that returns
// is the answer of all, and ends the context of the others. So one that has
// nothing to say waits for that.
func (r *request[R]) attempt(exec failsafe.Execution[R]) (answer R, err error) {
	ctx := exec.Context()
	server := r.servers[0]
	if exec.IsHedge() {
		var ok bool
		if server, ok = r.Hedge(time.Now(), r.servers...); !ok {
			<-ctx.Done()
			return answer, ctx.Err()
		}
	}
	answer, err = r.call(ctx, server)
	if err != nil {
		if ended := r.Failed(server, time.Now()); !ended {
			<-ctx.Done()
		}
		return answer, err
	}
	overtaken, first := r.Answered(server, time.Now())
	if !first {
		<-ctx.Done()
	}
	for _, loss := range overtaken {
		if r.lost != nil {
			r.lost(loss)
		}
	}
	return answer, nil
}
