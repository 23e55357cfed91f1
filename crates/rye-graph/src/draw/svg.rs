//! A drawing as SVG.

use std::fmt::Write as _;

use super::labels;
use super::layout::{BOX_ROWS, Exit, Layout, Way};
use crate::graph::{Graph, NodeKind};
use crate::{NodeStatus, RunView};

/// The size of a row and of a column, in pixels.
const ROW: usize = 20;
const COLUMN: usize = 8;
const MARGIN: usize = 16;

const STYLE: &str = "text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328}\
.sub,.label{fill:#59636e;font-size:12px}.box{fill:#fff;stroke:#59636e}.way{fill:none;stroke:#59636e}\
.error{stroke:#cf222e;stroke-dasharray:5 3}.running{fill:#ddf4ff;stroke:#0969da}.done{fill:#dafbe1;stroke:#1a7f37}\
.failed{fill:#ffebe9;stroke:#cf222e}.waiting{fill:#fff8c5;stroke:#9a6700}.skipped{fill:#f6f8fa;stroke:#d0d7de}";

/// Draws a graph as an SVG document. With `run`, each box has a colour and a sign for how far it has come.
#[must_use]
pub fn svg(graph: &Graph, run: Option<&RunView>) -> String {
    let layout = Layout::new(graph);
    let named = layout.exits.iter().any(|exit| matches!(exit.way, Way::Named(_)));
    let columns = layout.lane_column(layout.lanes) + if named { labels::MAX_TEXT } else { 0 };
    let (width, height) = (x(columns) + MARGIN, y(layout.rows) + MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
<style>{STYLE}</style>\n<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"#59636e\"/></marker></defs>\n\
<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    for exit in &layout.exits {
        draw_exit(&mut svg, &layout, exit);
    }
    for placed in &layout.boxes {
        let Some((name, node)) = graph.nodes().get_index(placed.node) else { continue };
        let state = run.and_then(|run| run.nodes.get(name));
        let class = state.map_or("pending", |state| labels::word(state.status));
        let radius = match node.kind {
            NodeKind::Return { .. } => ROW,
            NodeKind::Gate(_) => 0,
            NodeKind::Action(_) | NodeKind::Foreach(_) => 6,
        };
        let (left, top) = (x(0), y(placed.top));
        let (wide, high) = (layout.box_width * COLUMN, (BOX_ROWS - 1) * ROW);
        let title = state.map_or_else(
            || labels::short(name),
            |state| format!("{} {}{}", sign(state.status), labels::short(name), labels::count(state)),
        );
        let _ = write!(
            svg,
            "<rect class=\"box {class}\" x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\" rx=\"{radius}\"/>\n\
<text x=\"{text}\" y=\"{first}\">{title}</text>\n<text class=\"sub\" x=\"{text}\" y=\"{second}\">{subtitle}</text>\n",
            text = left + 2 * COLUMN,
            first = top + ROW + 4,
            second = top + 2 * ROW + 4,
            title = escaped(&title),
            subtitle = escaped(&labels::subtitle(node)),
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw_exit(svg: &mut String, layout: &Layout, exit: &Exit) {
    let trunk = x(layout.trunk());
    // The box ends a row earlier than in a drawing of characters, and a label stands on its line.
    let (from, row) = (y(exit.row) - ROW, y(exit.row) - 4);
    let class = if exit.error { "way error" } else { "way" };
    let path = match &exit.way {
        Way::Falls if exit.last => format!("M{trunk} {from}V{}", y(exit.row + 2)),
        Way::Falls => format!("M{trunk} {from}V{}", y(exit.row)),
        Way::Lane(lane) => {
            let (lane, entry) = (x(layout.lane_column(*lane)), y(exit.entry) + ROW / 2);
            format!("M{trunk} {from}V{row}H{lane}V{entry}H{}", x(layout.box_width))
        }
        Way::Named(_) => format!("M{trunk} {from}V{row}H{}", x(layout.lanes_start) - COLUMN),
    };
    let arrow = if exit.way == Way::Falls && !exit.last { "" } else { " marker-end=\"url(#arrow)\"" };
    let _ = writeln!(svg, "<path class=\"{class}\" d=\"{path}\"{arrow}/>");
    if !exit.last {
        let _ = writeln!(svg, "<path class=\"way\" d=\"M{trunk} {from}V{}\"/>", from + ROW);
    }
    let mut label = |text: &str, left: usize, base: usize| {
        let _ = writeln!(svg, "<text class=\"label\" x=\"{left}\" y=\"{base}\">{}</text>", escaped(text));
    };
    if !exit.label.is_empty() {
        label(&exit.label, trunk + COLUMN, row - 3);
    }
    if let Way::Named(name) = &exit.way {
        label(name, x(layout.lanes_start), row + 4);
    }
}

fn x(column: usize) -> usize {
    MARGIN + column * COLUMN
}

fn y(row: usize) -> usize {
    MARGIN + row * ROW
}

fn sign(status: NodeStatus) -> char {
    labels::sign(status)
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
