package gray_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"example.com/liveness/gray"
)

// finite fails unless every number in v is.
func finite(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("%v is no finite number", x)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for _, field := range v.Fields() {
			finite(t, field)
		}
	case reflect.Slice:
		for i := range v.Len() {
			finite(t, v.Index(i))
		}
	}
}

// FuzzMonitor plays any script to two monitors, of which one is asked all the
// time.
func FuzzMonitor(f *testing.F) {
	slow := []byte{0}
	for range 5 {
		for s := range 10 {
			latency := byte(20)
			if s == 3 {
				latency = 200
			}
			slow = append(slow, 0, byte(s), 0, latency)
		}
		slow = append(slow, 1, 100, 0, 0)
	}
	f.Add(slow)
	f.Add(append([]byte{1}, slow[1:]...))
	f.Add([]byte{2, 0, 1, 1, 5, 0, 1, 1, 5, 1, 100, 0, 0, 2, 1, 0, 0, 1, 255, 0, 0})
	f.Add([]byte{7, 5, 3, 0, 0, 6, 4, 1, 1, 7, 9, 1, 0, 1, 100, 0, 0, 4, 3, 0, 0})
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) == 0 || len(script) > 400 {
			return
		}
		cfg := gray.Config{Seed: uint64(script[0]), Hits: 1 + int(script[0]>>2&1), Of: 3, TailRequests: 20, MinRequests: 10, ErrorRequests: 10, MinPeers: 1 + int(script[0]>>3&3), Limit: 50 * ms}
		small := gray.KeepAll
		if script[0]&2 != 0 {
			small = gray.EjectOne
		}
		cfg.Guard.SmallGroup = small
		if script[0]&1 != 0 {
			cfg.Envoy = &gray.Envoy{MaxPercent: 20, FailurePercent: 50}
		}
		asked, quiet := newMonitor(t, cfg, 10), newMonitor(t, cfg, 10)
		now, overridden := t0, time.Time{}
		told := map[string]gray.State{} // by Changes alone
		away := func(members []string) int {
			n := 0
			for _, s := range members {
				if state := asked.State(s); state == gray.Ejected || state == gray.Probation {
					n++
				}
			}
			return n
		}
		for ops := script[1:]; len(ops) >= 4; ops = ops[4:] {
			op, a, b, c := ops[0]%8, ops[1], ops[2], ops[3]
			server := name(int(a) % 14)
			both := func(do func(m *gray.Monitor)) {
				do(asked)
				do(quiet)
			}
			switch op {
			case 0, 7:
				latency := time.Duration(c) * ms
				if op == 7 {
					latency = time.Duration(int64(binary.LittleEndian.Uint64([]byte{a, b, c, a, b, c, a, b})))
				}
				both(func(m *gray.Monitor) {
					for range 25 {
						m.Record(fmt.Sprint(b>>6), server, gray.Outcome(b%9), latency)
					}
				})
			case 1:
				now = now.Add(time.Duration(a) * 100 * ms)
				before := away(asked.Members())
				preview := asked.Evaluate(now)
				again := asked.Evaluate(now)
				d, e := asked.Advance(now), quiet.Advance(now)
				if !reflect.DeepEqual(preview, again) || !reflect.DeepEqual(preview, d) || !reflect.DeepEqual(d, e) {
					t.Fatalf("not deterministic:\n%+v\n%+v\n%+v\n%+v", preview, again, d, e)
				}
				finite(t, reflect.ValueOf(d))
				members := asked.Members()
				for _, c := range d.Changes {
					if told[c.Server] != c.From {
						t.Fatalf("%v, but it was %v", c, told[c.Server])
					}
					told[c.Server] = c.To
				}
				for _, s := range members {
					if told[s] != asked.State(s) {
						t.Fatalf("%s is %v, by the changes %v", s, asked.State(s), told[s])
					}
				}
				if len(d.Ejections()) > 0 {
					most := gray.MaxEjected(len(members), 20)
					if small == gray.EjectOne && cfg.Envoy == nil && most == 0 && len(members) >= 3 {
						most = 1
					}
					if now.Before(overridden) && cfg.Envoy == nil {
						most = len(members) - 1
						if most > 0 && gray.MaxEjected(len(members), 20) == 0 && small == gray.KeepAll {
							t.Fatalf("ejected %v of %d", d.Ejections(), len(members))
						}
					}
					if n := away(members); n > most {
						t.Fatalf("%d of %d are ejected, %d before", n, len(members), before)
					}
				}
			case 2:
				both(func(m *gray.Monitor) { m.Add(server) })
			case 3:
				both(func(m *gray.Monitor) { m.Remove(server) })
				delete(told, server)
			case 4:
				both(func(m *gray.Monitor) { m.SetSilent(server, b%2 == 0) })
			case 5:
				both(func(m *gray.Monitor) { m.SetFailing(server, b%2 == 0) })
			case 6:
				if b%8 == 0 {
					overridden = now.Add(time.Duration(c) * time.Second)
					both(func(m *gray.Monitor) { m.Override(overridden) })
				} else if b%8 == 1 {
					both(func(m *gray.Monitor) { m.Restore(server) })
				} else if asked.Admit(server, now) != quiet.Admit(server, now) {
					t.Fatal("Admit is not deterministic")
				}
			}
		}
		if a, b := asked.Counters(), quiet.Counters(); !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v\n%+v", a, b)
		}
		c := asked.Counters()
		if total(c.Detected) != total(c.Enforced)+total(c.Suppressed) {
			t.Fatalf("%+v", c)
		}
		_ = asked.Table().String()
	})
}

