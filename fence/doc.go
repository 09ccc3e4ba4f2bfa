// Package fence keeps those who were deposed from writing.
//
// A leader that was frozen, and wakes after another has taken its place, does
// not know it. Whatever it asks before it writes, it may be frozen again between
// the answer and the write. So not the leader has to know, but the resource:
//
//   - Whoever becomes leader is given a [Token] by an [Issuer], larger than all
//     before, and shows it with every request.
//   - A [Guard] at the resource refuses a token once it has seen a larger one.
//
// Then a detector may be wrong and do no harm: it deposes a leader that is alive,
// and the leader's late write is refused. The program examples/fencing shows that
// with a real process.
//
// # What it takes
//
// The check and the write must be one. [Guard.Do] makes them so for what this
// process holds. Where the data are in a database, no guard outside of it can:
// keep the largest token beside them, and let the write itself compare, in one
// statement or transaction that fails unless it changed a row:
//
//	UPDATE registers SET value = $2, token = $1 WHERE id = $3 AND token <= $1
//
// And the resource must see the new token before it is safe from the old one: a
// new leader should write, or show its token ([Guard.Admit]), before it relies on
// being alone.
//
// Tokens are as good as their order. An Issuer lives in one process; across
// restarts, or where several may give out tokens, take them from what has one
// order for all: the revision of an etcd key, the zxid of ZooKeeper, a sequence
// of a database. Any number that only grows is a Token.
package fence
