//! Whether a helper, started now, would start as the one did that is running.

use std::ffi::OsStr;
use std::fmt::Debug;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// Knows that nothing has happened to files and folders, without looking at each of them.
pub trait Stillness: Debug {
    /// The present, if anybody watches. For as long as it is the same, nothing has happened to what is watched.
    fn moment(&self) -> Option<u64>;

    /// Whether these have been watched since before now. From now on they are, if that can be done.
    fn covers(&self, paths: &[PathBuf]) -> bool;
}

/// What the start of a helper depended on, as its processes tell when they have looked at it.
///
/// A process compares these files and folders with what they were when its helper started, and takes no job if one has
/// changed. That has been done for the whole of a moment in which all of them were watched, and once is enough.
#[derive(Debug, Default)]
pub(super) struct StartDependencies {
    paths: Vec<PathBuf>,
    /// When they were the same as at the start.
    unchanged: Option<u64>,
    /// The present, and how many jobs have begun in it.
    jobs: (u64, usize),
}

/// The jobs of one moment that have these paths watched. That takes time, so before it there has to be a moment that lasts; and
/// what cannot be watched is not tried for ever.
const WATCHERS: Range<usize> = 2..8;

/// What is known about them when a job begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// They are the same as at the start.
    Unchanged,
    /// The process has to look. If it finds them unchanged, they have been since this moment began.
    Unsure(Option<u64>),
}

/// The last part of a job whose process need not look. No variable has such a name.
pub(super) const UNCHANGED: &[u8] = b"\0=";

impl StartDependencies {
    pub(super) fn state(&mut self, stillness: Option<&dyn Stillness>) -> Start {
        let Some((stillness, moment)) = stillness.and_then(|known| Some((known, known.moment()?))) else {
            return Start::Unsure(None);
        };
        if self.unchanged == Some(moment) {
            return Start::Unchanged;
        }
        if self.jobs.0 != moment {
            self.jobs = (moment, 0);
        }
        let is_worth_it = !self.paths.is_empty() && WATCHERS.contains(&self.jobs.1);
        self.jobs.1 += 1;
        Start::Unsure((is_worth_it && stillness.covers(&self.paths)).then_some(moment))
    }

    /// A process that had to look has found everything as it was, and says what it has looked at.
    pub(super) fn confirm(&mut self, start: Start, told: &[u8]) {
        let Start::Unsure(moment) = start else { return };
        let Some(told) = told.strip_suffix(b"\0") else { return };
        let paths =
            told.split(|byte| *byte == 0).map(|path| PathBuf::from(OsStr::from_bytes(path))).collect();
        if self.paths == paths {
            self.unchanged = moment;
        } else {
            *self = Self { paths, ..Self::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;

    #[derive(Debug, Default)]
    struct Watch {
        moment: Cell<Option<u64>>,
        watched: RefCell<Vec<PathBuf>>,
    }

    impl Stillness for Watch {
        fn moment(&self) -> Option<u64> {
            self.moment.get()
        }

        fn covers(&self, paths: &[PathBuf]) -> bool {
            self.watched.replace(paths.to_vec()) == paths
        }
    }

    const TOLD: &[u8] = b"/a\0/b\0";

    #[test]
    fn nothing_is_sure_before_a_look_at_what_was_watched() {
        let (watch, mut known) = (Watch::default(), StartDependencies::default());
        watch.moment.set(Some(1));
        assert_eq!(known.state(Some(&watch)), Start::Unsure(None));
        known.confirm(Start::Unsure(None), TOLD);
        for reason in ["the moment has only begun", "nor does it last yet", "they were not watched before"] {
            assert_eq!(known.state(Some(&watch)), Start::Unsure(None), "{reason}");
            known.confirm(Start::Unsure(None), TOLD);
        }
        let sure = known.state(Some(&watch));
        assert_eq!(sure, Start::Unsure(Some(1)));
        known.confirm(sure, TOLD);
        assert_eq!(known.state(Some(&watch)), Start::Unchanged);
        watch.moment.set(Some(2));
        watch.watched.take();
        assert_eq!(known.state(Some(&watch)), Start::Unsure(None), "something has happened");
        assert_eq!(known.state(None), Start::Unsure(None));
    }

    #[test]
    fn what_cannot_be_watched_is_not_tried_for_ever() {
        #[derive(Debug, Default)]
        struct Blind(Cell<usize>);
        impl Stillness for Blind {
            fn moment(&self) -> Option<u64> {
                Some(1)
            }

            fn covers(&self, _: &[PathBuf]) -> bool {
                self.0.set(self.0.get() + 1);
                false
            }
        }
        let (blind, mut known) = (Blind::default(), StartDependencies::default());
        known.confirm(Start::Unsure(None), TOLD);
        for _ in 0..100 {
            assert_eq!(known.state(Some(&blind)), Start::Unsure(None));
        }
        assert_eq!(blind.0.get(), WATCHERS.len());
    }

    #[test]
    fn other_dependencies_and_half_an_answer_count_for_nothing() {
        let (watch, mut known) = (Watch::default(), StartDependencies::default());
        watch.moment.set(Some(1));
        known.confirm(Start::Unsure(None), TOLD);
        known.confirm(Start::Unsure(Some(1)), b"/a\0/other\0");
        assert_eq!(known.state(Some(&watch)), Start::Unsure(None));
        for told in [&b""[..], b"/a\0/oth"] {
            known.confirm(Start::Unsure(Some(1)), told);
            assert_ne!(known.state(Some(&watch)), Start::Unchanged);
        }
    }
}