// FuzzRelative checks the comparison against its definition.
func FuzzRelative(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 200}, 3.0, 1.0)
	f.Add([]byte{0, 0, 0, 0, 0, 0, 1}, 1.5, 0.0)
	f.Fuzz(func(t *testing.T, data []byte, ratio, gap float64) {
		if len(data) > 200 {
			return
		}
		values := make([]float64, len(data))
		for i, x := range data {
			values[i] = math.Ldexp(float64(x), int(x%7)*300-900)
		}
		r := gray.Relative{Ratio: ratio, Gap: gap, MinPeers: 3}
		compared, err := r.Compare(values)
		if err != nil {
			return
		}
		if ratio == 0 {
			ratio = 3
		}
		finite(t, reflect.ValueOf(compared))
		found := 0
		for i, c := range compared {
			if c.Judged != (len(values) >= 4) {
				t.Fatal(c)
			}
			if !c.Judged {
				continue
			}
			others := slices.Delete(slices.Clone(values), i, i+1)
			slices.Sort(others)
			mid := others[len(others)/2]
			if len(others)%2 == 0 {
				low := others[len(others)/2-1]
				mid = low + (mid-low)/2
			}
			if c.Median != mid || c.Outlier != (values[i] > ratio*mid && values[i]-mid >= gap) {
				t.Fatalf("%v of %v: %+v, median %v", values[i], values, c, mid)
			}
			if c.Outlier {
				found++
			}
		}
		if found > (len(values)+1)/2 {
			t.Fatalf("%d of %d stand out", found, len(values))
		}
	})
}

// FuzzTable checks that nobody is blamed with fewer than three on the other
// side, and that nothing breaks.
func FuzzTable(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 1, 1, 0, 2, 1, 1, 0, 1, 1, 1, 1, 1, 2, 1, 2, 0, 9, 2, 1, 1, 2, 2, 1})
	f.Add([]byte{0, 0, 1, 1, 1, 200})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 400 {
			return
		}
		var cells []gray.Cell
		seen, sees := map[string]map[string]bool{}, map[string]map[string]bool{}
		for ; len(data) >= 3; data = data[3:] {
			c := gray.Cell{Client: fmt.Sprint(data[0] % 9), Server: fmt.Sprint(data[1] % 9), Latency: time.Duration(1) << (data[2] % 63), Samples: 1}
			cells = append(cells, c)
			for a, b := range map[*map[string]map[string]bool][2]string{&seen: {c.Server, c.Client}, &sees: {c.Client, c.Server}} {
				if (*a)[b[0]] == nil {
					(*a)[b[0]] = map[string]bool{}
				}
				(*a)[b[0]][b[1]] = true
			}
		}
		table, err := gray.NewTable(gray.TableConfig{Limit: time.Second}, cells)
		if err != nil {
			t.Fatal(err)
		}
		faults := table.Faults()
		finite(t, reflect.ValueOf(faults))
		for _, x := range faults {
			if x.Kind == gray.FaultServer && len(seen[x.Server]) < 3 || x.Kind == gray.FaultClient && len(sees[x.Client]) < 3 {
				t.Fatalf("%v is blamed by fewer than three", x)
			}
			if x.Kind == gray.FaultPath && (len(seen[x.Server]) < 3 || len(sees[x.Client]) < 3) {
				t.Fatalf("%v is blamed by fewer than three", x)
			}
		}
		slices.Reverse(cells) // the order does not matter, where no cell comes twice
		if len(cells) == countCells(seen) {
			again, err := gray.NewTable(gray.TableConfig{Limit: time.Second}, cells)
			if err != nil || again.String() != table.String() {
				t.Fatalf("%v\n%v", table, again)
			}
		}
	})
}

func countCells(seen map[string]map[string]bool) (n int) {
	for _, by := range seen {
		n += len(by)
	}
	return n
}
