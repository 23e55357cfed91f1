//! What an executor demands of the item that it executes.

use rye_item::ItemId;
use rye_metadata::metadata::VersionConstraint;

use super::element::Element;
use super::issue::ChainIssue;

/// Everything that is wrong between an item and its executor.
pub(super) fn check(child: &Element, executor: &Element) -> Vec<ChainIssue> {
    let mut issues = Vec::new();
    if !child.space().may_depend_on(executor.space()) {
        issues.push(ChainIssue::SpaceViolation {
            item: child.item().clone(),
            space: child.space(),
            executor: executor.item().id.clone(),
            executor_space: executor.space(),
        });
    }
    issues.extend(version(child, executor));
    issues.extend(ports(child, executor));
    issues
}

fn version(child: &Element, executor: &Element) -> Option<ChainIssue> {
    let constraints = &executor.metadata.child_constraints;
    let constraint = constraints.iter().find(|(name, _)| is_meant(name, &child.item().id));
    let (_, constraint) = constraint?;
    let accepted = match child.metadata.semver() {
        Some(version) => constraint.accepts(&version),
        None => is_anything(constraint),
    };
    (!accepted).then(|| ChainIssue::Version {
        executor: executor.item().id.clone(),
        item: child.item().clone(),
        constraint: constraint.clone(),
        version: child.metadata.version.clone(),
    })
}

/// A constraint names an item by its id or its bare name, or all by `*`.
fn is_meant(name: &str, child: &ItemId) -> bool {
    name == child.as_str() || name == child.stem() || name == "*"
}

fn is_anything(constraint: &VersionConstraint) -> bool {
    matches!(constraint, VersionConstraint::Range { min_version: None, max_version: None })
}

fn ports(child: &Element, executor: &Element) -> Option<ChainIssue> {
    let outputs = &child.metadata.outputs;
    let needed = executor.metadata.inputs.iter().filter(|input| input.required != Some(false));
    let missing = needed.filter(|input| outputs.iter().all(|output| output.name != input.name));
    let missing: Vec<String> = missing.map(|input| input.name.clone()).collect();
    (!missing.is_empty()).then(|| ChainIssue::Ports {
        executor: executor.item().id.clone(),
        item: child.item().clone(),
        missing,
    })
}
