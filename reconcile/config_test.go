package reconcile_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/reconcile"
)

func TestConfigErrors(t *testing.T) {
	keys := []string{"b", "a"}
	for _, c := range []struct {
		cfg  reconcile.Config
		want string
	}{
		{reconcile.Config{}, `reconcile: Keys is [], want at least one key, none of them empty or there twice`},
		{reconcile.Config{Keys: []string{"a", ""}}, `reconcile: Keys is ["" "a"], want at least one key, none of them empty or there twice`},
		{reconcile.Config{Keys: []string{"a", "b", "a"}}, `reconcile: Keys is ["a" "a" "b"], want at least one key, none of them empty or there twice`},
		{reconcile.Config{Keys: keys, Low: 1.1}, `reconcile: Low is 1.1, want a number above 0, at most 1`},
		{reconcile.Config{Keys: keys, Low: math.NaN()}, `reconcile: Low is NaN, want a number above 0, at most 1`},
		{reconcile.Config{Keys: keys, High: 0.9}, `reconcile: High is 0.9, want a finite number, at least 1`},
		{reconcile.Config{Keys: keys, High: math.Inf(1)}, `reconcile: High is +Inf, want a finite number, at least 1`},
		{reconcile.Config{Keys: keys, MaxAge: 24}, `reconcile: MaxAge is 24ns, want a duration from 1s to 1000 days`},
		{reconcile.Config{Keys: keys, MaxNothing: 1.5}, `reconcile: MaxNothing is 1.5, want a number above 0, at most 1`},
	} {
		checker, err := reconcile.New(c.cfg)
		assert.EqualError(t, err, c.want)
		assert.Nil(t, checker)
	}
	newChecker(t, reconcile.Config{Keys: keys, Low: 1, High: 1, MaxAge: time.Second, MaxNothing: 1})
	assert.Equal(t, []string{"b", "a"}, keys, "the caller's are left as they are")
}
