//! Placeholders in declared values.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rye_template::{Names, Piece, Scope, Template};

use crate::error::VariableErrorKind;

/// The most bytes that a value can have: the kernel takes no longer one.
pub const MAX_VALUE_BYTES: usize = 128 * 1024;

/// Fills in `${VAR}` from `variables` and `{name}` from `names`, in one pass. Values need not be text.
pub(crate) fn expand<'v>(
    text: &str,
    variables: impl Fn(&str) -> Option<&'v OsStr>,
    names: &Names<'_>,
) -> Result<OsString, VariableErrorKind> {
    let template = Template::parse(text);
    let mut expanded: Vec<u8> = Vec::with_capacity(text.len());
    for piece in template.pieces_with(variables, |value| value.is_empty()) {
        match piece {
            Piece::Literal(text) => expanded.extend_from_slice(text.as_bytes()),
            Piece::Variable(value) => expanded.extend_from_slice(value.as_bytes()),
            Piece::Name(source) => {
                let scope = Scope::new(names, |_: &str| None::<&str>).with_limit(MAX_VALUE_BYTES);
                let value = scope.render_text(source).map_err(|_| VariableErrorKind::TooLarge)?;
                expanded.extend_from_slice(value.as_bytes());
            }
        }
        if expanded.len() > MAX_VALUE_BYTES {
            return Err(VariableErrorKind::TooLarge);
        }
    }
    if expanded.contains(&0) {
        return Err(VariableErrorKind::Nul);
    }
    Ok(OsString::from_vec(expanded))
}
