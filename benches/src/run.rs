//! Running groups one after the other, and telling what they found.

use std::time::Instant;

use crate::arguments::Arguments;
use crate::group::Group;
use crate::report::{self, Findings, Machine, Report, Section};
use crate::{Effort, Result, identity};

/// Measures, prints each part and then the whole, and writes what is to be written.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut sections = Vec::new();
    for group in &arguments.groups {
        let section = measure(group, arguments.effort);
        if arguments.json {
            println!("{}", serde_json::to_string(&section)?);
            continue;
        }
        let mut done = vec![section];
        if group.depends_on_user && identity::is_root() {
            done.push(identity::measure_as_ordinary_user(group.name, arguments.effort)?);
        }
        // One group alone is the whole.
        if arguments.groups.len() > 1 {
            println!("{}", report::part(&done));
        }
        sections.extend(done);
    }
    if arguments.json {
        return Ok(());
    }
    println!("{}", report::whole(&sections));
    let failed = sections.iter().filter(|section| section.failure.is_some()).count();
    if let Some(folder) = arguments.into.as_deref().filter(|_| failed == 0) {
        report::write(&Report { effort: arguments.effort, machine: Machine::here(), sections }, folder)?;
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} groups failed").into()) }
}

/// Runs one group. One that fails does not take the others with it.
fn measure(group: &Group, effort: Effort) -> Section {
    let start = Instant::now();
    let (findings, failure) = match (group.measure)(effort) {
        Ok(findings) => (findings, None),
        Err(error) => (Findings::default(), Some(error.to_string())),
    };
    Section {
        group: group.name.to_owned(),
        user: identity::name().to_owned(),
        seconds: start.elapsed().as_secs_f64(),
        failure,
        findings,
    }
}
