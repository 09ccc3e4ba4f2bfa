// Package livenesstest checks that detectors and laws keep the contracts of
// package liveness, so that one of your own can be trusted like those.
//
//	func TestMyLaw(t *testing.T) {
//		if err := livenesstest.TestDistribution(MyLaw{}); err != nil {
//			t.Error(err)
//		}
//	}
//
// Each function returns all violations it found, joined, or nil. They take
// milliseconds, and are worth running under the race detector.
package livenesstest
