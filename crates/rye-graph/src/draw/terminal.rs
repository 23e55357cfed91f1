//! A drawing for a terminal.

use super::labels;
use super::layout::{BOX_ROWS, Layout, Way};
use super::strokes::Canvas;
use crate::RunView;
use crate::graph::Graph;

/// Draws a graph with lines of text. With `run`, each box has a sign for how far it has come.
#[must_use]
pub fn terminal(graph: &Graph, run: Option<&RunView>) -> String {
    let layout = Layout::new(graph);
    let mut canvas = Canvas::new(layout.rows, layout.lane_column(layout.lanes) + labels::MAX_TEXT);
    for placed in &layout.boxes {
        let Some((name, node)) = graph.nodes().get_index(placed.node) else { continue };
        canvas.frame(placed.top, BOX_ROWS, layout.box_width);
        let state = run.and_then(|run| run.nodes.get(name));
        let title = match state {
            Some(state) => {
                format!("{} {}{}", labels::sign(state.status), labels::short(name), labels::count(state))
            }
            None => labels::short(name),
        };
        canvas.text(placed.top + 1, 2, title);
        canvas.text(placed.top + 2, 2, labels::subtitle(node));
    }
    for exit in &layout.exits {
        draw_exit(&mut canvas, &layout, exit);
    }
    canvas.finish()
}

fn draw_exit(canvas: &mut Canvas, layout: &Layout, exit: &super::layout::Exit) {
    let trunk = layout.trunk();
    canvas.vertical(trunk, exit.row - 1, exit.row);
    if !exit.label.is_empty() {
        let column = trunk + if exit.way == Way::Falls { 1 } else { 2 };
        canvas.text(exit.row, column, format!(" {} ", exit.label));
    }
    match &exit.way {
        Way::Falls => {
            canvas.vertical(trunk, exit.row, exit.row + 1);
            if exit.last {
                canvas.text(exit.row + 1, trunk, "▼");
            }
        }
        Way::Lane(lane) => {
            let column = layout.lane_column(*lane);
            canvas.horizontal(exit.row, trunk, column);
            canvas.vertical(column, exit.row, exit.entry);
            canvas.horizontal(exit.entry, layout.box_width, column);
            canvas.text(exit.entry, layout.box_width, "◀");
        }
        Way::Named(name) => {
            canvas.horizontal(exit.row, trunk, layout.lanes_start - 1);
            canvas.text(exit.row, layout.lanes_start, format!("→ {name}"));
        }
    }
    if !exit.last {
        canvas.vertical(trunk, exit.row, exit.row + 1);
    }
}
