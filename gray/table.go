package gray

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"example.com/liveness/internal/printable"
)

// A Cell is the latency from one client to one server.
type Cell struct {
	Client, Server string
	Latency        time.Duration // a median, most usefully
	Samples        int
}

// A FaultKind is what a slowness is to be put down to.
type FaultKind uint8

const (
	FaultAll     FaultKind = iota // everything is slow
	FaultServer                   // slow for the clients in general
	FaultClient                   // slow to the servers in general
	FaultPath                     // slow for this client and this server only
	FaultUnknown                  // slow, but with so few beside it nobody can say whose fault it is
)

var faultNames = [...]string{"all", "server", "client", "path", "unknown"}

// String returns the kind in a word.
func (k FaultKind) String() string { return nameOf(faultNames[:], int(k), "FaultKind") }

// A Fault is a slowness and whose it is.
type Fault struct {
	Kind    FaultKind
	Client  string        // of a client or a path, or unknown
	Server  string        // of a server or a path, or unknown
	Latency time.Duration // typical of what is slow
	Usual   time.Duration // what it would be without the fault
	Ratio   float64       // of the two
}

// String tells the fault in a line, with two digits of each number. Names that
// would do something to a terminal are quoted.
func (f Fault) String() string {
	what := f.Kind.String()
	client, server := printable.Name(f.Client), printable.Name(f.Server)
	switch f.Kind {
	case FaultServer:
		what += " " + server
	case FaultClient:
		what += " " + client
	case FaultPath, FaultUnknown:
		what += " " + client + " → " + server
	}
	return fmt.Sprintf("%s: %s against %s, %s times", what, span(f.Latency.Seconds()), span(f.Usual.Seconds()), times(f.Ratio))
}

const defaultMinSide = 3

// TableConfig configures a [Table]. The zero value is usable: each field says
// what its zero means.
type TableConfig struct {
	// Ratio is from how many times the usual latency something is slow, above
	// 1. Zero means 3.
	Ratio float64

	// Gap is by how much it must exceed the usual besides. Zero means not at all.
	Gap time.Duration

	// MinSide is how many clients must see a server, and servers a client,
	// before either is blamed, from 3. Zero means 3.
	MinSide int

	// MinSamples is how many samples a cell must have to be used. Zero means
	// that all are.
	MinSamples int

	// Limit is the latency above which everything is slow, if it is the
	// typical one. Zero means none.
	Limit time.Duration
}

// A Table holds latencies by client and server, and tells whose fault they are.
// It takes the logarithm of a latency for a sum,
//
//	log latency = typical + client + server + rest
//
// and finds the parts by median polish: the median of each row and of each column
// is moved to its margin in turn, until nothing moves (J. W. Tukey, Exploratory
// Data Analysis, 1977). A server is to blame if its part is at least log Ratio, a
// client likewise, and a path if its rest is.
//
// Medians stand for what most say: a server that is slow for few of its clients
// has slow paths and is not slow itself, and one bad link is nobody's fault. What
// strikes half the clients at half the servers cannot be seen this way. And with
// fewer than MinSide clients, or servers, nobody can be blamed: a cell is then
// FaultUnknown if it stands out from the median of the better half of all.
type Table struct {
	cfg              TableConfig
	clients, servers []string
	value            [][]float64 // log seconds; NaN where there is no cell
	typical          float64
	client, server   []float64
	seenBy, sees     []int // clients that see a server, servers a client sees
	faults           []Fault
}

// NewTable arranges cells. It returns an error that names the field, the value
// and the bound if cfg is out of range. Of two cells with the same client and
// server the last counts. Cells without a latency above 0 are left out.
func NewTable(cfg TableConfig, cells []Cell) (*Table, error) {
	orElseFloat(&cfg.Ratio, defaultRatio)
	orElse(&cfg.MinSide, defaultMinSide)
	if err := cmp.Or(
		checkRatio("Ratio", cfg.Ratio),
		check(cfg.Gap >= 0, "Gap", cfg.Gap, "a duration from 0 up"),
		checkCount("MinSide", cfg.MinSide, defaultMinSide),
		checkCount("MinSamples", cfg.MinSamples, 0),
		check(cfg.Limit >= 0, "Limit", cfg.Limit, "a duration from 0 up"),
	); err != nil {
		return nil, err
	}
	return newTable(cfg, cells), nil
}

func newTable(cfg TableConfig, cells []Cell) *Table {
	t := &Table{cfg: cfg}
	usable := func(c Cell) bool { return c.Latency > 0 && c.Samples >= cfg.MinSamples }
	clients, servers := map[string]int{}, map[string]int{}
	for _, c := range cells {
		if usable(c) {
			clients[c.Client], servers[c.Server] = 0, 0
		}
	}
	t.clients, t.servers = number(clients), number(servers)
	t.value = make([][]float64, len(t.clients))
	for i := range t.value {
		t.value[i] = slices.Repeat([]float64{math.NaN()}, len(t.servers))
	}
	for _, c := range cells {
		if usable(c) {
			t.value[clients[c.Client]][servers[c.Server]] = math.Log(c.Latency.Seconds())
		}
	}
	t.polish()
	t.blame()
	return t
}

