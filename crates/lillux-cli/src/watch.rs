//! `lillux watch`: files that change.

use std::path::Path;

use lillux::interrupt;
use lillux::watch::{Depth, Until, WatchEvent, WatchOutcome, WatchRequest, watch as watch_files};
use serde_json::{Value, json};

use crate::answer::{Answer, print_line};
use crate::cli::WatchArgs;
use crate::failure::Failure;
use crate::stdout::Reader;

/// Prints each event when it comes, and at the end why there are no more.
pub(crate) fn watch(args: WatchArgs) -> Result<Answer, Failure> {
    let interrupted =
        interrupt::cancel_on_interrupt().map_err(|error| Failure::io("watch for signals", &error))?;
    let forever = args.forever;
    let mut changes = 0_u64;
    let mut printed = Ok(Reader::Reads);
    let outcome = watch_files(&request(args), &interrupted, &mut |event| {
        changes += u64::from(event != WatchEvent::Ready);
        if matches!(printed, Ok(Reader::Reads)) {
            printed = print_line(&describe(&event));
        }
        // Without a reader there is nothing left to watch for.
        if !matches!(printed, Ok(Reader::Reads)) {
            interrupted.cancel();
        }
    })?;
    let (status, yes) = match (outcome, printed?) {
        (_, Reader::HasGone) => ("cancelled", true),
        (WatchOutcome::Satisfied, _) => ("satisfied", true),
        (WatchOutcome::TimedOut, _) => ("timed_out", false),
        // Who watches forever cannot end in another way.
        (WatchOutcome::Cancelled, _) => ("cancelled", forever),
    };
    Answer::new(json!({ "status": status, "changes": changes }), yes)
}

fn request(args: WatchArgs) -> WatchRequest {
    WatchRequest {
        paths: args.paths,
        depth: if args.recursive { Depth::Recursive } else { Depth::Shallow },
        timeout: args.timeout,
        until: match (args.forever, args.count) {
            (true, _) => Until::Forever,
            (false, Some(count)) => Until::Count(count),
            (false, None) => Until::First,
        },
    }
}

fn describe(event: &WatchEvent) -> Value {
    let at = |event: &str, path: &Path| json!({ "event": event, "path": path.to_string_lossy() });
    match event {
        WatchEvent::Ready => json!({ "event": "ready" }),
        WatchEvent::Created(path) => at("created", path),
        WatchEvent::Modified(path) => at("modified", path),
        WatchEvent::Removed(path) => at("removed", path),
        WatchEvent::Renamed { from, to } => {
            json!({ "event": "renamed", "from": from.to_string_lossy(), "to": to.to_string_lossy() })
        }
        WatchEvent::Overflowed => json!({ "event": "overflowed" }),
    }
}
