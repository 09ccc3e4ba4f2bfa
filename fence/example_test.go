package fence_test

import (
	"fmt"
	"log"
	"sync"

	"example.com/liveness/fence"
)

// A register is a resource with a guard. The check and the write are one, since
// both are under its lock.
type register struct {
	mu    sync.Mutex
	guard fence.Guard
	value string
}

func (r *register) write(token fence.Token, value string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.guard.Check(token); err != nil {
		return err
	}
	r.value = value
	return nil
}

// What if a leader was deposed by mistake, and does not know? Its writes are
// refused, from the first one of its successor on.
func Example() {
	var issuer fence.Issuer
	var r register
	elect := func() fence.Token {
		token, err := issuer.Next()
		if err != nil {
			log.Fatal(err)
		}
		return token
	}

	anna := elect()
	fmt.Println("anna writes:", r.write(anna, "anna's"))
	bert := elect() // anna is silent: is she dead, or frozen?
	fmt.Println("bert writes:", r.write(bert, "bert's"))
	fmt.Println("anna writes:", r.write(anna, "anna's again")) // frozen
	fmt.Println("the value is", r.value)
	fmt.Println("refusals:", r.guard.Stats().Refusals)
	// Output:
	// anna writes: <nil>
	// bert writes: <nil>
	// anna writes: fence: token 1 is stale, 2 has been seen
	// the value is bert's
	// refusals: 1
}
