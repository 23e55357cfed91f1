//! Templates as a caller fills them in.

mod graph_templates;
mod hostile;
mod properties;
mod rendering;
