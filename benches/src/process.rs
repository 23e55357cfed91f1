//! Running a process, against `posix_spawn` and `waitpid`.

use std::time::Duration;

use lillux::process::{Mechanism, RunRequest, run};

use crate::comparison::{Comparison, Goal};
use crate::{Effort, floor};

pub(crate) fn compare(effort: Effort) -> Result<Vec<Comparison>, Box<dyn std::error::Error>> {
    let samples = match effort {
        Effort::Quick => 20,
        Effort::Full => 1500,
    };
    let millisecond = Goal::Plus(Duration::from_millis(1));
    let who = if rustix::process::geteuid().is_root() { "root" } else { "ordinary user" };
    [
        (Mechanism::ProcessGroup, Goal::Times(1.5)),
        (Mechanism::PidNamespace, millisecond),
        (Mechanism::Cgroup, millisecond),
        (Mechanism::Subreaper, millisecond),
    ]
    .into_iter()
    .filter_map(|(mechanism, goal)| {
        let request = RunRequest::new("/bin/true").containment([mechanism]);
        // What the kernel does not allow to this user cannot be measured, and is not in the table.
        run(&request).ok()?;
        Some(Comparison::measure(
            format!("run /bin/true as {who}, {}", mechanism.name()),
            samples,
            goal,
            &mut || Ok(run(&request).map(drop)?),
            &mut || floor::spawn_and_wait(c"/bin/true"),
        ))
    })
    .collect()
}
