//! Running a process, against `posix_spawn` and `waitpid`.

use std::fmt::Write;
use std::time::Duration;

use lillux::process::{Mechanism, RunRequest, run};

use crate::comparison::{Comparison, Goal};
use crate::{Effort, Result, floor, table};

pub(crate) fn report(effort: Effort) -> Result<String> {
    let samples = match effort {
        Effort::Quick => 20,
        Effort::Full => 1500,
    };
    let millisecond = Goal::Plus(Duration::from_millis(1));
    let mut comparisons = Vec::new();
    let mut refused = String::new();
    for (mechanism, goal) in [
        (Mechanism::ProcessGroup, Goal::Times(1.5)),
        (Mechanism::PidNamespace, millisecond),
        (Mechanism::Cgroup, millisecond),
        (Mechanism::Subreaper, millisecond),
    ] {
        let request = RunRequest::new("/bin/true").containment([mechanism]);
        if let Err(error) = run(&request) {
            writeln!(refused, "not measured: {}", error.kind())?;
            continue;
        }
        comparisons.push(Comparison::measure(
            format!("run /bin/true, {}", mechanism.name()),
            samples,
            goal,
            &mut || Ok(run(&request).map(drop)?),
            &mut || floor::spawn_and_wait(c"/bin/true"),
        )?);
    }
    Ok(table::render(&comparisons) + &refused)
}
