package main

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// seconds writes a time in seconds with a unit that suits it.
func seconds(x float64) string {
	switch abs := math.Abs(x); {
	case math.IsNaN(x):
		return "unknown"
	case math.IsInf(x, 0):
		return "never"
	case abs == 0:
		return "0 s"
	case abs < 1e-6:
		return digits(x*1e9) + " ns"
	case abs < 1e-3:
		return digits(x*1e6) + " µs"
	case abs < 1:
		return digits(x*1e3) + " ms"
	case abs < 600:
		return digits(x) + " s"
	case abs < 7200:
		return digits(x/60) + " min"
	case abs < 48*3600:
		return digits(x/3600) + " h"
	}
	return digits(x/86400) + " d"
}

func span(d time.Duration) string { return seconds(d.Seconds()) }

// digits writes a number with four significant digits.
func digits(x float64) string {
	if math.Abs(x) >= 1000 && math.Abs(x) < 1e7 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// rate writes a small share or frequency.
func rate(x float64) string {
	if math.IsNaN(x) {
		return "unknown"
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// percent writes a share near 1 with the two digits that tell it from 1.
func percent(x float64) string {
	if math.IsNaN(x) {
		return "unknown"
	}
	places := 2
	if rest := 100 * (1 - x); rest > 0 && rest < 1 {
		places = min(1+int(-math.Floor(math.Log10(rest))), 12)
	}
	return fmt.Sprintf("%.*f %%", places, 100*x)
}

// known returns nil for a number that nobody knows, so that JSON leaves it out.
func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// knownSpan returns nil for a duration of 0, which means unknown.
func knownSpan(d time.Duration) *float64 {
	if d == 0 {
		return nil
	}
	return known(d.Seconds())
}

// short writes a share with two digits.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 2, 64) }

// signed writes an error, or a dash where there is no score.
func signed(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%+.2f", x)
}

// ratio writes a multiple, or a dash where it is not known.
func ratio(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	if x >= 1000 {
		return ">1000"
	}
	return fmt.Sprintf("%.2f", x)
}

// orDash writes a time, or a dash if there is none.
func orDash(x float64) string {
	if math.IsInf(x, 0) {
		return "–"
	}
	return seconds(x)
}

// counted says how many traces.
func counted(traces int) string {
	if traces == 1 {
		return "one trace"
	}
	return fmt.Sprintf("%d traces", traces)
}
