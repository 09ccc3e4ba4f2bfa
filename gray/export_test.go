package gray

// Jitter is for a published vector.
var Jitter = jitter
