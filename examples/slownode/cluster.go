package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"sync"
	"time"
)

// A cluster is the servers and what they share.
type cluster struct {
	servers    []*server
	byName     map[string]*server
	dependency *dependency
	client     *http.Client
}

func startCluster(n int, base, checkLimit time.Duration) (*cluster, error) {
	transport := &http.Transport{
		MaxIdleConnsPerHost: 256, // a connection for every search that waits
		IdleConnTimeout:     time.Minute,
		DisableCompression:  true,
	}
	c := &cluster{
		byName:     map[string]*server{},
		dependency: &dependency{limit: checkLimit},
		client:     &http.Client{Transport: transport},
	}
	for i := range n {
		s, err := startServer(fmt.Sprintf("search-%03d", i), base, c.dependency, cityOf(i))
		if err != nil {
			c.close()
			return nil, err
		}
		c.servers = append(c.servers, s)
		c.byName[s.name] = s
	}
	return c, nil
}

func (c *cluster) close() {
	for _, s := range c.servers {
		s.http.Close()
	}
	c.client.CloseIdleConnections()
}

func (c *cluster) names() []string {
	names := make([]string, len(c.servers))
	for i, s := range c.servers {
		names[i] = s.name
	}
	return names
}

func (c *cluster) setStragglers(share float64) {
	for _, s := range c.servers {
		s.stragglers.Store(math.Float64bits(share))
	}
}

// get returns an error unless the answer is 200. It reads all of it, so that the
// connection is used again.
func (c *cluster) get(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, response.Status)
	}
	return body, err
}

// failing asks every server for its deep check, and returns who fails it.
func (c *cluster) failing(ctx context.Context) map[string]bool {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var mu sync.Mutex
	failing := map[string]bool{}
	var wg sync.WaitGroup
	for _, s := range c.servers {
		wg.Go(func() {
			if _, err := c.get(ctx, s.url+"/ready"); err != nil {
				mu.Lock()
				failing[s.name] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return failing
}
