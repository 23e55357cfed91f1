//! Driving a run: what the walker says is done, and what has happened is written down before the walker goes on.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use lillux::CancelToken;

use super::effects::Effects;
use super::failpoint::Place;
use super::journal::Row;
use super::threads::{Ended, Threads};
use super::timers::{self, Timers, now};
use super::{
    ElementsDone, GraphJournalError, GraphJournalErrorKind as Kind, Loaded, Message, Patience, RunJournal,
    RunStatus, StepCall, StepEnd, StepOutcome, StepRunner, Stop, Told,
};
use crate::{Answer, Applied, Command, Event, OnInterrupt, StartStep, StepId, TimerKind, Walker};

/// What drives runs.
#[derive(Clone)]
pub struct Driver<'r> {
    /// What makes the steps.
    pub runner: &'r dyn StepRunner,
    /// What stops the driver. The run can go on later.
    pub cancel: CancelToken,
    /// What it does when a person has to answer.
    pub patience: Patience,
}

/// How often the driver looks up from its work.
const TICK: Duration = Duration::from_millis(25);

struct Drive<'d, 's, 'e, 'r> {
    driver: &'d Driver<'r>,
    journal: RunJournal,
    walker: Walker,
    timers: Timers,
    threads: Threads<'s, 'e, 'r>,
    ended: Receiver<Ended>,
    tell: &'d mut dyn FnMut(&Told),
    /// Steps that have ended, of which nobody is told until it is on record.
    untold: Vec<Told>,
    /// The steps that are under way, and what cancels each; nothing for a brief one, which is over when anybody could.
    running: HashMap<StepId, Option<CancelToken>>,
    /// Steps that are not wanted any more, and are still there.
    ending: HashSet<StepId>,
    /// Steps that start when those are gone.
    deferred: VecDeque<StartStep>,
    looked: Instant,
    status: RunStatus,
    deadline: Option<Instant>,
}

impl std::fmt::Debug for Driver<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").field("patience", &self.patience).finish_non_exhaustive()
    }
}

impl Driver<'_> {
    /// Drives a run until it is over, or there is nothing to be done for now. What it tells has happened and is on record.
    ///
    /// # Errors
    /// If the journal cannot be written. Everything that is in it counts, and the run can go on later.
    pub fn drive(&self, run: Loaded, tell: &mut dyn FnMut(&Told)) -> Result<Stop, GraphJournalError> {
        let Loaded { journal, walker, timers, pending } = run;
        std::thread::scope(|scope| {
            let (threads, ended) = Threads::new(scope, self.runner);
            let now = Instant::now();
            let mut drive = Drive {
                driver: self,
                deadline: walker.graph().timeout().and_then(|timeout| now.checked_add(timeout)),
                journal,
                walker,
                timers,
                threads,
                ended,
                tell,
                untold: Vec::new(),
                running: HashMap::new(),
                ending: HashSet::new(),
                deferred: VecDeque::new(),
                looked: now,
                status: RunStatus::Running,
            };
            let stop = drive.begin(pending).and_then(|()| drive.go());
            // Whatever happened: no thread is waited for that nobody has told to end.
            drive.cancel_running();
            stop
        })
    }
}

impl Driver<'_> {
    /// Takes note of what others have to say to a run that nobody drives, and starts nothing.
    ///
    /// # Errors
    /// If the journal cannot be written.
    pub fn settle(run: Loaded) -> Result<(), GraphJournalError> {
        let Loaded { mut journal, mut walker, mut timers, .. } = run;
        let (messages, heard) = journal.messages()?;
        let mut rows = Vec::new();
        let mut finish = None;
        for event in std::iter::once(Event::Pause).chain(messages.into_iter().map(Message::into)) {
            let kept = journal.prepare(&event)?;
            if walker.apply(event) == Applied::Ignored {
                continue;
            }
            let commands = walker.commands();
            let chosen = timers::choose(&commands, now());
            timers.follow(&commands, &chosen);
            let effects = Effects { starts: Effects::starts_of(&commands), timers: chosen };
            rows.push(Row { event: kept, effects });
            finish = walker.finish().cloned();
        }
        journal.append(&rows, heard, finish.as_ref())?;
        if finish.is_none() {
            journal.set_status(RunStatus::Paused)?;
        }
        Ok(())
    }
}

