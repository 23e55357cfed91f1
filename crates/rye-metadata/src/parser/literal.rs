//! What the literals of the source languages have in common.

use serde_json::Number;

use super::Refusal;
use crate::node::{MAX_VALUE_DEPTH, NodeKind};
use crate::text::Spot;

/// A value, or why there is none.
pub(super) type Literal<T> = Result<T, Refusal>;

pub(super) fn refuse<T>(reason: impl Into<String>, offset: u32) -> Literal<T> {
    Err(Refusal { reason: reason.into(), at: Spot::Offset(offset as usize) })
}

/// One level deeper, unless that is too deep.
pub(super) fn deeper(depth: usize, offset: u32) -> Literal<usize> {
    if depth >= MAX_VALUE_DEPTH {
        return refuse(format!("is nested more than {MAX_VALUE_DEPTH} levels deep"), offset);
    }
    Ok(depth + 1)
}

pub(super) fn float(value: f64, offset: u32) -> Literal<NodeKind> {
    match Number::from_f64(value) {
        Some(number) => Ok(NodeKind::Number(number)),
        None => refuse("has a number that is not finite", offset),
    }
}
