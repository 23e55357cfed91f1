//! The dependency graph, as `cargo metadata` tells it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Deserialize;

use crate::error::TaskError;

/// Every package of the workspace and everything that it depends on.
#[derive(Debug, Default)]
pub(super) struct Graph {
    members: BTreeSet<String>,
    packages: BTreeMap<String, Package>,
}

#[derive(Debug, Default)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Debug)]
struct Dependency {
    package: String,
    use_: Use,
}

/// When a dependency is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// In the product: a normal or a build dependency.
    Product,
    /// In tests, examples and benchmarks only.
    Tests,
}

impl Graph {
    /// Reads the answer of `cargo metadata --format-version 1`.
    pub(super) fn from_metadata(json: &str) -> Result<Self, TaskError> {
        let metadata: Metadata = serde_json::from_str(json).map_err(TaskError::Metadata)?;
        let mut packages: BTreeMap<String, Package> = metadata
            .packages
            .into_iter()
            .map(|package| (package.id, Package { name: package.name, dependencies: Vec::new() }))
            .collect();
        for node in metadata.resolve.nodes {
            packages.entry(node.id).or_default().dependencies =
                node.deps.into_iter().map(Dependency::from).collect();
        }
        Ok(Self { members: metadata.workspace_members.into_iter().collect(), packages })
    }

    /// The names of our own crates.
    pub(super) fn members(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|id| self.name(id))
    }

    /// What our crate of that name depends on directly.
    pub(super) fn direct(&self, member: &str) -> impl Iterator<Item = (&str, Use)> {
        self.member_id(member)
            .into_iter()
            .flat_map(|id| self.dependencies(id))
            .map(|dependency| (self.name(&dependency.package), dependency.use_))
    }

    /// The shortest way from our crate to a dependency of its product that `wanted` accepts.
    pub(super) fn path_to(&self, member: &str, wanted: impl Fn(&str) -> bool) -> Option<Vec<&str>> {
        let start = self.member_id(member)?;
        let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(id) = queue.pop_front() {
            if id != start && wanted(self.name(id)) {
                let mut path = vec![self.name(id)];
                let mut at = id;
                while let Some(&before) = came_from.get(at) {
                    path.push(self.name(before));
                    at = before;
                }
                path.reverse();
                return Some(path);
            }
            for dependency in self.dependencies(id).filter(|dependency| dependency.use_ == Use::Product) {
                let next = dependency.package.as_str();
                if next != start && !came_from.contains_key(next) {
                    came_from.insert(next, id);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    fn member_id(&self, name: &str) -> Option<&str> {
        self.members.iter().map(String::as_str).find(|id| self.name(id) == name)
    }

    fn name(&self, id: &str) -> &str {
        self.packages.get(id).map_or("", |package| package.name.as_str())
    }

    fn dependencies(&self, id: &str) -> impl Iterator<Item = &Dependency> {
        self.packages.get(id).into_iter().flat_map(|package| &package.dependencies)
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<MetadataPackage>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct MetadataPackage {
    id: String,
    name: String,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<NodeDependency>,
}

#[derive(Deserialize)]
struct NodeDependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

impl From<NodeDependency> for Dependency {
    fn from(node: NodeDependency) -> Self {
        let only_tests = node.dep_kinds.iter().all(|kind| kind.kind.as_deref() == Some("dev"));
        Self { package: node.pkg, use_: if only_tests { Use::Tests } else { Use::Product } }
    }
}

#[cfg(test)]
impl Graph {
    /// A graph whose members are the crates on the left; `~` before a dependency says that only tests have it.
    pub(super) fn of(edges: &[(&str, &[&str])]) -> Self {
        let mut graph = Self::default();
        for (from, to) in edges {
            let is_ours = !from.starts_with('+');
            let from = from.trim_start_matches('+');
            if is_ours {
                graph.members.insert(from.to_owned());
            }
            from.clone_into(&mut graph.packages.entry(from.to_owned()).or_default().name);
            for to in *to {
                let use_ = if to.starts_with('~') { Use::Tests } else { Use::Product };
                let name = to.trim_start_matches('~').to_owned();
                graph.packages.entry(name.clone()).or_default().name.clone_from(&name);
                let dependency = Dependency { package: name, use_ };
                graph.packages.entry((*from).to_owned()).or_default().dependencies.push(dependency);
            }
        }
        graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_cargo_prints() {
        let json = r#"{
            "packages": [{"id": "a#1", "name": "a"}, {"id": "b#1", "name": "b"}, {"id": "c#1", "name": "c"}],
            "workspace_members": ["a#1"],
            "resolve": {"nodes": [
                {"id": "a#1", "deps": [
                    {"pkg": "b#1", "dep_kinds": [{"kind": "dev"}, {"kind": null}]},
                    {"pkg": "c#1", "dep_kinds": [{"kind": "dev"}]}
                ]},
                {"id": "b#1", "deps": []}, {"id": "c#1", "deps": []}
            ]}
        }"#;
        let graph = Graph::from_metadata(json).unwrap();
        assert_eq!(graph.members().collect::<Vec<_>>(), ["a"]);
        assert_eq!(graph.direct("a").collect::<Vec<_>>(), [("b", Use::Product), ("c", Use::Tests)]);
    }

    #[test]
    fn finds_the_shortest_way_and_leaves_tests_out() {
        let graph = Graph::of(&[("a", &["b", "c", "~e"]), ("+b", &["c"]), ("+c", &["d"])]);
        assert_eq!(graph.path_to("a", |name| name == "d"), Some(vec!["a", "c", "d"]));
        assert_eq!(graph.path_to("a", |name| name == "e"), None);
    }
}
