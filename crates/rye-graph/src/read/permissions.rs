//! `permissions` of a graph's file.

use rye_metadata::Placed;

use super::Report;
use super::fields::Fields;
use crate::graph::{PermissionPattern, Permissions};

pub(super) fn read(report: &mut Report, node: &Placed) -> Permissions {
    let found = Fields::new(report, "permissions", node, &["execute"])
        .and_then(|fields| fields.get("execute"))
        .and_then(|(field, node)| Some((field.clone(), report.list(&field, node)?)));
    let Some((field, items)) = found else { return Permissions::default() };
    let mut execute = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let field = format!("{field}.{index}");
        let Some(text) = report.text(&field, item) else { continue };
        match PermissionPattern::parse(&text) {
            Ok(pattern) => execute.push(pattern),
            Err(message) => report.error(&field, item.position, message),
        }
    }
    Permissions { execute }
}
