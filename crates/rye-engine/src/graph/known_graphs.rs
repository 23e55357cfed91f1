//! Graphs that were read before.

use std::sync::{Arc, Mutex, PoisonError};

use lillux::Digest;
use rye_graph::Graph;
use rye_metadata::Problem;

/// The graphs that were used last, by the digest of their text. The same text is the same graph, so nothing can go stale; to
/// read one of a thousand nodes takes as long as fifty of its steps.
#[derive(Debug, Default)]
pub(crate) struct KnownGraphs(Mutex<Vec<KnownGraph>>);

/// A graph, and what is not as it should be in its text and does not stop it.
#[derive(Debug, Clone)]
pub(super) struct KnownGraph {
    text: Digest,
    pub(super) graph: Arc<Graph>,
    pub(super) warnings: Vec<Problem>,
}

/// So many are kept. One may have some megabytes.
const LIMIT: usize = 4;

impl KnownGraphs {
    /// The graph that a text is.
    ///
    /// # Errors
    /// If it is none: everything that is wrong.
    pub(super) fn get(&self, text: &str) -> Result<KnownGraph, Vec<Problem>> {
        let digest = Digest::of(text.as_bytes());
        if let Some(known) = self.find(digest) {
            return Ok(known);
        }
        let read = rye_graph::read(text);
        let Some(graph) = read.graph else { return Err(read.problems) };
        let known = KnownGraph { text: digest, graph: Arc::new(graph), warnings: read.problems };
        self.keep(known.clone());
        Ok(known)
    }

    /// Finds a graph, which is the last that was used from then on.
    fn find(&self, text: Digest) -> Option<KnownGraph> {
        let mut graphs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = graphs.iter().position(|known| known.text == text)?;
        graphs[..=place].rotate_right(1);
        graphs.first().cloned()
    }

    fn keep(&self, known: KnownGraph) {
        let mut graphs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        graphs.truncate(LIMIT - 1);
        graphs.insert(0, known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(node: &str) -> String {
        format!(
            "version: \"1.0.0\"\ntool_type: graph\nexecutor_id: rye/core/runtimes/state-graph/runtime\ndescription: x\n\
            config:\n  start: {node}\n  nodes:\n    {node}: {{type: return, output: done}}\n"
        )
    }

    fn graph(known: &KnownGraphs, node: &str) -> Arc<Graph> {
        known.get(&text(node)).unwrap().graph
    }

    #[test]
    fn the_same_text_is_read_once_and_another_is_another_graph() {
        let known = KnownGraphs::default();
        let first = graph(&known, "a");
        assert!(Arc::ptr_eq(&first, &graph(&known, "a")));
        assert_ne!(first.digest(), graph(&known, "b").digest());
    }

    #[test]
    fn what_is_no_graph_is_told_each_time() {
        let known = KnownGraphs::default();
        let broken = text("a").replace("start: a", "start: b");
        for _ in 0..2 {
            assert!(!known.get(&broken).unwrap_err().is_empty());
        }
    }

    #[test]
    fn those_are_kept_that_were_used_last() {
        let known = KnownGraphs::default();
        let first = graph(&known, "a");
        for node in ["b", "c", "d", "a", "e"] {
            graph(&known, node);
        }
        assert!(Arc::ptr_eq(&first, &graph(&known, "a")));
        for node in ["f", "g", "h", "i"] {
            graph(&known, node);
        }
        assert!(!Arc::ptr_eq(&first, &graph(&known, "a")));
        assert_eq!(known.0.lock().unwrap().len(), LIMIT);
    }
}
