//! JSON: `serde_json` bounds the depth, the node visitor refuses duplicate keys.

use super::{ParserKind, require_map};
use crate::node::Node;
use crate::text::{Spot, Text};
use crate::{ExtractErrorKind, Position};

pub(super) fn parse(text: &Text<'_>) -> Result<Node, ExtractErrorKind> {
    let node = serde_json::from_str(text.as_str()).map_err(|error| {
        let number = |value| u32::try_from(value).unwrap_or(u32::MAX);
        // Line 0 stands for "nowhere".
        let at = match error.line() {
            0 => Spot::Unknown,
            line => Spot::At(Position { line: number(line), column: number(error.column().max(1)) }),
        };
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        ParserKind::Json.syntax_error(message, text, at)
    })?;
    require_map(ParserKind::Json, node, text)
}
