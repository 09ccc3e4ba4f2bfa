package reconcile_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/reconcile"
)

// The decisions of etcd's check of hashes, as published, see package gray.
func TestVectorsDataValidation(t *testing.T) {
	data, err := os.ReadFile("../gray/testdata/outlier.json")
	require.NoError(t, err)
	var vectors struct {
		DataValidation []struct {
			ID     string
			Hashes map[string]*int
			Blamed []any // 0 stands for the whole cluster
		} `json:"data_validation"`
	}
	require.NoError(t, json.Unmarshal(data, &vectors))
	require.Len(t, vectors.DataValidation, 3)
	for _, v := range vectors.DataValidation {
		t.Run(v.ID, func(t *testing.T) {
			hashes, silent := map[string]int{}, []string(nil)
			for name, hash := range v.Hashes {
				if hash == nil {
					silent = append(silent, name)
				} else {
					hashes[name] = *hash
				}
			}
			got := reconcile.Compare(hashes, silent...)
			blamed := []any{}
			for _, name := range got.Blamed {
				blamed = append(blamed, name)
			}
			if got.Split {
				blamed = append(blamed, 0.)
			}
			assert.Equal(t, v.Blamed, blamed)
			assert.Equal(t, len(silent) == 0, got.Checked)
		})
	}
}

func TestCompare(t *testing.T) {
	type hashes = map[string]string
	for name, c := range map[string]struct {
		digests hashes
		silent  []string
		want    reconcile.Vote
	}{
		"nobody":                          {nil, nil, reconcile.Vote{}},
		"one":                             {hashes{"a": "1"}, nil, reconcile.Vote{Checked: true}},
		"all the same":                    {hashes{"a": "1", "b": "1"}, nil, reconcile.Vote{Checked: true}},
		"one against one":                 {hashes{"a": "1", "b": "2"}, nil, reconcile.Vote{Split: true, Checked: true}},
		"half is no majority":             {hashes{"a": "1", "b": "1", "c": "2", "d": "3"}, nil, reconcile.Vote{Split: true, Checked: true}},
		"two against three":               {hashes{"a": "1", "b": "2", "c": "1", "d": "2", "e": "2"}, nil, reconcile.Vote{Blamed: []string{"a", "c"}, Checked: true}},
		"the silent count among all":      {hashes{"a": "1", "b": "1", "c": "2"}, []string{"d"}, reconcile.Vote{Split: true}},
		"a majority in spite of silence":  {hashes{"a": "1", "b": "1", "c": "2", "e": "1"}, []string{"d"}, reconcile.Vote{Blamed: []string{"c"}}},
		"silence is no difference":        {hashes{"a": "1"}, []string{"b", "c"}, reconcile.Vote{}},
		"who was heard is not silent":     {hashes{"a": "1", "b": "1"}, []string{"a"}, reconcile.Vote{Checked: true}},
		"who is silent twice is so once":  {hashes{"a": "1", "b": "1", "c": "2"}, []string{"d", "d"}, reconcile.Vote{Split: true}},
		"nothing is said, which is equal": {hashes{"a": "", "b": ""}, nil, reconcile.Vote{Checked: true}},
	} {
		assert.Equal(t, c.want, reconcile.Compare(c.digests, c.silent...), name)
	}
}
