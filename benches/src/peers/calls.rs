//! Executing tools, by the command line and in the server, and what the server needs for it.

use std::ffi::OsString;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::Sides;
use super::client::Client;
use super::deadline::{Deadline, end};
use super::side::{PATIENCE, Side, Surroundings};
use super::tools::{self, BARE_FUNCTION, GREETING, NAP_COMMAND, SHELL_COMMAND};
use super::turns::{BETTER, Rounds, Turns};
use crate::report::{Bound, Figure, Findings, Row, Unit};
use crate::{Effort, Result, memory};

/// What was promised of memory.
const QUARTER: Bound = Bound::TimesOther(0.25);

/// How many calls are made at once.
const TOGETHER: usize = 50;

/// How long a server is left alone before it is idle.
const REST: Duration = Duration::from_secs(1);

/// A tool, what it answers, and the bare program that does the same.
struct Case {
    name: &'static str,
    id: &'static str,
    expect: &'static str,
    floor: &'static str,
    bare: [&'static str; 3],
    /// How often it is called in the server for a claim.
    calls: usize,
}

const CASES: [Case; 2] = [
    Case {
        name: "shell tool",
        id: "demo/hello",
        expect: GREETING,
        floor: "bare shell",
        bare: ["/bin/bash", "-c", SHELL_COMMAND],
        calls: 200,
    },
    Case {
        name: "Python function",
        id: "demo/fn",
        expect: r#""words":5"#,
        floor: "bare Python",
        bare: ["python3", "-c", BARE_FUNCTION],
        calls: 60,
    },
];

pub(crate) fn measure(effort: Effort, findings: &mut Findings) -> Result<()> {
    let sides = Sides::new(&tools::demo())?;
    sides.prepare(findings)?;
    let few = |full| Rounds::new(if effort == Effort::Quick { 2 } else { full });
    for case in &CASES {
        by_command_line(case, &sides, few(30), findings)?;
        in_server(case, &sides, few(case.calls), findings)?;
    }
    start(&sides, few(30), findings)?;
    together(&sides, few(10), findings)?;
    idle(&sides, findings)
}

fn by_command_line(case: &Case, sides: &Sides, rounds: Rounds, findings: &mut Findings) -> Result<()> {
    let turns = Turns {
        what: &format!("{} by CLI", case.name),
        peer_name: "ryeos",
        rounds,
        ours: &mut || sides.ours.execute(case.id, case.expect),
        peer: &mut || sides.ryeos.execute(case.id, case.expect),
        floor: Some((case.floor, &mut || bare(case, &sides.ours))),
    };
    turns.measure(BETTER, findings)
}

fn in_server(case: &Case, sides: &Sides, rounds: Rounds, findings: &mut Findings) -> Result<()> {
    let (mut ours, mut ryeos) = (sides.ours.serve()?.0, sides.ryeos.serve().map(|(client, _)| client));
    let (ours_call, ryeos_call) = (sides.ours.execution(case.id), sides.ryeos.execution(case.id));
    let turns = Turns {
        what: &format!("{} in the server", case.name),
        peer_name: "ryeos",
        rounds,
        ours: &mut || ours.call(&ours_call, case.expect, PATIENCE),
        peer: &mut || there(&mut ryeos)?.call(&ryeos_call, case.expect, PATIENCE),
        floor: Some((case.floor, &mut || bare(case, &sides.ours))),
    };
    turns.measure(BETTER, findings)
}

/// From nothing to the first answer.
fn start(sides: &Sides, rounds: Rounds, findings: &mut Findings) -> Result<()> {
    let turns = Turns {
        what: "start of the server to first answer",
        peer_name: "ryeos",
        rounds,
        ours: &mut || sides.ours.serve().map(|(_, elapsed)| elapsed),
        peer: &mut || sides.ryeos.serve().map(|(_, elapsed)| elapsed),
        floor: None,
    };
    turns.measure(BETTER, findings)
}

/// Many calls at once, against as many bare programs at once.
fn together(sides: &Sides, rounds: Rounds, findings: &mut Findings) -> Result<()> {
    let (mut ours, mut ryeos) = (sides.ours.serve()?.0, sides.ryeos.serve().map(|(client, _)| client));
    let (ours_call, ryeos_call) = (sides.ours.execution("demo/nap"), sides.ryeos.execution("demo/nap"));
    let turns = Turns {
        what: &format!("{TOGETHER} parallel `sleep 0.1`"),
        peer_name: "ryeos",
        rounds,
        ours: &mut || ours.call_together(TOGETHER, &ours_call, GREETING, PATIENCE),
        peer: &mut || there(&mut ryeos)?.call_together(TOGETHER, &ryeos_call, GREETING, PATIENCE),
        floor: Some(("bare shells", &mut || bare_naps(sides.ours.surroundings()))),
    };
    turns.measure(BETTER, findings)
}

/// Memory before the first call, and some time after calls.
fn idle(sides: &Sides, findings: &mut Findings) -> Result<()> {
    let at_rest = |side: &Side, calls: &[Case]| -> Result<f64> {
        let (mut client, _) = side.serve()?;
        for case in calls {
            client.call(&side.execution(case.id), case.expect, PATIENCE)?;
        }
        std::thread::sleep(REST);
        memory::of_tree(client.pid())
    };
    for (what, calls, bound) in [
        ("idle memory of the server", &CASES[..0], QUARTER),
        ("memory after a shell tool", &CASES[..1], QUARTER),
        ("memory after a Python function too", &CASES[..], Bound::Open),
    ] {
        let ours = at_rest(&sides.ours, calls)?;
        match at_rest(&sides.ryeos, calls) {
            Ok(peer) => {
                findings
                    .push(Figure::new(format!("{what} / ryeos"), ours, Unit::Megabytes, bound).against(peer));
            }
            Err(error) => findings.push(Row::absent(format!("{what} / ryeos"), error.to_string())),
        }
    }
    Ok(())
}

/// The server, if it has started.
fn there(client: &mut Result<Client>) -> Result<&mut Client> {
    client.as_mut().map_err(|error| error.to_string().into())
}

fn bare(case: &Case, side: &Side) -> Result<Duration> {
    Ok(side.run(&case.bare.map(OsString::from), PATIENCE)?.elapsed)
}

#[expect(clippy::disallowed_methods, reason = "the floor is what anybody would start")]
fn bare_naps(surroundings: &Surroundings) -> Result<Duration> {
    let mut command = Command::new("/bin/bash");
    command.args(["-c", NAP_COMMAND]).env_clear().envs(surroundings.environment.iter().cloned());
    command.current_dir(&surroundings.folder).stdin(Stdio::null()).stdout(Stdio::null());
    let start = Instant::now();
    let mut children: Vec<Child> = Vec::new();
    let mut started = Ok(());
    while children.len() < TOGETHER && started.is_ok() {
        started = command.spawn().map(|child| children.push(child));
    }
    let deadline = Deadline::after(PATIENCE);
    let ended = children.iter().try_for_each(|child| deadline.ended(child));
    let elapsed = start.elapsed();
    children.iter_mut().for_each(end);
    started?;
    ended.map(|()| elapsed)
}
