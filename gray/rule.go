package gray

// A Rule is a test that finds servers bad.
type Rule uint8

const (
	NoRule       Rule = iota
	SlowTail          // the p99 latency, against the peers
	SlowMedian        // the median latency, against the peers
	MoreErrors        // the share of failures, against the peers
	ManyErrors        // the share of failures, against a fixed one
	Consecutive       // failures in a row
	SuccessRate       // Envoy: mean less some standard deviations
	FailurePart       // Envoy: failure percentage
	AllFailures       // Envoy: consecutive 5xx
	GatewayFails      // Envoy: consecutive gateway failures
	rules        = iota
)

var ruleNames = [rules]string{
	"none", "slow tail", "slow median", "more errors", "many errors", "consecutive failures",
	"success rate", "failure percentage", "consecutive 5xx", "consecutive gateway failures",
}

// String returns the name of the rule.
func (r Rule) String() string { return nameOf(ruleNames[:], int(r), "Rule") }

// comparesLatency reports whether values are in seconds.
func (r Rule) comparesLatency() bool { return r == SlowTail || r == SlowMedian }

// counts reports whether values are failures in a row.
func (r Rule) counts() bool { return r == Consecutive || r == AllFailures || r == GatewayFails }
