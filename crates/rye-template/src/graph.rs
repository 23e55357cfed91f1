//! What state graphs say in their files: `${path}` in values, and conditions.
//!
//! A path begins with a name of the [`Roots`] (`state`, `inputs`, `result` …) and goes down by keys and indices:
//! `${state.pages[0].title}`, `${inputs["a key"]}`, `${state.list[-1]}`. `${a || b || "none"}` takes the first that is
//! there and not null; the alternatives are paths, JSON values and `'texts'`. A text that is one `${…}` and nothing
//! else becomes the value with its type; inside of a longer text a text goes in as it is, null as nothing, and all else
//! as compact JSON. `$${` stands for `${`.
//!
//! Everything is parsed once, when the graph is read. What is filled in is never looked at again, so no result of a tool can
//! bring in a reference. A path that leads nowhere is an error, unless there is an alternative; in a [`Condition`] it
//! makes `exists` false, `empty` true and every other test false.
//!
//! ```
//! use rye_template::graph::{Roots, TextTemplate};
//! use serde_json::json;
//!
//! let (state, inputs) = (json!({"pages": [{"title": "Home"}]}), json!({"limit": 3}));
//! let roots = Roots::new().with("state", &state).with("inputs", &inputs);
//! let check = |text: &str, expect| assert_eq!(TextTemplate::parse(text).unwrap().render(&roots).unwrap(), expect);
//! check("${inputs.limit}", json!(3));
//! check("${state.pages[0].title}: ${inputs.limit}", json!("Home: 3"));
//! check("${state.author || 'nobody'}", json!("nobody"));
//! assert!(TextTemplate::parse("${state.author}").unwrap().render(&roots).is_err());
//! ```

mod condition;
mod condition_text;
mod error;
mod expression;
mod expression_parser;
mod measure;
mod path;
mod pattern;
mod roots;
mod text_template;
mod value_template;

pub use condition::{Comparison, Condition, Test};
pub use error::{ExpressionError, ExpressionErrorKind, InterpolateError, PatternError};
pub use expression::{Expression, Term};
pub use measure::{MAX_VALUE_BYTES, MAX_VALUE_DEPTH, measure};
pub use path::{Path, PathStep};
pub use pattern::{MAX_PATTERN_BYTES, Pattern};
pub use roots::Roots;
pub use text_template::TextTemplate;
pub use value_template::ValueTemplate;
