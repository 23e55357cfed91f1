//! `lillux time`: what the clock says.

use lillux::clock::{Clock, SystemClock, Timestamp};
use serde_json::json;

use crate::answer::Answer;
use crate::cli::{TimeArgs, TimeCommand};
use crate::failure::Failure;

pub(crate) fn time(args: &TimeArgs) -> Result<Answer, Failure> {
    let now = SystemClock.now();
    match &args.command {
        TimeCommand::Now { unix: true } => Answer::yes(json!({ "unix": now.unix_seconds() })),
        TimeCommand::Now { unix: false } => Answer::yes(json!({ "time": now })),
        TimeCommand::Parse { text } => {
            let time = text.parse::<Timestamp>()?;
            Answer::yes(json!({ "time": time, "unix": time.unix_seconds() }))
        }
        TimeCommand::Since { text } => {
            let time = text.parse::<Timestamp>()?;
            let seconds = now.unix_seconds() - time.unix_seconds();
            Answer::new(json!({ "seconds": seconds, "future": time > now }), time <= now)
        }
    }
}
