package failsafe_test

import (
	"context"
	"fmt"
	"log"

	"example.com/liveness/hedge"
	"example.com/liveness/integrations/failsafe"
)

// How do I hedge requests between servers, and still learn which one is slow?
func ExampleDo() {
	h, err := hedge.New(hedge.Config{ExtraLoad: 0.05})
	if err != nil {
		log.Fatal(err)
	}
	send := func(ctx context.Context, server string) (string, error) {
		if server == "slow" && h.Stats().Requests > 100 {
			<-ctx.Done()
			return "", ctx.Err()
		}
		return "answer of " + server, nil
	}
	for range 100 { // to learn from
		if _, err := failsafe.Do(context.Background(), h, []string{"slow", "other"}, send, nil); err != nil {
			log.Fatal(err)
		}
	}
	answer, err := failsafe.Do(context.Background(), h, []string{"slow", "other"}, send, func(l hedge.Loss) {
		fmt.Println("masked failure of", l.Server)
	})
	fmt.Println(answer, err)
	// Output:
	// masked failure of slow
	// answer of other <nil>
}
