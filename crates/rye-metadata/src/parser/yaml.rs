//! YAML: `serde-saphyr` refuses bombs, deep nesting and duplicate keys, and knows the place of every value.

use serde::de::{Deserialize, Deserializer};
use serde_saphyr::{Options, Spanned, UserMessageFormatter};

use super::{ParserKind, require_map};
use crate::node::{KindVisitor, Node, NodeKind};
use crate::text::{Spot, Text};
use crate::{ExtractErrorKind, Position};

/// Stack for the deepest nesting that is read, which takes a quarter of this; several times as much without
/// optimisation.
const STACK: usize = if cfg!(debug_assertions) { 6 * 1024 * 1024 } else { 1024 * 1024 };

const MAX_DEPTH: usize = 64;
const MAX_NODES: usize = 50_000;

/// The file as a map of fields.
pub(crate) fn parse(text: &Text<'_>) -> Result<Node, ExtractErrorKind> {
    let node = parse_part(text.as_str(), 0).map_err(|error| error.into_kind(ParserKind::Yaml, text))?;
    require_map(ParserKind::Yaml, node, text)
}

/// YAML that is not a whole file: any value, its places counted from the start of the fragment.
pub(crate) fn parse_fragment(fragment: &str) -> Result<Node, String> {
    parse_part(fragment, 0).map_err(|error| error.message)
}

pub(super) struct YamlError {
    message: String,
    at: Spot,
}

impl YamlError {
    pub(super) fn into_kind(self, kind: ParserKind, text: &Text<'_>) -> ExtractErrorKind {
        kind.syntax_error(self.message, text, self.at)
    }
}

/// Parses `part`, which starts after `lines_before` lines of its file.
pub(super) fn parse_part(part: &str, lines_before: u32) -> Result<Node, YamlError> {
    let parsed = stacker::maybe_grow(STACK, STACK, || {
        serde_saphyr::from_str_with_options::<PlacedNode>(part, options())
    });
    let mut node = parsed
        .map_err(|error| YamlError {
            at: error.location().map_or(Spot::Unknown, |location| spot(location, lines_before)),
            message: plain_message(error.without_snippet()),
        })?
        .0;
    if lines_before > 0 {
        shift(&mut node, lines_before);
    }
    Ok(node)
}

fn options() -> Options {
    // An alias may be replayed as often as an honest file needs it, which is far less than what takes long.
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_nodes: MAX_NODES, max_events: 200_000, max_depth: MAX_DEPTH },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 100_000 },
        strict_booleans: true,
        with_snippet: false,
    }
}

/// A node that takes its place from the deserialiser.
struct PlacedNode(Node);

struct Kind(NodeKind);

impl<'de> Deserialize<'de> for PlacedNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Kind>::deserialize(deserializer)?;
        Ok(Self(Node { at: spot(spanned.referenced, 0), kind: spanned.value.0 }))
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindVisitor(|node: PlacedNode| node.0)).map(Self)
    }
}

fn spot(location: serde_saphyr::Location, lines_before: u32) -> Spot {
    let number = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    match number(location.line()) {
        0 => Spot::Unknown,
        line => Spot::At(Position { line: line + lines_before, column: number(location.column()) }),
    }
}

fn shift(node: &mut Node, lines: u32) {
    shift_spot(&mut node.at, lines);
    match &mut node.kind {
        NodeKind::List(items) => items.iter_mut().for_each(|item| shift(item, lines)),
        NodeKind::Map(entries) => {
            for entry in entries {
                shift_spot(&mut entry.key_at, lines);
                shift(&mut entry.value, lines);
            }
        }
        NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_) => {}
    }
}

fn shift_spot(spot: &mut Spot, lines: u32) {
    if let Spot::At(position) = spot {
        position.line += lines;
    }
}

/// The message without its place, which is reported on its own.
fn plain_message(error: &serde_saphyr::Error) -> String {
    let message = error.render_with_formatter(&UserMessageFormatter);
    let line = message.lines().next().unwrap_or_default();
    // The library names its limits as its code does, and within an alias it has nothing but these words.
    match line.split_once("limits breached: ").map(|(_, limit)| limit) {
        Some(limit) if limit.starts_with("Nodes") => format!("there are more than {MAX_NODES} values in it"),
        Some(limit) if limit.starts_with("Depth") => {
            format!("it is nested more than {MAX_DEPTH} levels deep")
        }
        _ => line.split(" at line ").next().unwrap_or(line).to_owned(),
    }
}
