package tiers

import "math"

// knots is the number of levels, 1, 2, 3 …, at which promises are kept by the book.
const knots = 4

// A promise corrects the levels by the mistakes that were made. Level p promises
// one gap in 10^p beyond its quantile. shift says by how much more, or less,
// than p has to be asked of the law so that it comes true: a gap beyond raises
// it by step, and any other lowers it by step/10^p, so that it stands still where
// the promise is kept. The long-run share of mistakes is then 10^−p whatever the
// gaps are, as far as the bounds of shift allow (Gibbs and Candès, "Adaptive
// Conformal Inference Under Distribution Shift", NeurIPS 2021).
type promise struct {
	shift [knots]float64
	asked [knots + 1]float64 // of the law for each level; asked[0] is 0
}

const (
	most, least = 0.7, -1.0
	// minSlope keeps the corrected levels apart.
	minSlope = 0.1
)

// start is what is asked for beyond the levels before there was a mistake to learn
// from. The level 4 lies beyond the evidence for a long time, and what lies there
// is as a rule worse than the tail makes believe.
var start = [knots]float64{3: 0.5}

// step is how far one mistake moves a level. Many mistakes are told soon, so
// there is no hurry at the lower levels.
var step = [knots]float64{0.05, 0.1, 0.3, 0.3}

// fall is what each gap lowers a shift by.
var fall = func() (f [knots]float64) {
	for i := range f {
		f[i] = step[i] * math.Pow(10, -float64(i+1))
	}
	return f
}()

func (p *promise) reset() {
	*p = promise{shift: start}
	p.ask()
}

// learn takes in a gap that had reached this level of the law.
func (p *promise) learn(reached float64) {
	for i := range p.shift {
		s := p.shift[i] - fall[i]
		if reached >= p.asked[i+1] {
			s += step[i]
		}
		if s < least {
			s = least
		}
		if s > most {
			s = most
		}
		p.shift[i] = s
	}
	p.ask()
}

func (p *promise) ask() {
	last := 0.0
	for i, s := range p.shift {
		ask := float64(i+1) + s
		if ask < last+minSlope {
			ask = last + minSlope
		}
		p.asked[i+1] = ask
		last = ask
	}
}

// ofLaw returns what to ask of the law for a level.
func (p *promise) ofLaw(phi float64) float64 {
	if phi >= knots {
		return p.asked[knots] + (phi - knots)
	}
	i := int(phi)
	return p.asked[i] + (p.asked[i+1]-p.asked[i])*(phi-float64(i))
}

// kept is the inverse of ofLaw.
func (p *promise) kept(phi float64) float64 {
	if phi >= p.asked[knots] {
		return knots + (phi - p.asked[knots])
	}
	i := 0
	for phi >= p.asked[i+1] {
		i++
	}
	low, high := p.asked[i], p.asked[i+1]
	return float64(i) + min((phi-low)/(high-low), 1)
}
