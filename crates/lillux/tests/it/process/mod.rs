mod bad_input;
mod basics;
mod detached;
mod hostile;
mod lease;
mod limits;
mod live;
mod own_end;
mod promptness;
mod spare;
mod standby;

use lillux::process::{Mechanism, RunRequest};

/// Every mechanism that contains.
const CONTAINING: [Mechanism; 3] = Mechanism::STRONGEST_FIRST;

fn sh(script: &str) -> RunRequest {
    RunRequest::new("/bin/sh").args(["-c", script]).env("PATH", "/usr/bin:/bin")
}
