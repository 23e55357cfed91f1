//! Runs whose process is killed, wherever it is.

use std::collections::HashSet;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;
use std::time::Duration;

use lillux::Digest;
use rye_graph::Finish;
use rye_graph::driver::{Failpoint, ListedRun, RunStatus};
use serde_json::json;

use super::yard::{FORTY_STEPS, Yard};

const KILLED: Option<i32> = Some(9);

/// What has to hold between any two lives of a run.
struct Watch<'y> {
    yard: &'y Yard,
    run: String,
    /// How many lines there were, and what was on record then.
    ran: usize,
    done: Vec<String>,
}

impl<'y> Watch<'y> {
    fn new(yard: &'y Yard, run: String) -> Self {
        Self { yard, run, ran: 0, done: Vec::new() }
    }

    fn check(&mut self) {
        let (ran, done) = (self.yard.lines("ran"), self.yard.done(&self.run));
        assert!(done.starts_with(&self.done), "what is on record stays: {done:?}");
        let was_done: HashSet<_> = self.done.iter().collect();
        for line in &ran[self.ran..] {
            let call = line.rsplit_once('@').unwrap().0.to_owned();
            assert!(!was_done.contains(&call), "`{line}` was on record as done, and ran again");
        }
        let distinct: HashSet<_> = done.iter().collect();
        assert_eq!(distinct.len(), done.len(), "no call is done twice: {done:?}");
        (self.ran, self.done) = (ran.len(), done);
    }

    /// The run is over: every step has had its effect, once.
    fn check_end(&mut self) {
        self.check();
        assert_eq!(self.yard.last().status, RunStatus::Completed);
        let mut expected: Vec<_> = (0..13).flat_map(|i| [format!("n{i}#1"), format!("m{i}#1")]).collect();
        expected.extend((0..10).map(|i| format!("list#1[{i}]")));
        expected.push("flaky#1".to_owned());
        expected.sort_unstable();
        let mut effects = self.yard.lines("effects");
        effects.sort_unstable();
        let keys: Vec<_> = expected.iter().map(|call| format!("{}/{call}", self.run)).collect();
        assert_eq!(effects, keys);
        let mut done = self.done.clone();
        done.sort_unstable();
        assert_eq!(done, expected);
        let finish = self.yard.runs().open(&self.run).unwrap().finish().unwrap();
        let output = json!({ "all": vec![json!({"ok": true}); 10], "error": "broken" });
        assert_eq!(finish, Some(Finish::Completed { output }));
        for name in ["ran", "effects", "lock"] {
            std::fs::remove_file(self.yard.shop.space.path("home").join(name)).unwrap();
        }
    }
}

/// The run that was begun last, if one was: the process may have been killed before.
fn begun(yard: &Yard, before: usize) -> Option<String> {
    let runs = yard.runs().list().unwrap();
    let ListedRun { id, summary } = runs.into_iter().next()?;
    if summary.is_err() {
        // It never began, so nothing of it has happened.
        assert!(yard.lines("ran").is_empty());
        return None;
    }
    (yard.runs().list().unwrap().len() > before).then_some(id)
}

#[test]
fn a_run_goes_on_wherever_it_was_killed() {
    let yard = Yard::new();
    yard.shop.signed("demo/forty", "yaml", FORTY_STEPS);
    let (mut kills, mut lives) = (0, 0_u64);
    while kills < 30 {
        let before = yard.runs().list().unwrap().len();
        let mut watch: Option<Watch<'_>> = None;
        loop {
            let args = match &watch {
                None => vec!["graph".to_owned(), "run".to_owned(), "demo/forty".to_owned()],
                Some(watch) => vec!["graph".to_owned(), "resume".to_owned(), watch.run.clone()],
            };
            let mut command = yard.shop.space.rye(args).command();
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            lives += 1;
            // Spread over the time that a run takes, the same in every run of the test.
            let chance = Digest::of(&lives.to_ne_bytes());
            let spread = u64::from(u16::from_be_bytes([chance.as_bytes()[0], chance.as_bytes()[1]]));
            let life = Duration::from_micros(spread * 10);
            let status = wait(&mut child, life);
            if watch.is_none() {
                watch = begun(&yard, before).map(|run| Watch::new(&yard, run));
            }
            let Some(watch) = &mut watch else { continue };
            if status.signal() == KILLED {
                kills += 1;
                watch.check();
            } else {
                assert!(status.success(), "{status}");
            }
            if yard.runs().summary(&watch.run).unwrap().status.is_over() {
                watch.check_end();
                break;
            }
        }
    }
}

