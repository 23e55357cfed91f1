//! Placeholders in texts and values, filled in one pass.
//!
//! A [`Template`] is parsed once, before anything is filled in, so what came out of a variable is never searched
//! for placeholders.
//!
//! ```
//! use rye_template::expand_variables;
//!
//! let lookup = |name: &str| (name == "HOME").then_some("/home/${USER}");
//! assert_eq!(expand_variables("${HOME}/bin:${PREFIX:-/usr}/bin", lookup), "/home/${USER}/bin:/usr/bin");
//! ```

mod syntax;
mod template;

pub use template::{Template, expand_variables};
