package main

import (
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"example.com/liveness/fence"
)

const tokenHeader = "Fencing-Token"

// A store is the resource: one value, kept twice. It answers PUT with 204, or
// with 409 if the guard refused the token.
type store struct {
	mu        sync.Mutex
	guard     fence.Guard
	guarded   register
	unguarded register // what the same writes do where nobody asks for a token

	writes chan attempt
}

// A register is a value, and the token of who wrote it.
type register struct {
	value string
	token fence.Token
	stale int // writes of someone whose successor had written already
}

// An attempt is a request to write, and what came of it.
type attempt struct {
	at                 time.Time
	token              fence.Token
	value              string
	err                error
	guarded, unguarded string // what the registers held afterwards
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	value, err := io.ReadAll(io.LimitReader(r.Body, 1<<10))
	if err != nil || r.Method != http.MethodPut {
		http.Error(w, "want PUT with a value", http.StatusBadRequest)
		return
	}
	// No token, or one that is no number, is 0, which the guard refuses.
	token, _ := strconv.ParseUint(r.Header.Get(tokenHeader), 10, 64)
	a := s.write(fence.Token(token), string(value))
	s.writes <- a
	if a.err != nil {
		http.Error(w, a.err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// write writes to both registers at once, so that they can be compared.
func (s *store) write(token fence.Token, value string) attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.guard.Do(token, func() error {
		s.guarded.set(token, value)
		return nil
	})
	s.unguarded.set(token, value)
	return attempt{time.Now(), token, value, err, s.guarded.value, s.unguarded.value}
}

func (r *register) set(token fence.Token, value string) {
	if token < r.token {
		r.stale++
	}
	r.value, r.token = value, max(token, r.token)
}