// number gives names their places in order.
func number(names map[string]int) []string {
	sorted := slices.Sorted(maps.Keys(names))
	for i, name := range sorted {
		names[name] = i
	}
	return sorted
}

// polish splits the values into their parts.
func (t *Table) polish() {
	const rounds, still = 30, 1e-9
	rows, columns := len(t.clients), len(t.servers)
	t.client, t.server = make([]float64, rows), make([]float64, columns)
	t.sees, t.seenBy = make([]int, rows), make([]int, columns)
	rest := make([][]float64, rows)
	for i, row := range t.value {
		rest[i] = slices.Clone(row)
		for j, x := range row {
			if !math.IsNaN(x) {
				t.sees[i]++
				t.seenBy[j]++
			}
		}
	}
	line := make([]float64, 0, max(rows, columns))
	sweep := func(n, m int, at func(i, j int) *float64, parts []float64) (moved float64) {
		for i := range n {
			line = line[:0]
			for j := range m {
				if x := *at(i, j); !math.IsNaN(x) {
					line = append(line, x)
				}
			}
			mid := median(line)
			parts[i] += mid
			moved = max(moved, math.Abs(mid))
			for j := range m {
				*at(i, j) -= mid
			}
		}
		// What all parts have in common belongs to the whole.
		mid := median(append(line[:0], parts...))
		t.typical += mid
		for i := range parts {
			parts[i] -= mid
		}
		return moved
	}
	for range rounds {
		moved := sweep(rows, columns, func(i, j int) *float64 { return &rest[i][j] }, t.client)
		moved = max(moved, sweep(columns, rows, func(j, i int) *float64 { return &rest[i][j] }, t.server))
		if moved < still {
			break
		}
	}
}

// slow reports whether a latency stands out from the usual one, both as logarithms.
func (t *Table) slow(latency, usual float64) bool {
	const rounding = 1e-9
	return latency-usual >= math.Log(t.cfg.Ratio)-rounding && math.Exp(latency)-math.Exp(usual) >= t.cfg.Gap.Seconds()
}

func fault(kind FaultKind, client, server string, latency, usual float64) Fault {
	return Fault{kind, client, server, duration(math.Exp(latency)), duration(math.Exp(usual)), math.Exp(latency - usual)}
}

// blame finds the faults.
func (t *Table) blame() {
	if len(t.clients) == 0 {
		return
	}
	if limit := t.cfg.Limit.Seconds(); limit > 0 && math.Exp(t.typical) > limit {
		t.faults = append(t.faults, fault(FaultAll, "", "", t.typical, math.Log(limit)))
	}
	for j, part := range t.server {
		if t.seenBy[j] >= t.cfg.MinSide && len(t.servers) >= t.cfg.MinSide && t.slow(t.typical+part, t.typical) {
			t.faults = append(t.faults, fault(FaultServer, "", t.servers[j], t.typical+part, t.typical))
		}
	}
	for i, part := range t.client {
		if t.sees[i] >= t.cfg.MinSide && len(t.clients) >= t.cfg.MinSide && t.slow(t.typical+part, t.typical) {
			t.faults = append(t.faults, fault(FaultClient, t.clients[i], "", t.typical+part, t.typical))
		}
	}
	least := t.least()
	for i, row := range t.value {
		for j, x := range row {
			if math.IsNaN(x) {
				continue
			}
			if t.sees[i] < t.cfg.MinSide || t.seenBy[j] < t.cfg.MinSide {
				if t.slow(x, least) {
					t.faults = append(t.faults, fault(FaultUnknown, t.clients[i], t.servers[j], x, least))
				}
				continue
			}
			if usual := t.typical + t.client[i] + t.server[j]; t.slow(x, usual) {
				t.faults = append(t.faults, fault(FaultPath, t.clients[i], t.servers[j], x, usual))
			}
		}
	}
	slices.SortStableFunc(t.faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Ratio, a.Ratio))
	})
}

// least returns the median of the better half: what is usual where there is too
// little for a polish.
func (t *Table) least() float64 {
	var all []float64
	for _, row := range t.value {
		for _, x := range row {
			if !math.IsNaN(x) {
				all = append(all, x)
			}
		}
	}
	slices.Sort(all)
	return median(all[:(len(all)+1)/2])
}

// Faults returns what is slow and whose fault it is: all, then servers, clients,
// paths, and what is unknown, each the worst first, then by name.
func (t *Table) Faults() []Fault { return slices.Clone(t.faults) }

// Typical returns the latency of a typical client to a typical server; 0 if there are no cells.
func (t *Table) Typical() time.Duration {
	if len(t.clients) == 0 {
		return 0
	}
	return duration(math.Exp(t.typical))
}

// cellsOf returns the medians of the paths of some servers.
func cellsOf(views []*view) []Cell {
	var cells []Cell
	for _, v := range views {
		for i := range v.paths {
			pv := &v.paths[i]
			if pv.n > 0 {
				cells = append(cells, Cell{pv.client, v.s.name, duration(pv.median), pv.n})
			}
		}
	}
	return cells
}
