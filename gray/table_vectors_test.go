package gray_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/gray"
)

func TestVectorsTable(t *testing.T) {
	for _, v := range readVectors(t).ClientByServer {
		t.Run(v.ID, func(t *testing.T) {
			var cells []gray.Cell
			put := func(client, server string, latency time.Duration) {
				cells = append(cells, gray.Cell{Client: client, Server: server, Latency: latency})
			}
			if strings.HasPrefix(v.ID, "P") {
				// Every other store sees its fellows as healthy.
				for client, score := range v.Scores {
					put(client, "1", time.Duration(score)*ms)
					for _, server := range []string{"2", "3", "4"} {
						if server != client {
							put(client, server, ms)
						}
					}
				}
				table, err := gray.NewTable(gray.TableConfig{}, cells)
				require.NoError(t, err)
				slow := false
				for _, f := range table.Faults() {
					slow = slow || f.Kind == gray.FaultServer && f.Server == "1"
				}
				assert.Equal(t, v.Slow, slow, "%v", table)
				return
			}
			factor := map[string]func(c, s int) bool{
				"M1": func(c, s int) bool { return s == 2 },
				"M2": func(c, s int) bool { return c == 4 },
				"M4": func(c, s int) bool { return true },
				"M6": func(c, s int) bool { return s == 2 && c < 2 },
				"M8": func(c, s int) bool { return c < 3 && s >= 3 },
			}[v.ID]
			for c := range 6 {
				for s := range 6 {
					latency := 10 * ms
					if v.ID == "M5" {
						if c == 4 {
							latency *= 10
						}
						if s == 2 {
							latency *= 10
						}
					} else if factor(c, s) {
						latency *= 10
					}
					put(fmt.Sprint(c), fmt.Sprint(s), latency)
				}
			}
			table, err := gray.NewTable(gray.TableConfig{Limit: 50 * ms}, cells)
			require.NoError(t, err)
			var servers, clients []int
			var paths [][2]int
			all := false
			for _, f := range table.Faults() {
				c, _ := strconv.Atoi(f.Client)
				s, _ := strconv.Atoi(f.Server)
				switch f.Kind {
				case gray.FaultServer:
					servers = append(servers, s)
				case gray.FaultClient:
					clients = append(clients, c)
				case gray.FaultPath:
					paths = append(paths, [2]int{c, s})
				case gray.FaultAll:
					all = true
				default:
					t.Error(f)
				}
				assert.True(t, (f.Ratio >= 3 || f.Kind == gray.FaultAll) && f.Ratio <= math.MaxFloat64)
			}
			assert.ElementsMatch(t, v.Servers, servers, "%v", table)
			assert.ElementsMatch(t, v.Clients, clients, "%v", table)
			assert.ElementsMatch(t, v.Paths, paths, "%v", table)
			assert.Equal(t, v.Absolute, all, "%v", table)
		})
	}
}
