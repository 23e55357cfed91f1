//! What follows from the answer of a spare.

use lillux::CancelToken;
use lillux::process::spare::{Answer, Verdict};

use super::cold_reason::ColdReason;

/// Why the job has not begun, if it has not, and what that says about others of the same kind.
pub(super) fn judge(answer: Answer, cancel: Option<&CancelToken>) -> Result<(), (Verdict, ColdReason)> {
    match answer {
        Answer::Taken => Ok(()),
        // It is the caller who had no patience.
        Answer::Silent if cancel.is_some_and(CancelToken::is_cancelled) => {
            Err((Verdict::Declined, ColdReason::Silent))
        }
        Answer::Declined(why) => Err(match why.strip_prefix('!') {
            None => (Verdict::Declined, ColdReason::Declined { why }),
            Some(why) => (Verdict::Unfit, ColdReason::Declined { why: why.trim().to_owned() }),
        }),
        Answer::Nonsense => Err((Verdict::Unfit, ColdReason::Nonsense)),
        Answer::Silent => Err((Verdict::Unfit, ColdReason::Silent)),
    }
}
