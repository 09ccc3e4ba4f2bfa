package gray_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/gray"
)

// hosts returns successes and failures of every server.
func (v ratesVector) hosts() [][2]int {
	hosts := v.Hosts
	for _, rate := range v.Rates {
		hosts = append(hosts, [2]int{rate, 100 - rate})
	}
	for i := range v.N {
		h := v.Good
		if bad, ok := v.Bad[strconv.Itoa(i)]; ok {
			h = bad
		}
		hosts = append(hosts, h)
	}
	return hosts
}

// config returns the settings of a vector. What it leaves out is Envoy's, or gRPC's, default.
func (v ratesVector) config() gray.Config {
	e := &gray.Envoy{Failures: -1, MaxPercent: 10, SuccessHosts: v.MinHosts, SuccessVolume: v.MinVolume, FailureHosts: v.MinHosts, FailureVolume: v.MinVolume}
	if strings.HasPrefix(v.Src, "G") {
		e.Cap, e.FailureAbove = gray.CapBefore, true
	} else {
		e.Cap = gray.CapAtLeastOne // Envoy's own tests are of that time
	}
	if v.MaxEjectionPct != nil {
		e.MaxPercent = *v.MaxEjectionPct
		if e.MaxPercent == 0 {
			e.MaxPercent = -1
		}
	}
	return gray.Config{Envoy: e, Shadow: v.Enforcement != nil && *v.Enforcement == 0}
}

func (v ratesVector) run(t *testing.T, cfg gray.Config) {
	s := begin(t, cfg, len(v.hosts()))
	for i, h := range v.hosts() {
		s.send(i, h[1], gray.Error, ms)
		s.send(i, h[0], gray.OK, ms)
	}
	d := s.tick()
	want := []string{}
	for _, i := range v.Ejected {
		want = append(want, name(i))
	}
	assert.ElementsMatch(t, want, d.Ejections())
	unenforced := 0
	for _, j := range d.Servers {
		if j.Verdict == gray.Suppressed {
			unenforced++
		}
		for _, test := range j.Tests {
			if v.Mean > 0 {
				assert.InDelta(t, v.Mean/100, test.Median, 1e-12)
				assert.InDelta(t, v.Threshold/100, test.Threshold, 1e-12)
			}
			if len(v.Ejected) == 0 && len(v.hosts()) == 5 && v.MinVolume > 25 { // E-SR3, E-FP3
				assert.NotEqual(t, gray.None, test.Reason)
			}
		}
	}
	assert.Equal(t, v.Unenforced, unenforced)
}

func TestVectorsSuccessRate(t *testing.T) {
	for _, v := range readVectors(t).SuccessRate {
		t.Run(v.ID, func(t *testing.T) {
			cfg := v.config()
			cfg.Envoy.StdevFactor = v.StdevFactor
			v.run(t, cfg)
		})
	}
}

func TestVectorsFailurePercentage(t *testing.T) {
	for _, v := range readVectors(t).FailurePercentage {
		t.Run(v.ID, func(t *testing.T) {
			cfg := v.config()
			cfg.Envoy.StdevFactor, cfg.Envoy.FailurePercent = -1, int(v.Threshold)
			v.Threshold = 0
			v.run(t, cfg)
		})
	}
}

// outcomesOf reads a sequence such as "503,200,503x5".
func outcomesOf(t *testing.T, sequence string) []gray.Outcome {
	_, rest, ok := strings.Cut(sequence, ": ")
	if ok {
		sequence = rest
	}
	repeat := 1
	if inner, ok := strings.CutPrefix(sequence, "("); ok {
		inner, times, _ := strings.Cut(inner, ") x")
		n, err := strconv.Atoi(times)
		require.NoError(t, err)
		sequence, repeat = inner, n
	}
	var once []gray.Outcome
	for step := range strings.SplitSeq(sequence, ",") {
		step = strings.TrimSpace(step)
		n := 1
		if at := strings.LastIndex(step, "x"); at > 0 && at < len(step)-1 {
			if times, err := strconv.Atoi(step[at+1:]); err == nil {
				n, step = times, strings.TrimSpace(step[:at])
			}
		}
		kind, known := map[string]gray.Outcome{
			"200": gray.OK, "reqok": gray.OK, "timeout(code 200)": gray.OK, // a caller that has an answer says so
			"500": gray.Error, "F": gray.Error, "503": gray.Unreachable, "connfail": gray.Unreachable, "timeout(no code)": gray.Timeout,
		}[step]
		if step == "connok(no code)" { // a bare connection is no attempt, and is not recorded
			continue
		}
		require.True(t, known, "%q", step)
		for range n {
			once = append(once, kind)
		}
	}
	var all []gray.Outcome
	for range repeat {
		all = append(all, once...)
	}
	return all
}

