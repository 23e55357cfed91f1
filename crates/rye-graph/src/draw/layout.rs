//! Where everything stands: boxes in one column, and beside them lanes for the ways that skip boxes.

use std::collections::BTreeMap;

use unicode_width::UnicodeWidthStr;

use super::labels::{self, Edge};
use super::order::order;
use crate::graph::Graph;

/// More lanes than these, and a way is told in words.
const MAX_LANES: usize = 30;

/// The rows of a box: two lines of text and the frame.
pub(super) const BOX_ROWS: usize = 4;

/// A drawing in rows and columns.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) boxes: Vec<NodeBox>,
    pub(super) exits: Vec<Exit>,
    /// The columns of a box, its frame included.
    pub(super) box_width: usize,
    /// The first column of the lanes.
    pub(super) lanes_start: usize,
    pub(super) lanes: usize,
    pub(super) rows: usize,
}

/// A node's box.
#[derive(Debug)]
pub(super) struct NodeBox {
    /// The number of the node in the graph.
    pub(super) node: usize,
    /// Its first row.
    pub(super) top: usize,
}

/// Where a way leaves its box.
#[derive(Debug)]
pub(super) struct Exit {
    pub(super) row: usize,
    /// The row at which it enters the other box.
    pub(super) entry: usize,
    pub(super) label: String,
    pub(super) error: bool,
    /// Whether it is the last of its box.
    pub(super) last: bool,
    pub(super) way: Way,
}

/// How a way goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Way {
    /// Down to the next box.
    Falls,
    /// Along a lane.
    Lane(usize),
    /// It is not drawn, and names where it leads.
    Named(String),
}

impl Layout {
    pub(super) fn new(graph: &Graph) -> Self {
        let count = graph.nodes().len();
        let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); count];
        for edge in labels::edges(graph) {
            edges[edge.from].push(edge);
        }
        let ways: Vec<Vec<usize>> =
            edges.iter().map(|edges| edges.iter().map(|edge| edge.to).collect()).collect();
        let start = graph.nodes().get_index_of(graph.start()).unwrap_or(0);
        let order = if count == 0 { Vec::new() } else { order(&ways, start) };

        let mut layout =
            Self { boxes: Vec::new(), exits: Vec::new(), box_width: 0, lanes_start: 0, lanes: 0, rows: 0 };
        let mut targets = Vec::new();
        for (place, &node) in order.iter().enumerate() {
            layout.boxes.push(NodeBox { node, top: layout.rows });
            layout.rows += BOX_ROWS;
            let next = order.get(place + 1);
            layout.add_exits(&edges[node], next, &mut targets);
        }
        let tops: BTreeMap<usize, usize> =
            layout.boxes.iter().map(|placed| (placed.node, placed.top)).collect();
        for (exit, target) in layout.exits.iter_mut().zip(&targets) {
            exit.entry = tops.get(target).copied().unwrap_or(0) + 1;
        }
        layout.measure(graph);
        layout.choose_lanes(graph, &targets);
        layout
    }

    /// The rows below a box: ways that skip boxes first, and then those that fall to the next one.
    fn add_exits(&mut self, edges: &[Edge], next: Option<&usize>, targets: &mut Vec<usize>) {
        let falls = |edge: &&Edge| Some(&edge.to) == next;
        let sorted = edges.iter().filter(|edge| !falls(edge)).chain(edges.iter().filter(falls));
        for (index, edge) in sorted.enumerate() {
            let way = if falls(&edge) { Way::Falls } else { Way::Lane(0) };
            let last = index + 1 == edges.len();
            let (label, error) = (edge.label.clone(), edge.error);
            self.exits.push(Exit { row: self.rows, entry: 0, label, error, last, way });
            targets.push(edge.to);
            self.rows += 1;
        }
        // A row for the arrow, or for air.
        self.rows += 1;
    }

    fn measure(&mut self, graph: &Graph) {
        let texts = graph.nodes().iter().map(|(name, node)| {
            // Room for a sign and a count.
            (labels::short(name).width() + 10).max(labels::subtitle(node).width())
        });
        self.box_width = texts.max().unwrap_or(0) + 4;
        let trunk = self.trunk();
        let longest = self.exits.iter().map(|exit| trunk + 4 + exit.label.width()).max().unwrap_or(0);
        self.lanes_start = self.box_width.max(longest) + 2;
    }

    /// The column of the line that leaves a box below.
    pub(super) fn trunk(&self) -> usize {
        4.min(self.box_width / 2)
    }

    /// The column of a lane.
    pub(super) fn lane_column(&self, lane: usize) -> usize {
        self.lanes_start + 2 * lane
    }

    /// Gives short ways the inner lanes.
    fn choose_lanes(&mut self, graph: &Graph, targets: &[usize]) {
        let span = |exit: &Exit| (exit.row.min(exit.entry), exit.row.max(exit.entry));
        let mut skipping: Vec<usize> =
            (0..self.exits.len()).filter(|&index| self.exits[index].way != Way::Falls).collect();
        skipping.sort_by_key(|&index| {
            let (first, last) = span(&self.exits[index]);
            (last - first, first)
        });
        let mut lanes: Vec<BTreeMap<usize, usize>> = Vec::new();
        for index in skipping {
            let (first, last) = span(&self.exits[index]);
            let is_free = |lane: &BTreeMap<usize, usize>| {
                lane.range(..=last).next_back().is_none_or(|(_, &taken_last)| taken_last < first)
            };
            let free = lanes.iter().position(is_free);
            let lane = free.unwrap_or(lanes.len());
            if lane < MAX_LANES {
                if free.is_none() {
                    lanes.push(BTreeMap::new());
                }
                lanes[lane].insert(first, last);
                self.exits[index].way = Way::Lane(lane);
            } else {
                let name = graph.nodes().get_index(targets[index]).map_or("", |(name, _)| name.as_str());
                self.exits[index].way = Way::Named(name.to_owned());
            }
        }
        self.lanes = lanes.len();
    }
}