/// Gives a process some time, and kills it then.
fn wait(child: &mut std::process::Child, life: Duration) -> std::process::ExitStatus {
    let until = std::time::Instant::now() + life;
    while std::time::Instant::now() < until {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap()
}

#[test]
fn a_run_goes_on_from_every_place_of_the_journal() {
    let yard = Yard::new();
    yard.shop.signed("demo/forty", "yaml", FORTY_STEPS);
    for place in Failpoint::names().filter(|name| !name.ends_with("-snapshot")) {
        let counts: &[u32] =
            if matches!(place, "in-begin" | "after-end") { &[1] } else { &[1, 2, 14, 19, 30] };
        for count in counts {
            let failpoint = format!("{place}:{count}");
            let before = yard.runs().list().unwrap().len();
            let call = yard.rye(["graph", "run", "demo/forty"]).set("RYE_GRAPH_FAILPOINT", &failpoint);
            assert_eq!(call.output().status.signal(), KILLED, "{failpoint}");
            let Some(run) = begun(&yard, before) else {
                assert_eq!(place, "in-begin");
                let id = yard.runs().list().unwrap()[0].id.clone();
                let output = yard.rye(["graph", "resume", &id]).output();
                assert_eq!(output.status.code(), Some(3), "{output:?}");
                std::fs::remove_file(yard.runs().folder().join(format!("{id}.sqlite3"))).unwrap();
                continue;
            };
            let mut watch = Watch::new(&yard, run.clone());
            watch.check();
            if place != "after-end" {
                // It is killed at the same place once more, and then goes on to its end.
                let call =
                    yard.rye(["graph", "resume", &run]).set("RYE_GRAPH_FAILPOINT", format!("{place}:2"));
                assert_eq!(call.output().status.signal(), KILLED, "{failpoint}");
                watch.check();
                let output = yard.rye(["graph", "resume", &run]).output();
                assert!(output.status.success(), "{failpoint}: {output:?}");
            }
            watch.check_end();
        }
    }
}

#[test]
fn a_snapshot_that_is_cut_off_is_none() {
    let yard = Yard::new();
    let body = "  start: many\n  nodes:\n    many:\n      type: foreach\n      over: ${inputs.list}\n      as: i\n      \
        parallel: 1\n      action: {item_type: directive, item_id: say, params: {who: '${i}'}}\n      collect: all\n      next: done\n    \
        done: {type: return, output: '${state.all}'}\n";
    yard.graph("demo/many", "\"directive:say\"", body);
    let list: Vec<_> = (0..700).collect();
    let params = json!({ "list": list }).to_string();
    let expected: Vec<_> = list.iter().map(|i| format!("Hello {i}")).collect();
    for failpoint in ["in-snapshot:1", "after-snapshot:1", "in-snapshot:2", "after-snapshot:2"] {
        let call = yard.rye(["graph", "run", "demo/many", "--params", &params]);
        let output = call.set("RYE_GRAPH_FAILPOINT", failpoint).output();
        assert_eq!(output.status.signal(), KILLED, "{failpoint} {output:?}");
        let run = yard.last().header.id;
        let done = yard.done(&run).len();
        assert!(done >= 255, "{failpoint}: {done}");
        let answer = yard.rye(["graph", "resume", &run]).json();
        assert!(answer["output"] == json!(expected), "{failpoint}");
        assert_eq!(yard.done(&run).len(), 700);
    }
}
