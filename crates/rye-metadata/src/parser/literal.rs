//! What the literals of the source languages have in common.

use std::collections::HashMap;

use serde_json::Number;

use super::Refusal;
use crate::node::{Entry, MAX_VALUE_DEPTH, NodeKind};
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

/// The entries of a map with equal keys: as in both languages, the last value wins, at the place of the first.
pub(super) fn last_wins(entries: Vec<Entry>) -> NodeKind {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut distinct: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries {
        if let Some(&place) = places.get(&entry.key) {
            distinct[place] = entry;
        } else {
            places.insert(entry.key.clone(), distinct.len());
            distinct.push(entry);
        }
    }
    NodeKind::Map(distinct)
}
