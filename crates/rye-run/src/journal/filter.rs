//! Which records are asked for.

use rye_item::ItemRef;

use super::{RunId, RunStatus};

/// Which runs to list. Without any condition it is the newest ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFilter {
    /// Only runs of this item.
    pub item: Option<ItemRef>,
    /// Only runs that stand so.
    pub status: Option<RunStatus>,
    /// Only runs that come before this one, to go on from the last of a list.
    pub before: Option<RunId>,
    /// At most so many.
    pub limit: usize,
}

impl Default for RunFilter {
    fn default() -> Self {
        Self { item: None, status: None, before: None, limit: 50 }
    }
}
