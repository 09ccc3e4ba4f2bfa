package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"example.com/liveness/fence"
)

// childEnv, when set, makes this program a candidate: its name, where to send
// heartbeats to, where the store is, and the interval.
const childEnv = "LIVENESS_FENCING_CHILD"

// A candidate is the child process: it says that it is alive, and writes from
// the time it is told to lead until the store refuses it.
type candidate struct {
	name     string
	beats    net.Conn
	store    string
	interval time.Duration
	token    atomic.Uint64 // a fence.Token, 0 for no lead
}

// standIfChild does not return in the child.
func standIfChild() {
	value, ok := os.LookupEnv(childEnv)
	if !ok {
		return
	}
	var c candidate
	var beats, interval string
	fmt.Sscan(value, &c.name, &beats, &c.store, &interval)
	err := c.run(beats, interval)
	fmt.Fprintf(os.Stderr, "fencing: %s: %v\n", c.name, err)
	os.Exit(1)
}

func (c *candidate) run(beats, interval string) (err error) {
	if c.interval, err = time.ParseDuration(interval); err != nil {
		return err
	}
	if c.beats, err = net.Dial("udp", beats); err != nil {
		return err
	}
	go c.obey(os.Stdin)
	go c.lead()
	for seq := uint64(1); ; seq++ {
		if _, err := fmt.Fprintf(c.beats, "%s %d", c.name, seq); err != nil {
			return err
		}
		time.Sleep(c.interval)
	}
}

// obey reads tokens, and ends the process with its input, which the parent holds
// open: also a parent that was killed lets go of it.
func (c *candidate) obey(orders io.Reader) {
	for lines := bufio.NewScanner(orders); lines.Scan(); {
		var token uint64
		if _, err := fmt.Sscanf(lines.Text(), "lead %d", &token); err == nil {
			c.token.Store(token)
		}
	}
	os.Exit(0)
}

// lead writes, as long as it believes that it leads. Nothing tells it that it
// does not, but the store.
func (c *candidate) lead() {
	for n := 1; ; n++ {
		if token := c.token.Load(); token != 0 {
			err := write(c.store, fence.Token(token), fmt.Sprintf("%s's %d", c.name, n))
			if err != nil {
				c.token.CompareAndSwap(token, 0) // it steps down, unless it was elected again
			}
		}
		time.Sleep(c.interval)
	}
}

// write returns an error if the store did not take the value.
func write(store string, token fence.Token, value string) error {
	request, err := http.NewRequest(http.MethodPut, store, strings.NewReader(value))
	if err != nil {
		return err
	}
	request.Header.Set(tokenHeader, fmt.Sprint(uint64(token)))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode == http.StatusNoContent {
		return err
	}
	return fmt.Errorf("%s: %s", response.Status, answer)
}
