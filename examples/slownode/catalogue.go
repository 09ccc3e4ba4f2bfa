package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"example.com/liveness/reconcile"
)

// cities are what the nightly run must bring. Each is on one server, and the
// other servers have none: so an empty list is nothing unusual.
var cities = []string{
	"Bergen", "Cork", "Dakar", "Ghent", "Hobart", "Izmir", "Kyoto", "Lima", "Malmö", "Porto", "Quito", "Riga",
}

// A city is where the offers of a server are from; the zero value is none.
type city struct {
	name string
	size int // how many
}

func cityOf(server int) city {
	if server >= len(cities) {
		return city{}
	}
	return city{cities[server], 300 + 70*server}
}

// An offer is a line of the catalogue.
type offer struct {
	City    string    `json:"city"`
	Price   string    `json:"price"`
	Updated time.Time `json:"updated"`
}

func (c city) offers() []offer {
	offers := make([]offer, c.size)
	for i := range offers {
		offers[i] = offer{c.name, fmt.Sprintf("%d.50", 10+i%90), time.Now().Add(-time.Hour)}
	}
	return offers
}

// nightly gathers the offers of all servers, and notes what it gets. It is as
// most such jobs are: an answer is a success, whatever is in it.
func nightly(ctx context.Context, c *cluster, rec *reconcile.Recorder) (offers int, err error) {
	for _, s := range c.servers {
		body, err := c.get(ctx, s.url+"/offers")
		if err != nil {
			return offers, err
		}
		var got []offer
		if err := json.Unmarshal(body, &got); err != nil {
			return offers, fmt.Errorf("%s: %w", s.name, err)
		}
		for _, o := range got {
			part := rec.Part(o.City)
			price, err := strconv.ParseFloat(o.Price, 64)
			if reconcile.Coerce(part, "price", price, err) > 0 {
				offers++
			}
			part.Record(o.Updated)
		}
	}
	return offers, nil
}
