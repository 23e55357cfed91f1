//! The metadata of an item, from its bytes.
//!
//! What a file says about itself is found by an [`Extractor`], which is a file too: it names a parser, and for
//! each [`Field`] the rules by which the field is found in what the parser gives. The result is typed
//! [`Metadata`], together with everything that is wrong with it.
//!
//! Nothing here opens a file, runs a tool or evaluates an expression: only what is literally written in a file
//! is read, and what would have to be run is refused with a reason and a place. Any input gives a result or an
//! error in bounded time and on a bounded stack.
//!
//! Integers beyond 64 bits are refused in Python, JavaScript and TOML. JSON and YAML give them as the nearest
//! floating-point number, as JSON readers do.
//!
//! ```
//! use rye_metadata::{Extractor, ItemPath};
//!
//! let extractor = Extractor::parse(
//!     br#"
//! tool_type: extractor
//! config:
//!   extensions: [rb]
//!   parser: text
//!   rules:
//!     name: {type: filename}
//!     version: {type: regex, pattern: '^# version: (.+)$'}
//!   validation:
//!     required: [version]
//!     semver: [version]
//! "#,
//! )?;
//!
//! let extraction = extractor.extract(ItemPath::new("text/count.rb"), b"# version: 1.2.0\nputs 1\n")?;
//! assert_eq!(extraction.metadata.name.as_deref(), Some("count"));
//! assert_eq!(extraction.metadata.version.as_deref(), Some("1.2.0"));
//! assert!(!extraction.has_errors());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod data_file;
mod error;
mod extract;
mod extractor;
mod field;
mod item_path;
pub mod metadata;
mod nearest;
mod node;
mod parser;
mod placed;
mod problem;
mod reading;
mod rule;
mod text;

pub use data_file::read_data_file;
pub use error::{ExtractError, ExtractErrorKind, ExtractorError, ExtractorErrorKind};
pub use extract::Extraction;
pub use extractor::{Extractor, SignatureComment};
pub use field::Field;
pub use item_path::ItemPath;
pub use metadata::{ExecutorId, GRAPH_TYPE, Metadata};
pub use nearest::suggestion;
pub use parser::ParserKind;
pub use placed::{Placed, PlacedEntry, PlacedKind, read_placed_yaml};
pub use problem::{Position, Problem, Severity};
pub use text::MAX_FILE_BYTES;
