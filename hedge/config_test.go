package hedge_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/hedge"
)

func TestConfigErrors(t *testing.T) {
	for _, c := range []struct {
		cfg  hedge.Config
		want string
	}{
		{hedge.Config{ExtraLoad: 0.6}, "hedge: ExtraLoad is 0.6, want a number from 5/(n+1) = 0.004995, for a WindowSize of 1000, to 0.5"},
		{hedge.Config{ExtraLoad: 0.001}, "hedge: ExtraLoad is 0.001, want a number from 5/(n+1) = 0.004995, for a WindowSize of 1000, to 0.5"},
		{hedge.Config{ExtraLoad: math.NaN()}, "hedge: ExtraLoad is NaN, want a number from 5/(n+1) = 0.004995, for a WindowSize of 1000, to 0.5"},
		{hedge.Config{WindowSize: 50}, "hedge: ExtraLoad is 0.05, want a number from 5/(n+1) = 0.0980392, for a WindowSize of 50, to 0.5"},
		{hedge.Config{WindowSize: 8}, "hedge: WindowSize is 8, want a number from 9 to 1048576"},
		{hedge.Config{MaxExtraLoad: 0.01}, "hedge: MaxExtraLoad is 0.01, want a number from ExtraLoad, which is 0.05, to 1"},
		{hedge.Config{MaxExtraLoad: 2}, "hedge: MaxExtraLoad is 2, want a number from ExtraLoad, which is 0.05, to 1"},
		{hedge.Config{MaxPerSecond: -1}, "hedge: MaxPerSecond is -1, want a number above 0, at most 1e+09"},
		{hedge.Config{MaxPerSecond: math.Inf(1)}, "hedge: MaxPerSecond is +Inf, want a number above 0, at most 1e+09"},
		{hedge.Config{Burst: 0.5}, "hedge: Burst is 0.5, want a number from 1 to 1e+09"},
		{hedge.Config{MaxHedges: -1}, "hedge: MaxHedges is -1, want a number from 1 to 10"},
		{hedge.Config{MaxHedges: 11}, "hedge: MaxHedges is 11, want a number from 1 to 10"},
		{hedge.Config{MaxServers: -1}, "hedge: MaxServers is -1, want a number from 1 to 1073741824"},
	} {
		h, err := hedge.New(c.cfg)
		assert.EqualError(t, err, c.want)
		assert.Nil(t, h)
	}
	newHedger(t, hedge.Config{ExtraLoad: 0.5, WindowSize: 9, MaxPerSecond: 0.1, Burst: 1, MaxHedges: 10})
}
