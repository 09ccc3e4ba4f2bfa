package gray_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/gray"
)

func TestConfigErrors(t *testing.T) {
	for want, cfg := range map[string]gray.Config{
		"gray: Interval is -1s, want a duration from 1µs to 100 days": {Interval: -time.Second},
		"gray: Interval is 10ns, want a duration from 1µs":            {Interval: 10},
		"gray: LateAfter is 1s, want a duration from Interval":        {LateAfter: time.Second},
		"gray: Hits is 6, want a number from 1 to Of, which is 5":     {Hits: 6, Of: 5},
		"gray: Of is 33, want a number from 1 to 32":                  {Of: 33},
		"gray: Ratio is 1, want a number above 1":                     {Ratio: 1},
		"gray: Ratio is NaN":                                                         {Ratio: math.NaN()},
		"gray: Ratio is -0":                                                          {Ratio: math.Copysign(0, -1)},
		"gray: Ratio is +Inf":                                                        {Ratio: math.Inf(1)},
		"gray: MinPeers is -1, want a number from 1":                                 {MinPeers: -1},
		"gray: Quantile is 1, want a number above 0 and below 1":                     {Quantile: 1},
		"gray: Quantile is NaN":                                                      {Quantile: math.NaN()},
		"gray: LatencyGap is 10ns":                                                   {LatencyGap: 10},
		"gray: TailRequests is -1":                                                   {TailRequests: -1},
		"gray: MinRequests is -1":                                                    {MinRequests: -1},
		"gray: ErrorRequests is -1":                                                  {ErrorRequests: -1},
		"gray: ErrorGap is 5, want a number above 0 and below 1":                     {ErrorGap: 5},
		"gray: FailureShare is 85, want a number above 0":                            {FailureShare: 85},
		"gray: Limit is -1s, want 0 or a duration":                                   {Limit: -time.Second},
		"gray: UsualRatio is 0.5, want a number above 1":                             {UsualRatio: 0.5},
		"gray: Guard.MaxPercent is 101, want a percentage from 1 to 100":             {Guard: gray.GuardConfig{MaxPercent: 101}},
		"gray: Guard.LeavePercent is 30, want at most Guard.MaxPercent, which is 20": {Guard: gray.GuardConfig{LeavePercent: 30}},
		"gray: Guard.PageAfter is -1":                                                {Guard: gray.GuardConfig{PageAfter: -1}},
		"gray: Guard.SmallGroup is 7, want KeepAll or EjectOne":                      {Guard: gray.GuardConfig{SmallGroup: 7}},
		"gray: Backoff.Base is 30ns":                                                 {Backoff: gray.Backoff{Base: 30}},
		"gray: MaxClients is -1":                                                     {MaxClients: -1},
		"gray: Envoy.StdevFactor is NaN":                                             {Envoy: &gray.Envoy{StdevFactor: math.NaN()}},
		"gray: Envoy.FailurePercent is 101":                                          {Envoy: &gray.Envoy{FailurePercent: 101}},
		"gray: Envoy.MaxPercent is 101":                                              {Envoy: &gray.Envoy{MaxPercent: 101}},
		"gray: Envoy.Cap is 3":                                                       {Envoy: &gray.Envoy{Cap: 3}},
	} {
		_, err := gray.New(cfg)
		assert.ErrorContains(t, err, want)
	}
	_, err := gray.NewGuard(gray.GuardConfig{MaxPercent: -1})
	assert.ErrorContains(t, err, "gray: Guard.MaxPercent is -1")
	_, err = gray.Relative{}.Compare([]float64{1, math.NaN()})
	assert.ErrorContains(t, err, "gray: a value is NaN, want a finite number from 0 up")
	_, err = gray.Relative{Gap: -1}.Compare(nil)
	assert.ErrorContains(t, err, "gray: Gap is -1")
	_, err = gray.NewTable(gray.TableConfig{MinSide: 2}, nil)
	assert.ErrorContains(t, err, "gray: MinSide is 2, want a number from 3")
	// A config is copied: one for Envoy can be used again.
	e := &gray.Envoy{}
	_, err = gray.New(gray.Config{Envoy: e})
	require.NoError(t, err)
	assert.Equal(t, gray.Envoy{}, *e)
	// One of Hits and Of stands for both.
	for _, cfg := range []gray.Config{{Hits: 7}, {Of: 2}} {
		_, err = gray.New(cfg)
		assert.NoError(t, err)
	}
}
