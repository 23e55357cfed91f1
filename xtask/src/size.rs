//! How large the program is that people install.

use std::path::Path;

use crate::error::TaskError;
use crate::program::{Profile, Program, nothing_left};
use crate::workspace::Workspace;

/// What a release may weigh.
const LIMIT: u64 = 30_000_000;

/// Prints the size of a release, and refuses one that is over the limit.
pub(crate) fn check(workspace: &Workspace, args: &[String]) -> Result<(), TaskError> {
    let mut args = args.to_vec();
    let program = Program::take(&mut args, Profile::Release)?;
    nothing_left(&args)?;
    let path = program.path(workspace)?;
    let bytes = size(&path)?;
    println!("{} has {}", path.display(), megabytes(bytes));
    within(bytes)
}

fn size(path: &Path) -> Result<u64, TaskError> {
    let failed = |source| TaskError::File { action: "look at", path: path.to_path_buf(), source };
    Ok(std::fs::metadata(path).map_err(failed)?.len())
}

fn within(bytes: u64) -> Result<(), TaskError> {
    if bytes < LIMIT {
        return Ok(());
    }
    let violations = vec![format!("{} are not below {}", megabytes(bytes), megabytes(LIMIT))];
    Err(TaskError::Violations { check: "size", violations })
}

#[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_one() {
        within(LIMIT - 1).unwrap();
        let error = within(LIMIT).unwrap_err();
        assert_eq!(error.to_string(), "size: 1 found\n30.0 MB are not below 30.0 MB");
    }
}
