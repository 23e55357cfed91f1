//! Who measures: the kernel allows root more than others.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use lillux::process::{Mechanism, RunRequest, run};

use crate::arguments::{JSON, QUICK};
use crate::report::Section;
use crate::{Effort, Result};

/// The user and group that belong to nobody in particular.
const NOBODY: &str = "65534";

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

pub(crate) fn name() -> &'static str {
    if is_root() { "root" } else { "an ordinary user" }
}

/// Runs one group in a process of an ordinary user.
pub(crate) fn measure_as_ordinary_user(group: &str, effort: Effort) -> Result<Section> {
    // Our own file may be in a folder that only root can enter.
    let folder = std::env::temp_dir().join(format!("rye-bench-{}", std::process::id()));
    fs::create_dir(&folder)?;
    let result = run_copy(&folder, group, effort);
    fs::remove_dir_all(&folder)?;
    result
}

fn run_copy(folder: &std::path::Path, group: &str, effort: Effort) -> Result<Section> {
    fs::set_permissions(folder, Permissions::from_mode(0o755))?;
    let program = folder.join("rye-bench");
    fs::copy(std::env::current_exe()?, &program)?;
    let mut request = RunRequest::new("setpriv")
        .args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".to_owned()])
        .args([program.into_os_string(), group.into(), JSON.into()])
        .envs(std::env::vars_os())
        .cwd("/")
        .containment([Mechanism::ProcessGroup]);
    if effort == Effort::Quick {
        request = request.args([QUICK]);
    }
    let outcome = run(&request)?;
    if outcome.ending.is_success() {
        return Ok(serde_json::from_slice(&outcome.stdout.bytes)?);
    }
    Err(format!(
        "as an ordinary user: {:?}: {}",
        outcome.ending,
        String::from_utf8_lossy(&outcome.stderr.bytes)
    )
    .into())
}
