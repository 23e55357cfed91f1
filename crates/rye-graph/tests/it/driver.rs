//! The driver of this machine, held against the scenarios.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use lillux::CancelToken;
use rye_graph::conformance::{Outcome, Scenario, scenarios};
use rye_graph::driver::{
    Begin, Driver, GraphRuns, Loaded, Message, Patience, RunHeader, StepCall, StepOutcome, StepRunner, Stop,
    Told,
};
use rye_graph::{Answer, Graph, Question, QuestionKind, StartStep, StepFailure};
use serde_json::{Map, Value, json};

/// Steps that end as a scenario says.
struct Played<'s> {
    scenario: &'s Scenario,
    starts: Mutex<Vec<String>>,
    /// What stops the driver, which is how a step is interrupted.
    stop: CancelToken,
    has_stopped: AtomicBool,
    /// Whether steps that nothing has to be waited for are brief.
    brief: bool,
}

impl StepRunner for Played<'_> {
    fn run(&self, call: &StepCall, cancel: &CancelToken) -> StepOutcome {
        let StartStep { step, item_id, params, .. } = &call.start;
        self.starts.lock().unwrap().push(format!("start {step} {item_id} {params}"));
        let outcome = self.scenario.outcome(step, params);
        if let Some(failure) = outcome.failure() {
            return StepOutcome::Fails(failure);
        }
        match outcome {
            Outcome::Gives(result) => StepOutcome::Gives { result, cached: false },
            other => {
                if matches!(other, Outcome::Interrupted | Outcome::InterruptedThen(_)) {
                    self.has_stopped.store(true, Ordering::Relaxed);
                    self.stop.cancel();
                }
                while !cancel.is_cancelled() {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                let (code, message) = ("CANCELLED".to_owned(), "cancelled".to_owned());
                StepOutcome::Fails(StepFailure { code, message, retryable: false })
            }
        }
    }

    fn is_brief(&self, start: &StartStep) -> bool {
        let outcome = self.scenario.outcome(&start.step, &start.params);
        self.brief && (outcome.failure().is_some() || matches!(outcome, Outcome::Gives(_)))
    }

    fn may_repeat(&self, _: &StartStep) -> bool {
        false
    }
}

/// What a person says in a scenario.
fn answer(scenario: &Scenario, question: &Question) -> Option<Answer> {
    match (&question.kind, scenario.outcome(&question.step, &Value::Null)) {
        (_, Outcome::Answered(answer) | Outcome::InterruptedThen(answer)) => Some(answer),
        (QuestionKind::Approval { .. }, Outcome::Fails(comment)) => {
            Some(Answer::Reject { by: None, comment: Some(comment) })
        }
        (QuestionKind::Approval { .. }, Outcome::Gives(_)) => {
            Some(Answer::Approve { by: None, comment: None })
        }
        _ => None,
    }
}

/// Drives a scenario, and again whenever it was interrupted. Gives the steps that were started, and how it stopped.
fn drive(scenario: &Scenario, brief: bool) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let runs = GraphRuns::new(folder.path().join("graphs"));
    let graph = Graph::parse(&scenario.graph).unwrap();
    let header = RunHeader {
        id: "run".to_owned(),
        item: "tool:demo/graph".to_owned(),
        graph: graph.digest(),
        started: 0,
        node: None,
        key: None,
        ancestors: Vec::new(),
    };
    let begin = Begin { header, inputs: scenario.inputs.clone(), state: Map::new() };
    let mut loaded: Loaded = runs.begin(&graph, &begin, None).unwrap();
    let mut starts = Vec::new();
    loop {
        let stop = CancelToken::new().unwrap();
        let (starts_now, has_stopped) = (Mutex::default(), AtomicBool::new(false));
        let played = Played { scenario, starts: starts_now, stop: stop.clone(), has_stopped, brief };
        let driver = Driver { runner: &played, cancel: stop, patience: Patience::Stop };
        let stopped = driver
            .drive(loaded, &mut |told| {
                if let Told::Asked(question) = told
                    && let Some(answer) = answer(scenario, question)
                {
                    let message = Message::Answer { step: question.step.clone(), answer };
                    runs.open("run").unwrap().leave_message(&message).unwrap();
                }
            })
            .unwrap();
        // Steps have it too, and what ends them does not stop whoever has started the driver.
        assert_eq!(driver.cancel.is_cancelled(), played.has_stopped.load(Ordering::Relaxed));
        starts.extend(played.starts.into_inner().unwrap());
        match stopped {
            Stop::Finished(finish) => return (starts, format!("finish {}", json!(finish))),
            Stop::Interrupted => loaded = runs.open_to_drive("run").unwrap().load(&graph).unwrap(),
            Stop::Waiting(_) => return (starts, "waits".to_owned()),
            Stop::Paused => panic!("nobody has paused it"),
        }
    }
}

#[test]
fn every_scenario_comes_to_its_end() {
    std::thread::scope(|scope| {
        for (scenario, brief) in scenarios().into_iter().flat_map(|one| [(one.clone(), false), (one, true)]) {
            scope.spawn(move || {
                let (mut starts, end) = drive(&scenario, brief);
                let is_start = |line: &&String| line.starts_with("start ");
                let mut expected: Vec<_> = scenario.trace.iter().filter(is_start).cloned().collect();
                // Steps that are under way at the same time begin in any order.
                starts.sort_unstable();
                expected.sort_unstable();
                assert_eq!(starts, expected, "{}", scenario.about);
                assert_eq!(Some(&end), scenario.trace.last(), "{}", scenario.about);
            });
        }
    });
}
