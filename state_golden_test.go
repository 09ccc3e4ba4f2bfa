package liveness_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

// goldenStates are the detectors whose states are in testdata/state_v1.txt. Their
// configurations have all that decides about what is learnt.
func goldenStates(t *testing.T) []named {
	phi := func(law liveness.Distribution, window int) func() liveness.Detector {
		return func() liveness.Detector {
			return newPhi(t, liveness.PhiConfig{
				Distribution: law, WindowSize: window, Threshold: 8, ExpectedInterval: time.Second, PriorWeight: 2,
				MinStdDev: 10 * time.Millisecond, MinRelStdDev: 0.5,
			})
		}
	}
	return []named{
		{"FixedTimeout", func() liveness.Detector { return newFixed(t, 4*time.Second) }},
		{"Chen", func() liveness.Detector {
			return newChen(t, liveness.ChenConfig{Interval: time.Second, Margin: time.Second})
		}},
		{"Bertier", func() liveness.Detector {
			return newBertier(t, liveness.BertierConfig{
				Interval: time.Second, WindowSize: 20, MinMargin: time.Millisecond, Gain: 0.125, Bias: 1, Deviations: 4,
			})
		}},
		{"TwoWindow", func() liveness.Detector {
			return newTwoWindow(t, liveness.TwoWindowConfig{Interval: time.Second, Margin: time.Second})
		}},
		{"RTO", func() liveness.Detector {
			return newRTO(t, liveness.RTOConfig{ExpectedInterval: time.Second, MinTimeout: 2500 * time.Millisecond})
		}},
		{"Quantile", func() liveness.Detector {
			return newQuantile(t, liveness.QuantileConfig{ExpectedInterval: time.Second, Quantile: 0.9, Factor: 3, WindowSize: 30})
		}},
		{"Satzger", func() liveness.Detector {
			return newSatzger(t, liveness.SatzgerConfig{ExpectedInterval: time.Second, Threshold: 8, WindowSize: 30})
		}},
		{"LossAware", func() liveness.Detector {
			return newLossAware(t, liveness.LossAwareConfig{
				Interval: time.Second, Threshold: 4, WindowSize: 30, MinStdDev: 10 * time.Millisecond,
			})
		}},
		{"Phi/gaussian", phi(liveness.Gaussian{}, 30)},
		{"Phi/exponential", phi(liveness.Exponential{}, 30)},
		{"Phi/lognormal", phi(liveness.LogNormal{}, 30)},
		{"Phi/logistic", phi(liveness.Logistic{}, 30)},
		{"Phi/student", phi(liveness.StudentT{}, 30)},
		{"Phi/logstudent", phi(liveness.LogStudentT{}, 30)},
		{"Phi/lomax", phi(liveness.Lomax{}, 30)},
		{"Phi/shifted", phi(liveness.ShiftedExponential{}, 30)},
		{"Phi/foreign", phi(weibull{}, 30)},
		{"Phi/empirical", phi(liveness.Empirical{}, 200)},
	}
}

// TestStateFormat: states of version 1 are read for good, and written as they
// were. If this fails with a change of the format, raise stateVersion, keep
// reading version 1, and add a file; LIVENESS_WRITE_STATES=1 writes it.
func TestStateFormat(t *testing.T) {
	const path = "testdata/state_v1.txt"
	var lines []string
	for _, c := range goldenStates(t) {
		d := c.fresh()
		drive(d, rand.New(rand.NewPCG(11, 1)), t0, 1, 250)
		lines = append(lines, c.name+" "+base64.StdEncoding.EncodeToString(save(t, d)))
	}
	if os.Getenv("LIVENESS_WRITE_STATES") != "" {
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	}
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	scanner := bufio.NewScanner(f)
	for i, c := range goldenStates(t) {
		require.True(t, scanner.Scan())
		name, text, _ := strings.Cut(scanner.Text(), " ")
		require.Equal(t, c.name, name)
		data, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		require.Equal(t, data, save(t, restore(t, c.fresh(), data)), name)
		if runtime.GOARCH == "amd64" { // others may round otherwise
			assert.Equal(t, scanner.Text(), lines[i], "%s is saved as something else", name)
		}
	}
	assert.False(t, scanner.Scan())
}

// TestStateByHand reads a state off byte by byte.
func TestStateByHand(t *testing.T) {
	d := newPhi(t, liveness.PhiConfig{Distribution: liveness.Gaussian{}})
	begin(t, d).gaps(2, 1e-9).gaps(1, 3e-9)
	assert.Equal(t, "5001 01 03 020004 80808001 00000000", spaced(save(t, d), 2, 3, 4, 7, 11, 15))
	w := newWindow(t, 3)
	w.Add(-1)
	w.Add(64)
	assert.Equal(t, "5701 02 018201", spaced(save0(t, w), 2, 3, 6))
}

// spaced returns bytes in hexadecimal up to the last of these places, with a space at the others.
func spaced(b []byte, places ...int) string {
	var parts []string
	from := 0
	for _, to := range places {
		parts = append(parts, fmt.Sprintf("%x", b[from:to]))
		from = to
	}
	return strings.Join(parts, " ")
}

func save0(t *testing.T, w *liveness.Window) []byte {
	t.Helper()
	data, err := w.MarshalBinary()
	require.NoError(t, err)
	return data
}