func TestVectorsConsecutive(t *testing.T) {
	for _, v := range readVectors(t).Consecutive {
		if v.DeadOnFailure > 0 {
			continue // F-E1 and F-E2 are in TestOthersFinagle
		}
		t.Run(v.ID, func(t *testing.T) {
			e := &gray.Envoy{StdevFactor: -1, Failures: v.Consecutive5xx, GatewayFailures: v.Gateway, MaxPercent: 100}
			if v.ID == "E-C5" {
				e.GatewayFailures = 5
			}
			if v.DeadAfter > 0 {
				e.Failures, v.Ejected = v.DeadAfter, true
			}
			s := begin(t, gray.Config{Envoy: e, Backoff: gray.Backoff{Jitter: -1}}, 1)
			if strings.HasPrefix(v.Sequence, "after un-eject") {
				s.send(0, 5, gray.Unreachable, ms)
				s.tick()
				s.send(0, 4, gray.Unreachable, ms) // late completions do not count
				for range 3 {
					s.tick()
				}
				require.Equal(t, gray.Active, s.State("s000"))
			}
			for i, o := range outcomesOf(t, v.Sequence) {
				assert.Empty(t, s.Advance(s.now).Ejections(), "before attempt %d", i+1)
				s.send(0, 1, o, ms)
			}
			d := s.Advance(s.now)
			assert.Equal(t, v.Ejected, len(d.Ejections()) == 1)
			if v.Reason != "" {
				rule := map[string]gray.Rule{"CONSECUTIVE_5XX": gray.AllFailures, "CONSECUTIVE_GATEWAY_FAILURE": gray.GatewayFails}[v.Reason]
				assert.Equal(t, rule, d.Servers[0].Rule)
			}
		})
	}
}

func envoyTimes(base, most time.Duration) gray.Config {
	return gray.Config{
		Envoy:   &gray.Envoy{StdevFactor: -1, MaxPercent: 100},
		Backoff: gray.Backoff{Base: base, Max: most, Jitter: -1},
	}
}

func TestVectorsEjectionTime(t *testing.T) {
	for _, v := range readVectors(t).EjectionTime {
		base, most := time.Duration(v.BaseS)*time.Second, time.Duration(v.MaxS)*time.Second
		t.Run(v.ID, func(t *testing.T) {
			switch v.ID {
			case "E-T1":
				s := begin(t, envoyTimes(base, 0), 1)
				s.send(0, 5, gray.Error, ms)
				s.Advance(t0)
				assert.Equal(t, gray.Ejected, s.State("s000"))
				for _, at := range []string{"9999", "30001"} {
					n, err := strconv.Atoi(at)
					require.NoError(t, err)
					s.Advance(t0.Add(time.Duration(n) * ms))
					want := map[string]gray.State{"ejected": gray.Ejected, "back": gray.Active}[v.TicksMS[at]]
					assert.Equal(t, want, s.State("s000"), at)
				}
			case "E-T2":
				s := begin(t, envoyTimes(base, 0), 1)
				last := -1.0
				for _, step := range v.TimelineS {
					if span, ok := step[0].(string); ok { // "110..600"
						from, to, _ := strings.Cut(span, "..")
						a, _ := strconv.Atoi(from)
						b, _ := strconv.Atoi(to)
						for sec := a; sec <= b; sec += 10 {
							s.Advance(t0.Add(time.Duration(sec) * time.Second))
						}
						continue
					}
					sec := step[0].(float64)
					now := t0.Add(time.Duration(sec) * time.Second)
					if sec != last {
						s.Advance(now)
					}
					last = sec
					switch what := step[1].(string); what {
					case "eject":
						assert.Equal(t, gray.Active, s.State("s000"), "%v %s", sec, what)
						s.send(0, 5, gray.Error, ms)
						assert.Len(t, s.Advance(now).Ejections(), 1)
					case "still":
						assert.Equal(t, gray.Ejected, s.State("s000"), "%v %s", sec, what)
					default:
						assert.Equal(t, gray.Active, s.State("s000"), "%v %s", sec, what)
					}
				}
			case "E-T3":
				b, err := gray.NewBackoff(gray.Backoff{Base: base, Max: most})
				require.NoError(t, err)
				for n := 1; n < 100; n++ {
					assert.Equal(t, min(time.Duration(n)*base, most), b.Time(n))
				}
			case "E-T5":
				assert.Equal(t, v.JitterMS, gray.Jitter(v.Random, v.MaxJitter))
			case "GM-T1": // found by two rules, it counts once
				cfg := envoyTimes(10*time.Second, 0)
				cfg.Envoy.StdevFactor, cfg.Envoy.FailurePercent = 1.9, 85
				s := begin(t, cfg, 10)
				s.all(200, ms, 9)
				s.send(9, 200, gray.Error, ms)
				j, _ := s.tick().Of("s009")
				assert.Equal(t, 1, j.Times)
				assert.Equal(t, s.now.Add(10*time.Second), j.Until)
			case "GM-T2": // late completions do not eject an ejected server again
				cfg := envoyTimes(100*time.Second, 0)
				s := begin(t, cfg, 10)
				for range 3 {
					s.all(200, ms, 9)
					s.send(9, 200, gray.Error, ms)
					s.tick()
				}
				j, _ := s.Evaluate(s.now).Of("s009")
				assert.Equal(t, 1, j.Times)
			default:
				t.Fatal("no test for this")
			}
		})
	}
}

