//! The actions of hooks. They run one after the other, once each, and the walk goes on however they end.

use super::position::{Position, Then};
use super::{Command, StartStep, StepId, StepOwner, Walker};
use crate::graph::{Action, HookKind};

impl Walker {
    /// Calls a hook, and goes on with `then` once its actions are over.
    pub(super) fn call_hook(&mut self, hook: HookKind, then: Then) {
        if self.graph.hooks.of(hook).is_empty() {
            return self.follow(then);
        }
        self.walk.hook_runs = self.walk.hook_runs.saturating_add(1);
        self.walk.position =
            Position::Hook { hook, run: self.walk.hook_runs, action: 0, started: false, then };
    }

    /// Starts the next action of the hook, if it is due.
    pub(super) fn start_hook(&mut self) -> bool {
        let Position::Hook { hook, run, action, started: false, then } = &self.walk.position else {
            return false;
        };
        let (hook, run, number) = (*hook, *run, *action);
        let Some(action) = self.graph.hooks.of(hook).get(number as usize) else {
            let then = then.clone();
            self.follow(then);
            return true;
        };
        let start = self.render_step(hook_step(hook, run, number), action);
        if let Position::Hook { action, started, .. } = &mut self.walk.position {
            match &start {
                Some(_) => *started = true,
                // What cannot be filled in, or may not run, is left out: a hook never stops a walk.
                None => *action += 1,
            }
        }
        if let Some(start) = start {
            self.push(Command::StartStep(start));
        }
        true
    }

    /// Goes on if `step` is the action that runs.
    pub(super) fn hook_step_ended(&mut self, step: &StepId) -> bool {
        if self.open_hook_step().as_ref() != Some(step) {
            return false;
        }
        if let Position::Hook { action, started, .. } = &mut self.walk.position {
            *action += 1;
            *started = false;
        }
        true
    }

    /// The action of a hook that runs.
    pub(super) fn open_hook_step(&self) -> Option<StepId> {
        match &self.walk.position {
            Position::Hook { hook, run, action, started: true, .. } => Some(hook_step(*hook, *run, *action)),
            _ => None,
        }
    }

    fn render_step(&self, step: StepId, action: &Action) -> Option<StartStep> {
        self.render_start(step, action, false, &self.walk.roots()).ok()
    }

    pub(super) fn start_of_hook(&self, step: &StepId) -> Option<StartStep> {
        let StepOwner::Hook(hook) = step.owner else { return None };
        let action = self.graph.hooks.of(hook).get(step.index? as usize)?;
        self.render_step(step.clone(), action)
    }

    fn follow(&mut self, then: Then) {
        match then {
            Then::Enter { node } => self.walk.position = Position::Entering { node },
            Then::Finish { finish } => self.end(finish),
        }
    }
}

fn hook_step(hook: HookKind, run: u32, action: u32) -> StepId {
    StepId { owner: StepOwner::Hook(hook), visit: run, index: Some(action), attempt: 1 }
}
