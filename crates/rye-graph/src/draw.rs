//! Drawings of graphs: for a terminal, as SVG, and as Mermaid. Each may show how far a run has come.

mod labels;
mod layout;
mod mermaid;
mod order;
mod strokes;
mod svg;
mod terminal;

pub use self::mermaid::mermaid;
pub use self::svg::svg;
pub use self::terminal::terminal;
