package reconcile

import "time"

// A Run is what one run of a job brought. It is plain data, to be stored, as JSON
// for example, and to be compared with in a week.
type Run struct {
	// Day is any instant of the day that the run is for. The date that it
	// shows, in its own location, is what tells days apart.
	Day time.Time

	// Parts are by key.
	Parts map[string]Part
}

// A Part is what a run brought under one key.
type Part struct {
	Count  int              // records
	Newest time.Time        // when the newest of them is from; zero if nobody said
	Fields map[string]Field // by name, of those that were counted
}

// A Field counts the values of one field.
type Field struct {
	Values  int // all
	Nothing int // those that could not be used, and became nothing
}
