//! What can be said about a graph without walking it.

mod permitted;
mod reach;
mod state;

use crate::graph::Graph;
use crate::read::Report;

/// Reports everything that is wrong with a graph as a whole. `complete` says that every node of the file could be read:
/// otherwise ways lead nowhere for another reason, and so they do if a node is named that is not there.
pub(crate) fn check(report: &mut Report, graph: &Graph, complete: bool) {
    permitted::check(report, graph);
    if complete {
        state::check(report, graph);
    }
    if complete && !report.has_dangling_target {
        reach::check(report, graph);
    }
}
