//! What a driver can be tested with.
