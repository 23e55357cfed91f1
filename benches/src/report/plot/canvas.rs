//! An SVG picture, element by element.

use std::fmt::Write as _;

/// A picture with a ground of its own, so that it can be read wherever it is shown.
pub(super) struct Canvas {
    text: String,
}

const STYLE: &str = "\
.ground { fill: #ffffff; stroke: #c9d1db; }
.title { fill: #1b2430; font-size: 15px; font-weight: 600; }
.label { fill: #2b3744; font-size: 12px; }
.small { fill: #5b6b7f; font-size: 11px; }
.grid { stroke: #dfe5ec; stroke-width: 1; }
.c0 { stroke: #1f6fb2; fill: #1f6fb2; } .c1 { stroke: #c2571a; fill: #c2571a; }
.c2 { stroke: #2f8f4e; fill: #2f8f4e; } .c3 { stroke: #8a4fb5; fill: #8a4fb5; }
.c4 { stroke: #a7821a; fill: #a7821a; } .c5 { stroke: #5b6b7f; fill: #5b6b7f; }
.line { fill: none; stroke-width: 2; } .thin { stroke-width: 1.2; } .thick { stroke-width: 6; }
.dot { stroke: none; } .ring { fill: none; stroke-width: 1; } .mark { stroke: #1b2430; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
.ground { fill: #161c24; stroke: #3a4654; } .title { fill: #eef2f7; } .label { fill: #d3dbe5; }
.small { fill: #a9b7c8; } .grid { stroke: #2c3643; } .mark { stroke: #eef2f7; }
.c0 { stroke: #6cb4ee; fill: #6cb4ee; } .c1 { stroke: #f0975a; fill: #f0975a; }
.c2 { stroke: #6fcf8d; fill: #6fcf8d; } .c3 { stroke: #c495ea; fill: #c495ea; }
.c4 { stroke: #e0bf5a; fill: #e0bf5a; } .c5 { stroke: #a9b7c8; fill: #a9b7c8; }
.line, .ring { fill: none; }
}";

/// Where a text stands relative to its place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Canvas {
    pub(super) fn new(title: &str, width: f64, height: f64) -> Self {
        let title = escaped(title);
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
             aria-label=\"{title}\" font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif\">\n\
             <title>{title}</title>\n<style>\n{STYLE}\n</style>\n\
             <rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"6\"/>\n",
            width - 1.0,
            height - 1.0
        );
        Self { text }
    }

    pub(super) fn words(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = writeln!(
            self.text,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
            escaped(words)
        );
    }

    pub(super) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let _ = writeln!(
            self.text,
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
    }

    pub(super) fn dot(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        let _ = writeln!(self.text, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
    }

    pub(super) fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        let places: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(self.text, "<polyline class=\"{class}\" points=\"{}\"/>", places.join(" "));
    }

    pub(super) fn finish(self) -> String {
        self.text + "</svg>\n"
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
