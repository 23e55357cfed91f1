//! TOML: the `toml` crate bounds the depth and knows the place of every value.

use serde_json::Number;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::ParserKind;
use crate::ExtractErrorKind;
use crate::node::{Entry, Node, NodeKind};
use crate::text::{Spot, Text};

/// The parser makes a token of every other byte before it looks at any.
const MAX_BYTES: usize = 2 * 1024 * 1024;

pub(super) fn parse(text: &Text<'_>) -> Result<Node, ExtractErrorKind> {
    if text.as_str().len() > MAX_BYTES {
        let message = format!("more than {MAX_BYTES} bytes of TOML");
        return Err(ExtractErrorKind::TooComplex { message, position: None });
    }
    let table = DeTable::parse(text.as_str()).map_err(|error| {
        let at = error.span().map_or(Spot::Unknown, |span| Spot::Offset(span.start));
        ParserKind::Toml.syntax_error(error.message(), text, at)
    })?;
    let kind = map(table.get_ref()).map_err(|refusal| {
        ParserKind::Toml.syntax_error(refusal.message, text, Spot::Offset(refusal.offset))
    })?;
    Ok(Node { at: Spot::Offset(0), kind })
}

struct BadNumber {
    message: String,
    offset: usize,
}

fn map(table: &DeTable<'_>) -> Result<NodeKind, BadNumber> {
    let entries = table.iter().map(|(key, value)| {
        Ok(Entry {
            key: key.get_ref().to_string(),
            key_at: Spot::Offset(key.span().start),
            value: node(value)?,
        })
    });
    entries.collect::<Result<_, _>>().map(NodeKind::Map)
}

fn node(value: &Spanned<DeValue<'_>>) -> Result<Node, BadNumber> {
    let offset = value.span().start;
    let bad = |message: String| BadNumber { message, offset };
    let kind = match value.get_ref() {
        DeValue::String(text) => NodeKind::Text(text.to_string()),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map(|integer| NodeKind::Number(integer.into()))
            .map_err(|_| bad(format!("`{integer}` does not fit into 64 bits")))?,
        DeValue::Float(float) => float
            .as_str()
            .parse()
            .ok()
            .and_then(Number::from_f64)
            .map(NodeKind::Number)
            .ok_or_else(|| bad("numbers must be finite".to_owned()))?,
        DeValue::Boolean(bool) => NodeKind::Bool(*bool),
        DeValue::Datetime(datetime) => NodeKind::Text(datetime.to_string()),
        DeValue::Array(items) => NodeKind::List(items.iter().map(node).collect::<Result<_, _>>()?),
        DeValue::Table(table) => map(table)?,
    };
    Ok(Node { at: Spot::Offset(offset), kind })
}