func TestVectorsCap(t *testing.T) {
	for _, v := range readVectors(t).Cap {
		t.Run(v.ID, func(t *testing.T) {
			cfg := envoyTimes(30*time.Second, 0)
			cfg.Envoy.MaxPercent = v.MaxPct
			switch v.ID {
			case "E-CAP-legacy", "D-CAP-new":
				if v.ID == "E-CAP-legacy" {
					cfg.Envoy.Cap = gray.CapAtLeastOne
				}
				s := begin(t, cfg, v.N)
				for i := range v.Bad {
					s.send(i, 5, gray.Error, ms)
				}
				assert.Len(t, s.tick().Ejections(), v.Ejected)
				assert.EqualValues(t, v.Overflow, s.Counters().Suppressed[gray.CapReached])
			case "D-CAP":
				for column, percent := range map[string]int{"max10": 10, "max20": 20, "max33": 33, "max50": 50} {
					for k, n := range v.Table["N"] {
						want := v.Table[column][k]
						assert.Equal(t, want, gray.MaxEjected(n, percent), "%d of %d", percent, n)
						cfg.Envoy.MaxPercent = percent
						s := begin(t, cfg, n)
						for i := range n {
							s.send(i, 5, gray.Error, ms)
						}
						assert.Len(t, s.tick().Ejections(), want, "%d %% of %d", percent, n)
					}
				}
			case "GM-LEAK1":
				cfg.Envoy.MaxPercent = 10
				cfg.Envoy.StdevFactor, cfg.Envoy.FailurePercent = 1.9, 85
				s := begin(t, cfg, 10)
				s.all(200, ms, 9)
				s.send(9, 200, gray.Error, ms)
				s.tick()
				assert.Equal(t, 1, s.Evaluate(s.now).Guard.Unhealthy)
				for range 3 {
					s.tick()
				}
				assert.Equal(t, 0, s.Evaluate(s.now).Guard.Unhealthy)
			case "GM-LEAK2":
				cfg.Envoy.MaxPercent = v.MaxPct
				cfg.Envoy.FailurePercent = 85
				s := begin(t, cfg, 10)
				s.all(200, ms, 9)
				s.send(9, 200, gray.Error, ms)
				assert.Equal(t, []string{"s009"}, s.tick().Ejections())
				s.Remove("s009")
				s.Add("s010")
				s.all(200, ms, 9)
				for range 200 {
					s.Record("c", "s010", gray.Error, ms)
				}
				assert.Equal(t, []string{"s010"}, s.tick().Ejections())
			default:
				t.Fatal("no test for this")
			}
		})
	}
}
