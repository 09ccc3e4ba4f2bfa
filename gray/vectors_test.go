package gray_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The decisions in testdata/outlier.json are published ones, of unit tests and
// of measurements, with the names they have there. Those of Envoy and gRPC are
// reproduced by the Envoy mode, those about tables by Table; for the rules of
// other systems see others_test.go. The decisions that are faults (GM-T1, GM-T2,
// GM-LEAK1, GM-LEAK2) are here with what is right instead.

type vectors struct {
	SuccessRate       []ratesVector    `json:"success_rate"`
	FailurePercentage []ratesVector    `json:"failure_percentage"`
	Consecutive       []sequenceVector `json:"consecutive"`
	EjectionTime      []timeVector     `json:"ejection_time"`
	Cap               []capVector      `json:"cap"`
	MassFailure       []massVector     `json:"mass_failure"`
	SlowScore         []scoreVector    `json:"slow_score"`
	ClientByServer    []tableVector    `json:"client_by_server"`
	DataValidation    []idVector       `json:"data_validation"`
}

type idVector struct{ ID string }

type ratesVector struct {
	ID              string
	Src             string
	Hosts           [][2]int // good and bad
	Rates           []int    // percent of 100 requests, instead
	N               int
	Bad             map[string][2]int
	Good            [2]int
	StdevFactor     float64 `json:"stdev_factor"`
	MinHosts        int     `json:"min_hosts"`
	MinVolume       int     `json:"min_volume"`
	MaxEjectionPct  *int    `json:"max_ejection_pct"`
	Mean, Threshold float64
	Enforcement     *int
	Ejected         []int
	Unenforced      int
}

type sequenceVector struct {
	ID             string
	Sequence       string
	Consecutive5xx int `json:"consecutive_5xx"`
	Gateway        int
	Ejected        bool
	Reason         string
	DeadAfter      int `json:"dead_after"`
	DeadOnFailure  int `json:"dead_on_failure"`
}

type timeVector struct {
	ID        string
	BaseS     int               `json:"base_s"`
	MaxS      int               `json:"max_s"`
	TicksMS   map[string]string `json:"ticks_ms"`
	TimelineS [][2]any          `json:"timeline_s"`
	MaxJitter uint64            `json:"max_jitter_ms"`
	Random    uint64
	JitterMS  uint64 `json:"jitter_ms"`
}

type capVector struct {
	ID                string
	N, Bad            int
	MaxPct            int `json:"max_pct"`
	Ejected, Overflow int
	Table             map[string][]int
}

type massVector struct {
	ID             string
	Zones          map[string]struct{ Ready, Notready int }
	State          map[string]string
	Rate           map[string]float64
	N              []int
	EvictionLimit  []int `json:"evictionLimit"`
	MissingAllowed []int `json:"missing_allowed"`
	Rows           [][]any
}

type scoreVector struct {
	ID     string
	Start  float64
	Thresh float64
	MinTTR float64 `json:"min_ttr_s"`
	Steps  []struct {
		Timeouts, Total int
		Dt              float64 `json:"dt_s"`
		Score           float64
	}
}

type tableVector struct {
	ID       string
	Scores   map[string]int `json:"store1_scores"`
	Slow     bool
	Servers  []int
	Clients  []int
	Paths    [][2]int
	Absolute bool `json:"absolute_alert"`
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	data, err := os.ReadFile("testdata/outlier.json")
	require.NoError(t, err)
	var v vectors
	require.NoError(t, json.Unmarshal(data, &v))
	return v
}
