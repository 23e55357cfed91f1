//! Running a process, against `posix_spawn` and `waitpid`.

use std::time::Duration;

use lillux::process::{Mechanism, RunRequest, run};

use crate::comparison::{Comparison, Goal};
use crate::report::{Findings, Row};
use crate::{Effort, Result, floor};

pub(crate) fn measure(effort: Effort) -> Result<Findings> {
    let samples = match effort {
        Effort::Quick => 20,
        Effort::Full => 1500,
    };
    let millisecond = Goal::Plus(Duration::from_millis(1));
    let mut findings = Findings::default();
    for (mechanism, goal) in [
        (Mechanism::ProcessGroup, Goal::Times(1.5)),
        (Mechanism::PidNamespace, millisecond),
        (Mechanism::Cgroup, millisecond),
        (Mechanism::Subreaper, millisecond),
    ] {
        let request = RunRequest::new("/bin/true").containment([mechanism]);
        let what = format!("run /bin/true, {} / posix_spawn", mechanism.name());
        if let Err(error) = run(&request) {
            findings.rows.push(Row::absent(what, error.kind().to_string()));
            continue;
        }
        findings.push(Comparison::measure(
            what,
            samples,
            goal,
            &mut || Ok(run(&request).map(drop)?),
            &mut || floor::spawn_and_wait(c"/bin/true"),
        )?);
    }
    Ok(findings)
}
