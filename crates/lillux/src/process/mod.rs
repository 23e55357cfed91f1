//! Running processes so that nothing they start outlives them.
