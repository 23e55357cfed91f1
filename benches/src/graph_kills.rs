//! A graph whose process is killed a thousand times: every step has its effect once, and none that is done runs again.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use lillux::Digest;
use rye_graph::Event;
use rye_graph::driver::{GraphJournalErrorKind, GraphRuns};

use crate::execute::rye;
use crate::workshop::Workshop;
use crate::{Effort, Result};

/// A step that tells when it runs, and has its effect once for a key.
const EFFECT: &str = r#"version: "1.0.0"
tool_type: command
executor_id: rye/core/primitives/execute
description: Leaves a line
annotations: {idempotent: true}
config_schema: {type: object}
config:
  command: /bin/bash
  args:
    - "-c"
    - |
      echo "$RYE_STEP_ID" >> "$HOME/ran"
      case "$RYE_STEP_ID" in flaky*@1|flaky*@2|broken*) exit 7;; esac
      exec 9>>"$HOME/lock"; flock 9
      grep -qxF "$RYE_IDEMPOTENCY_KEY" "$HOME/effects" 2>/dev/null || echo "$RYE_IDEMPOTENCY_KEY" >> "$HOME/effects"
      echo 1
  timeout: 60
"#;

/// So many steps have an effect.
const EFFECTS: usize = 35;

pub(crate) fn report(effort: Effort) -> Result<String> {
    let wanted = if effort == Effort::Quick { 5 } else { 1_000 };
    let workshop = Workshop::new(&[("demo/effect.yaml", EFFECT.to_owned()), ("demo/forty.yaml", graph())])?;
    let mut bench = Bench { workshop, kills: 0, lives: 0, runs: 0, interrupted: 0 };
    let start = Instant::now();
    while bench.kills < wanted {
        bench.one_run()?;
    }
    Ok(format!(
        "{} kills in {} runs of 40 steps, {} s: every effect once, no step on record made again, none lost, {} steps marked as interrupted\n",
        bench.kills,
        bench.runs,
        start.elapsed().as_secs(),
        bench.interrupted
    ))
}

struct Bench {
    workshop: Workshop,
    kills: usize,
    lives: u64,
    runs: usize,
    interrupted: usize,
}

impl Bench {
    /// Runs the graph, and kills it again and again, until it is over.
    fn one_run(&mut self) -> Result<()> {
        for name in ["ran", "effects", "lock"] {
            let _ = std::fs::remove_file(self.workshop.path("home").join(name));
        }
        let folder = GraphRuns::new(self.workshop.path("project/.ai/state/graphs"));
        let before: HashSet<String> = ids(&folder)?.into_iter().collect();
        let (mut id, mut ran, mut done): (Option<String>, usize, Vec<String>) = (None, 0, Vec::new());
        loop {
            let status = match &id {
                None => self.life(&["graph", "run", "demo/forty"])?,
                Some(id) => self.life(&["graph", "resume", id])?,
            };
            self.kills += usize::from(status.signal() == Some(9));
            if id.is_none() {
                id = ids(&folder)?.into_iter().find(|id| !before.contains(id));
            }
            let Some(run) = &id else { continue };
            let journal = match folder.open(run) {
                // It was killed before it had begun.
                Err(error) if matches!(error.kind(), GraphJournalErrorKind::NeverBegan) => return Ok(()),
                opened => opened?,
            };
            let (mut now_done, mut interrupted) = (Vec::new(), 0);
            journal.history(&mut |past| {
                match past.event {
                    Some(Event::StepSucceeded { step, .. }) => now_done.push(step.call()),
                    Some(Event::StepInterrupted { .. }) => interrupted += 1,
                    _ => {}
                }
                true
            })?;
            let lines = self.lines("ran")?;
            let again = lines[ran..]
                .iter()
                .find(|line| done.iter().any(|call| line.starts_with(&format!("{call}@"))));
            if let Some(line) = again {
                return Err(format!("`{line}` was on record as done, and ran again").into());
            }
            if !now_done.starts_with(&done) {
                return Err("what was on record is gone".into());
            }
            (ran, done) = (lines.len(), now_done);
            if journal.status()?.is_over() {
                self.runs += 1;
                self.interrupted += interrupted;
                return self.check_end(&done);
            }
            if status.signal().is_none() {
                return Err(format!("the run stopped: {status}").into());
            }
        }
    }

    fn check_end(&self, done: &[String]) -> Result<()> {
        let effects = self.lines("effects")?;
        let distinct: HashSet<_> = effects.iter().collect();
        if effects.len() != EFFECTS || distinct.len() != EFFECTS || done.len() != EFFECTS {
            return Err(format!("{} effects, {} steps done", effects.len(), done.len()).into());
        }
        Ok(())
    }

    /// One life of the process, which may end before its time.
    #[expect(
        clippy::disallowed_methods,
        reason = "it is killed from outside, as nothing of ours would do it"
    )]
    fn life(&mut self, words: &[&str]) -> Result<ExitStatus> {
        self.lives += 1;
        let chance = Digest::of(&self.lives.to_ne_bytes());
        let spread = u64::from(u16::from_be_bytes([chance.as_bytes()[0], chance.as_bytes()[1]]));
        let arguments: Vec<OsString> = rye(words)?;
        let mut command = Command::new(&arguments[0]);
        command.args(&arguments[1..]).env_clear().envs(self.workshop.environment());
        command
            .current_dir(self.workshop.project())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn()?;
        let until = Instant::now() + Duration::from_micros(spread * 5);
        while Instant::now() < until {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        child.kill()?;
        Ok(child.wait()?)
    }

    fn lines(&self, name: &str) -> Result<Vec<String>> {
        match std::fs::read_to_string(self.workshop.path("home").join(name)) {
            Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }
}

fn ids(folder: &GraphRuns) -> Result<Vec<String>> {
    Ok(folder.list()?.into_iter().map(|run| run.id).collect())
}

/// A chain, a list, attempts that fail, and a way out of a failure.
fn graph() -> String {
    let mut text = "version: \"1.0.0\"\ntool_type: graph\nexecutor_id: rye/core/runtimes/state-graph/runtime\ndescription: x\n\
        permissions: {execute: [demo/*]}\nconfig:\n  start: n0\n  nodes:\n"
        .to_owned();
    let action = "action: {item_id: demo/effect}";
    for index in 0..12 {
        let next = if index == 11 { "list".to_owned() } else { format!("n{}", index + 1) };
        let _ = writeln!(text, "    n{index}: {{{action}, next: {next}}}");
        let next = if index == 11 { "done".to_owned() } else { format!("m{}", index + 1) };
        let _ = writeln!(text, "    m{index}: {{{action}, next: {next}}}");
    }
    let _ = writeln!(
        text,
        "    list: {{type: foreach, over: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], as: i, parallel: 4, {action}, next: flaky}}\n    \
        flaky: {{{action}, retry: {{max: 3, backoff: 10ms, jitter: 1}}, next: broken}}\n    \
        broken: {{{action}, on_error: m0, next: lost}}\n    lost: {{type: return, output: never}}\n    \
        done: {{type: return, output: done}}"
    );
    text
}