impl<'s, 'r: 's> Drive<'_, 's, '_, 'r> {
    fn begin(&mut self, pending: Vec<Command>) -> Result<(), GraphJournalError> {
        let (run, resumed) = (self.journal.header().id.clone(), pending.is_empty());
        (self.tell)(&Told::Driving { run, resumed });
        if !pending.is_empty() {
            return self.act(pending);
        }
        if self.walker.finish().is_some() {
            return Ok(());
        }
        self.journal.set_status(RunStatus::Running)?;
        let missing = self.walker.open_timers();
        let missing: Vec<_> = missing
            .into_iter()
            .filter(|command| matches!(command, Command::StartTimer { timer, .. } if !self.timers.has(timer)))
            .collect();
        self.timers.follow(&missing, &timers::choose(&missing, now()));
        let mut events = self.interrupted();
        if self.walker.snapshot().is_paused() {
            events.push(Event::Resume);
        }
        self.take(events, None)
    }

    /// What was under way when the last driver went away. What may be made again is, without asking.
    fn interrupted(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        for step in self.walker.open_steps() {
            let node = step.node().and_then(|name| self.walker.graph().node(name));
            let by_item = node.is_some_and(|node| node.on_interrupt == OnInterrupt::ByItem);
            let start = if by_item { self.walker.start_of(&step) } else { None };
            events.push(Event::StepInterrupted { step: step.clone() });
            if start.is_some_and(|start| self.driver.runner.may_repeat(&start)) {
                events.push(Event::Answered { step, answer: Answer::Retry });
            }
        }
        events
    }

    fn go(&mut self) -> Result<Stop, GraphJournalError> {
        loop {
            let is_idle = self.running.is_empty() && self.ending.is_empty() && self.deferred.is_empty();
            if is_idle {
                if let Some(finish) = self.walker.finish() {
                    return Ok(Stop::Finished(finish.clone()));
                }
                if self.look_up(true)? {
                    continue;
                }
                if let Some(stop) = self.nothing_to_do()? {
                    return Ok(stop);
                }
            }
            self.journal.snapshot_if_due(&self.walker, &self.timers)?;
            let mut events = self.wait();
            while let Some(timer) = self.timers.take_due(now()) {
                events.push(Event::TimerFired { timer });
            }
            self.take(events, None)?;
            self.start_deferred()?;
            if self.looked.elapsed() >= TICK {
                self.looked = Instant::now();
                if self.driver.cancel.is_cancelled() {
                    return self.stop();
                }
                if self.deadline.is_some_and(|deadline| self.looked >= deadline) {
                    self.deadline = None;
                    let reason = "the run has taken longer than the graph allows".to_owned();
                    self.take(vec![Event::Cancel { reason }], None)?;
                }
                self.look_up(false)?;
            }
        }
    }

    /// Waits for something to happen, but not for long. Gives the events of the steps that have ended.
    fn wait(&mut self) -> Vec<Event> {
        let timeout = self.timers.next(now()).map_or(TICK, |next| next.min(TICK));
        let first = match self.ended.recv_timeout(timeout) {
            Ok(first) => first,
            // There is always a sender: we have one ourselves.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Vec::new(),
        };
        let all: Vec<_> = std::iter::once(first).chain(self.ended.try_iter()).collect();
        all.into_iter().filter_map(|ended| self.step_ended(ended)).collect()
    }

    fn step_ended(&mut self, ended: Ended) -> Option<Event> {
        let Ended { step, outcome, duration } = ended;
        self.threads.heard();
        self.running.remove(&step);
        if self.ending.remove(&step) {
            return None;
        }
        let (event, end) = match outcome {
            StepOutcome::Gives { result, cached } => {
                (Event::StepSucceeded { step: step.clone(), result }, StepEnd::Succeeded { cached })
            }
            StepOutcome::Fails(failure) => {
                (Event::StepFailed { step: step.clone(), failure: failure.clone() }, StepEnd::Failed(failure))
            }
        };
        self.untold.push(Told::StepEnded { step, end, duration, elements: None });
        Some(event)
    }

    /// Tells the walker what has happened, writes it down together with what follows from it, and does that.
    fn take(&mut self, events: Vec<Event>, heard: Option<i64>) -> Result<(), GraphJournalError> {
        let mut rows = Vec::with_capacity(events.len());
        let mut commands = Vec::new();
        let mut told = Vec::new();
        for event in events {
            // It is written before it is given away, because a result may be too large to have twice.
            let kept = self.journal.prepare(&event)?;
            let tellable = tellable(&event);
            if self.walker.apply(event) == Applied::Ignored {
                continue;
            }
            told.extend(tellable);
            let follow = self.walker.commands();
            let chosen = timers::choose(&follow, now());
            self.timers.follow(&follow, &chosen);
            rows.push(Row {
                event: kept,
                effects: Effects { starts: Effects::starts_of(&follow), timers: chosen },
            });
            commands.extend(follow);
        }
        if rows.is_empty() && heard.is_none() {
            self.untold.clear();
            return Ok(());
        }
        self.journal.pass(Place::BeforeCommit);
        let finish = commands.iter().find_map(|command| match command {
            Command::Finish(finish) => Some(finish),
            _ => None,
        });
        self.journal.append(&rows, heard, finish)?;
        self.journal.pass(if finish.is_some() { Place::AfterEnd } else { Place::AfterCommit });
        for mut told in std::mem::take(&mut self.untold) {
            if let Told::StepEnded { step, elements, .. } = &mut told {
                *elements = self.elements_of(step);
            }
            (self.tell)(&told);
        }
        told.iter().for_each(&mut *self.tell);
        for due in rows.iter().flat_map(|row| &row.effects.timers) {
            if due.timer.kind == TimerKind::Backoff {
                let (step, timer) = (due.timer.step.clone(), due.timer.kind);
                (self.tell)(&Told::TimerStarted { step, timer, due: due.due });
            }
        }
        self.act(commands)
    }

    /// Does what the walker has said, which is in the journal by now.
    fn act(&mut self, commands: Vec<Command>) -> Result<(), GraphJournalError> {
        for command in commands {
            match command {
                Command::StartStep(start) if self.ending.is_empty() && self.deferred.is_empty() => {
                    self.start(start)?;
                }
                Command::StartStep(start) => self.deferred.push_back(start),
                Command::CancelStep { step } => {
                    self.deferred.retain(|start| start.step != step);
                    if let Some(cancel) = self.running.get(&step) {
                        cancel.iter().for_each(CancelToken::cancel);
                        self.ending.insert(step);
                    }
                }
                // What may be made again has its answer by now.
                Command::Ask(question) if !self.walker.questions().contains(&question) => {}
                Command::Ask(question) => (self.tell)(&Told::Asked(question)),
                Command::Finish(finish) => (self.tell)(&Told::Finished(finish)),
                Command::StartTimer { .. } | Command::CancelTimer { .. } | Command::CancelQuestion { .. } => {
                }
            }
        }
        Ok(())
    }

    /// For a step of a list: how far the list has come.
    fn elements_of(&self, step: &StepId) -> Option<ElementsDone> {
        step.index?;
        let (done, of) = self.walker.node_run(step.node()?).elements?;
        Some(ElementsDone { done, of })
    }

    fn start_deferred(&mut self) -> Result<(), GraphJournalError> {
        while self.ending.is_empty()
            && let Some(start) = self.deferred.pop_front()
        {
            self.start(start)?;
        }
        Ok(())
    }

    fn start(&mut self, start: StartStep) -> Result<(), GraphJournalError> {
        let failed = |error: std::io::Error| self.journal.failed(Kind::Io(error));
        let is_brief = self.driver.runner.is_brief(&start);
        let own = if is_brief { None } else { Some(CancelToken::new().map_err(failed)?) };
        let cancel = own.as_ref().unwrap_or(&self.driver.cancel).clone();
        let step = start.step.clone();
        let item = format!("{}:{}", start.item_kind, start.item_id);
        let elements = self.elements_of(&step);
        (self.tell)(&Told::StepStarted { step: step.clone(), item, elements });
        let run = self.journal.header().id.clone();
        let call = StepCall { key: format!("{run}/{}", step.call()), run, start };
        self.threads.start(call, cancel).map_err(|error| self.journal.failed(Kind::Io(error)))?;
        self.running.insert(step, own);
        self.journal.pass(Place::AfterStart);
        Ok(())
    }

    fn cancel_running(&self) {
        self.running.values().flatten().for_each(CancelToken::cancel);
    }

    /// Hears what others have to say. Tells whether anything came of it.
    fn look_up(&mut self, in_any_case: bool) -> Result<bool, GraphJournalError> {
        if !self.journal.has_news()? && !in_any_case {
            return Ok(false);
        }
        let (messages, heard) = self.journal.messages()?;
        if heard.is_none() {
            return Ok(false);
        }
        let before = self.journal.last;
        self.take(messages.into_iter().map(Message::into).collect(), heard)?;
        let went_on = self.journal.last != before;
        if went_on && self.walker.finish().is_none() {
            self.stands(RunStatus::Running)?;
        }
        Ok(went_on)
    }

    /// Why there is nothing to be done, if so.
    fn nothing_to_do(&mut self) -> Result<Option<Stop>, GraphJournalError> {
        if self.walker.snapshot().is_paused() {
            self.stands(RunStatus::Paused)?;
            return Ok(Some(Stop::Paused));
        }
        let waits = |due: &timers::DueTimer| due.timer.kind == TimerKind::Backoff || due.due <= now();
        if self.timers.as_slice().iter().any(waits) {
            return Ok(None);
        }
        let questions = self.walker.questions();
        if questions.is_empty() {
            return Err(self.journal.failed(Kind::damaged("the walk waits for nothing")));
        }
        self.stands(RunStatus::Waiting)?;
        Ok(match self.driver.patience {
            Patience::Stop => Some(Stop::Waiting(questions)),
            Patience::Wait => None,
        })
    }

    /// Writes down how the run stands, if that is something else than before.
    fn stands(&mut self, status: RunStatus) -> Result<(), GraphJournalError> {
        if self.status != status {
            self.journal.set_status(status)?;
            self.status = status;
        }
        Ok(())
    }

    /// Ends everything that is under way, and leaves the run so that it can go on.
    fn stop(&mut self) -> Result<Stop, GraphJournalError> {
        // What ends well at the last moment counts, and nothing follows from it until somebody drives on.
        self.take(vec![Event::Pause], None)?;
        self.deferred.clear();
        self.cancel_running();
        while !self.running.is_empty() {
            let Ok(ended) = self.ended.recv() else { break };
            let is_success = matches!(ended.outcome, StepOutcome::Gives { .. });
            let event = self.step_ended(ended).filter(|_| is_success);
            self.take(event.into_iter().collect(), None)?;
        }
        Ok(match self.walker.finish() {
            Some(finish) => Stop::Finished(finish.clone()),
            None => Stop::Interrupted,
        })
    }
}

/// What is told of an event, unless there is more to tell of it than it knows.
fn tellable(event: &Event) -> Option<Told> {
    match event {
        Event::StepInterrupted { step } => Some(Told::StepInterrupted { step: step.clone() }),
        Event::TimerFired { timer } if timer.kind == TimerKind::Timeout => {
            Some(Told::TimedOut { step: timer.step.clone() })
        }
        Event::Answered { .. } | Event::Pause | Event::Resume | Event::Cancel { .. } => {
            Some(Told::Heard { message: serde_json::to_value(event).unwrap_or_default() })
        }
        Event::StepSucceeded { .. } | Event::StepFailed { .. } | Event::TimerFired { .. } => None,
    }
}
