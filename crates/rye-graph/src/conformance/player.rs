//! A driver without a world: time passes when nothing else happens, and steps end as they are told.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};

use super::Outcome;
use crate::{Answer, Applied, Command, Event, QuestionKind, StepId, TimerId, TimerKind, Walker};

/// Plays a walk to its end.
#[derive(Debug)]
pub struct Player<O> {
    outcome: O,
    events: VecDeque<Event>,
    timers: Vec<(Duration, TimerId)>,
    now: Duration,
    trace: Vec<String>,
}

impl<O: FnMut(&StepId, &Value) -> Outcome> Player<O> {
    /// A player whose steps end as `outcome` says for their names and parameters.
    pub fn new(outcome: O) -> Self {
        Self { outcome, events: VecDeque::new(), timers: Vec::new(), now: Duration::ZERO, trace: Vec::new() }
    }

    /// Plays a walk, and gives its trace. Before and after each event, `between` may put another walker in the place of
    /// the one that there is.
    ///
    /// # Panics
    /// If the walker ignores what it has asked for: that is a mistake of the walker.
    pub fn play(mut self, mut walker: Walker, mut between: impl FnMut(Walker) -> Walker) -> Vec<String> {
        loop {
            walker = between(walker);
            for command in walker.commands() {
                self.carry_out(&command);
            }
            walker = between(walker);
            let Some(event) = self.next_event(&walker) else { return self.trace };
            assert_eq!(walker.apply(event.clone()), Applied::Taken, "{event:?}");
        }
    }

    fn next_event(&mut self, walker: &Walker) -> Option<Event> {
        if walker.finish().is_some() {
            return None;
        }
        if let Some(event) = self.events.pop_front() {
            return Some(event);
        }
        let first = (0..self.timers.len()).min_by_key(|&index| self.timers[index].0);
        let Some(first) = first else {
            self.trace.push("waits".to_owned());
            return None;
        };
        let (due, timer) = self.timers.remove(first);
        self.now = due;
        self.trace.push(format!("time {}", self.now.as_millis()));
        Some(Event::TimerFired { timer })
    }

    fn carry_out(&mut self, command: &Command) {
        self.trace.extend(line(command));
        match command {
            Command::StartStep(start) => {
                let outcome = (self.outcome)(&start.step, &start.params);
                self.end_step(start.step.clone(), outcome);
            }
            Command::CancelStep { step } => self.events.retain(|event| step_of(event) != Some(step)),
            Command::StartTimer { timer, after, jitter: _ } => {
                self.timers.push((self.now + *after, timer.clone()));
            }
            Command::CancelTimer { timer } => self.timers.retain(|(_, known)| known != timer),
            Command::Ask(question) => {
                let answer = answer(&question.kind, (self.outcome)(&question.step, &Value::Null));
                self.events
                    .extend(answer.map(|answer| Event::Answered { step: question.step.clone(), answer }));
            }
            Command::CancelQuestion { step } => self.events.retain(|event| step_of(event) != Some(step)),
            Command::Finish(_) => {}
        }
    }

    fn end_step(&mut self, step: StepId, outcome: Outcome) {
        let failure = outcome.failure();
        self.events.extend(match (outcome, failure) {
            (_, Some(failure)) => Some(Event::StepFailed { step, failure }),
            (Outcome::Gives(result), _) => Some(Event::StepSucceeded { step, result }),
            (Outcome::Interrupted | Outcome::InterruptedThen(_), _) => Some(Event::StepInterrupted { step }),
            _ => None,
        });
    }
}

/// A command as a line of a trace. Taking back a timer is none, because a driver may do it when it likes.
#[must_use]
pub fn line(command: &Command) -> Option<String> {
    let timer_word = |kind: TimerKind| match kind {
        TimerKind::Timeout => "timeout",
        TimerKind::Backoff => "backoff",
    };
    Some(match command {
        Command::StartStep(start) => format!("start {} {} {}", start.step, start.item_id, start.params),
        Command::CancelStep { step } => format!("cancel {step}"),
        Command::StartTimer { timer, after, jitter } => {
            let jitter = if jitter.is_zero() { String::new() } else { format!(" +{}", jitter.as_millis()) };
            format!("timer {} {} {}{jitter}", timer_word(timer.kind), timer.step, after.as_millis())
        }
        Command::CancelTimer { .. } => return None,
        Command::Ask(question) => match &question.kind {
            QuestionKind::Approval { message } => format!("ask {} {message:?}", question.step),
            QuestionKind::Interrupted => format!("ask {} interrupted", question.step),
        },
        Command::CancelQuestion { step } => format!("forget {step}"),
        Command::Finish(finish) => format!("finish {}", json!(finish)),
    })
}

/// What a person says. An outcome that is meant for a step stands for the answer that is most like it.
fn answer(kind: &QuestionKind, outcome: Outcome) -> Option<Answer> {
    match (kind, outcome) {
        (QuestionKind::Approval { .. }, Outcome::Answered(answer))
        | (QuestionKind::Interrupted, Outcome::InterruptedThen(answer)) => Some(answer),
        (QuestionKind::Approval { .. }, Outcome::Hangs)
        | (QuestionKind::Interrupted, Outcome::Interrupted) => None,
        (QuestionKind::Approval { .. }, Outcome::Fails(comment) | Outcome::FailsForGood(comment)) => {
            Some(Answer::Reject { by: None, comment: Some(comment) })
        }
        (QuestionKind::Approval { .. }, _) => Some(Answer::Approve { by: None, comment: None }),
        (QuestionKind::Interrupted, _) => Some(Answer::Done { result: Value::Null }),
    }
}

fn step_of(event: &Event) -> Option<&StepId> {
    match event {
        Event::StepSucceeded { step, .. }
        | Event::StepFailed { step, .. }
        | Event::StepInterrupted { step }
        | Event::Answered { step, .. } => Some(step),
        Event::TimerFired { .. } | Event::Pause | Event::Resume | Event::Cancel { .. } => None,
    }
}
