package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestDependency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dependency{limit: 20 * time.Millisecond}
		assert.NoError(t, d.check(t.Context()))
		d.extra.Store(int64(20 * time.Millisecond))
		assert.NoError(t, d.check(t.Context()))
		d.extra.Store(int64(time.Hour))
		began := time.Now()
		assert.ErrorIs(t, d.check(t.Context()), errDependency)
		assert.Equal(t, d.limit, time.Since(began), "it does not wait for the answer")
	})
}

// The deep check asks the dependency, the health check does not.
func TestChecks(t *testing.T) {
	d := &dependency{limit: time.Nanosecond}
	d.extra.Store(int64(time.Hour))
	s := &server{dependency: d}
	w := httptest.NewRecorder()
	s.health(w, httptest.NewRequest(http.MethodGet, "/health", nil))
	assert.Equal(t, http.StatusOK, w.Code)
	w = httptest.NewRecorder()
	s.ready(w, httptest.NewRequest(http.MethodGet, "/ready", nil))
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
}
