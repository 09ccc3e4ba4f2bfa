package fence_test

import (
	"fmt"
	"log"

	"example.com/liveness/fence"
)

// What if a leader was deposed by mistake, and does not know? Its writes are
// refused, from the first one of its successor on.
func Example() {
	var issuer fence.Issuer // where leaders are elected
	elect := func() fence.Token {
		token, err := issuer.Next()
		if err != nil {
			log.Fatal(err)
		}
		return token
	}
	var guard fence.Guard // at the resource
	var value string
	write := func(token fence.Token, v string) error {
		return guard.Do(token, func() error {
			value = v
			return nil
		})
	}

	anna := elect()
	fmt.Println("anna writes:", write(anna, "anna's"))
	bert := elect() // anna is silent: is she dead, or frozen?
	fmt.Println("bert writes:", write(bert, "bert's"))
	fmt.Println("anna writes:", write(anna, "anna's again")) // she was frozen
	fmt.Println("the value is", value)
	fmt.Println("refusals:", guard.Stats().Refusals)
	// Output:
	// anna writes: <nil>
	// bert writes: <nil>
	// anna writes: fence: token 1 is stale, 2 has been seen
	// the value is bert's
	// refusals: 1
}
