//! Templates as a caller fills them in.

mod hostile;
mod properties;
mod rendering;
