//! Every runtime, with its real interpreter.

mod deno;
mod environments;
mod every_runtime;
pub(crate) mod language;
mod missing_helpers;
mod python_answers;
mod ruby;
mod rust;
mod traces;
mod typescript;
