//! How the program of a plan can start warm.

use std::sync::Arc;
use std::time::Duration;

use rye_env::Environment;
use rye_metadata::metadata::{WorkerHelper, WorkerMode};
use rye_template::{Names, Scope};

use super::PlanElement;
use super::copies::{Copies, CopyError, CopyRequest, ToolCopy};
use super::error::PlanErrorKind;
use crate::{Chain, Link};

/// How processes are kept ready for the runs of a plan's runtime.
#[derive(Debug)]
pub struct WorkerPlan {
    /// How a process that is ready comes about.
    pub mode: WorkerMode,
    /// The file that the process runs until it has a job, if there is to be one.
    pub helper: Option<Arc<PlanElement>>,
    /// Names of variables that the helper is started with.
    pub keyed_by: Arc<VariableNames>,
    /// How many processes are kept ready.
    pub spares: usize,
    /// After how much time without a run they leave.
    pub idle: Duration,
    /// How the helper is started, if that was asked for.
    pub start: Option<WorkerStart>,
}

/// How a helper is started.
#[derive(Debug)]
pub struct WorkerStart {
    /// The program: a path, or a name that is looked up in `PATH`.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The copy of the helper that runs.
    pub copy: ToolCopy,
}

/// Which variables are meant: those that a pattern names, less those that another one does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct VariableNames {
    named: Vec<String>,
    except: Vec<String>,
}

/// Whether a plan says how a helper is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workers {
    /// It only says that there could be one.
    Shown,
    /// It does.
    Prepared,
}

impl WorkerPlan {
    pub(super) fn of(
        chain: &Chain,
        environment: &Environment,
        workers: Workers,
        copies: &dyn Copies,
    ) -> Result<Option<Self>, PlanErrorKind> {
        let Some((worker, helper)) = chain.worker() else { return Ok(None) };
        let start = match (workers, helper) {
            (Workers::Shown, _) | (_, None) => None,
            (Workers::Prepared, Some((helper, link))) => WorkerStart::of(helper, link, environment, copies)?,
        };
        Ok(Some(Self {
            mode: worker.mode,
            helper: chain.elements().helper.clone(),
            keyed_by: Arc::clone(&chain.elements().keyed_by),
            spares: usize::try_from(worker.spares).unwrap_or(1),
            idle: Duration::from_secs(worker.idle.into()),
            start,
        }))
    }
}

impl WorkerStart {
    /// What the caller sends has no part in this: one helper serves the calls of many.
    fn of(
        helper: &WorkerHelper,
        link: &Link,
        environment: &Environment,
        copies: &dyn Copies,
    ) -> Result<Option<Self>, PlanErrorKind> {
        let copy = match copies.tool(&CopyRequest { tool: link, anchor: None, installed: &[] }) {
            Ok(copy) => copy,
            // Nothing can be kept, so nothing can be kept ready either.
            Err(CopyError::NoFolder) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut names = Names::new();
        names.set_parameter("helper_path", copy.tool.to_string_lossy().into_owned());
        let scope =
            Scope::new(&names, |name: &str| environment.get(name).map(|value| value.to_string_lossy()));
        let program = scope.render_text(&helper.command)?;
        let args: Result<Vec<String>, _> = helper.args.iter().map(|arg| scope.render_text(arg)).collect();
        let args = args?;
        Ok((!program.is_empty()).then_some(Self { program, args, copy }))
    }
}

impl VariableNames {
    /// Names in which `*` stands for anything, and names that are not meant after all.
    #[must_use]
    pub fn new(named: &[String], except: &[String]) -> Self {
        Self { named: named.to_vec(), except: except.to_vec() }
    }

    /// Whether a variable is one that cannot be changed once the helper has started.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.mentions(name) && !any_matches(&self.except, name)
    }

    /// Whether a variable means something to the helper at all.
    #[must_use]
    pub fn mentions(&self, name: &str) -> bool {
        any_matches(&self.named, name)
    }
}

fn any_matches(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern.as_bytes(), name.as_bytes()))
}

/// Whether a name is one that the pattern stands for.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', [])) => true,
        // What a star stands for may end at any place.
        Some((b'*', rest)) => (0..=name.len()).any(|end| matches(rest, &name[end..])),
        Some((first, rest)) => {
            name.split_first().is_some_and(|(same, tail)| first == same && matches(rest, tail))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        let check = |pattern: &str, name: &str, expect| {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), expect, "{pattern} {name}");
        };
        check("LANG", "LANG", true);
        check("LANG", "LANGUAGE", false);
        check("LC_*", "LC_ALL", true);
        check("LC_*", "LC_", true);
        check("LC_*", "XLC_A", false);
        check("*_PROXY", "HTTP_PROXY", true);
        check("A*B*C", "A1B2B3C", true);
        check("A*B*C", "A1B2D", false);
        check("*", "", true);
    }

    #[test]
    fn exceptions_are_mentioned_and_not_contained() {
        let names = VariableNames::new(&["PYTHON*".to_owned()], &["PYTHONPATH".to_owned()]);
        assert!(names.contains("PYTHONHOME") && names.mentions("PYTHONPATH"));
        assert!(!names.contains("PYTHONPATH") && !names.mentions("PATH"));
    }
}
