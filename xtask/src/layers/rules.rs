//! Holding the graph against the table.

use super::graph::{Graph, Use};
use super::table::{FORBIDDEN, Forbidden, LAYERS, PROGRAMS, RESERVED, TOOLS};
use crate::error::TaskError;
use crate::invocation::Invocation;
use crate::workspace::Workspace;

/// Asks cargo for the graph and reports every rule that it breaks.
pub(crate) fn check_workspace(workspace: &Workspace) -> Result<(), TaskError> {
    let metadata = Invocation::cargo(workspace)
        .args(["metadata", "--format-version", "1", "--all-features", "--locked"])
        .read()?;
    let violations = violations(&Graph::from_metadata(&metadata)?);
    if violations.is_empty() {
        return Ok(());
    }
    Err(TaskError::Violations { check: "dependencies that break the layers", violations })
}

fn violations(graph: &Graph) -> Vec<String> {
    let mut found = Vec::new();
    for member in graph.members() {
        match Place::of(member) {
            None => found.push(format!(
                "`{member}` has no place in the order of the layers: add it to xtask/src/layers/table.rs"
            )),
            Some(place) => found.extend(upward(graph, member, place)),
        }
        found.extend(reserved(graph, member));
    }
    found.extend(FORBIDDEN.iter().filter_map(|rule| forbidden(graph, rule)));
    found
}

/// Where a crate of ours stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Layer(usize),
    Tool,
}

impl Place {
    fn of(name: &str) -> Option<Self> {
        if TOOLS.contains(&name) {
            return Some(Self::Tool);
        }
        LAYERS.iter().position(|layer| *layer == name).map(Self::Layer)
    }
}

/// Tests count too: a layer that needs a higher one to be tested is in the wrong place.
fn upward(graph: &Graph, member: &str, place: Place) -> Vec<String> {
    let complaint = |dependency: &str| match Place::of(dependency)? {
        Place::Tool => {
            Some(format!("`{member}` depends on `{dependency}`, a tool on which nothing may depend"))
        }
        Place::Layer(_) if PROGRAMS.contains(&dependency) && place != Place::Tool => {
            Some(format!("`{member}` depends on `{dependency}`, a program on which no layer may build"))
        }
        below if below < place => None,
        Place::Layer(_) => Some(format!("`{member}` depends on `{dependency}`, which is in a higher layer")),
    };
    graph.direct(member).filter_map(|(dependency, _)| complaint(dependency)).collect()
}

fn reserved(graph: &Graph, member: &str) -> Vec<String> {
    let of_product = graph.direct(member).filter(|(_, use_)| *use_ == Use::Product);
    of_product
        .filter_map(|(dependency, _)| {
            let rule = RESERVED.iter().find(|rule| rule.dependency == dependency)?;
            (!rule.only_in.contains(&member))
                .then(|| format!("`{member}` depends on `{dependency}`: {}", rule.because))
        })
        .collect()
}

fn forbidden(graph: &Graph, rule: &Forbidden) -> Option<String> {
    let path = graph
        .path_to(rule.crate_name, |name| rule.dependencies.iter().any(|pattern| pattern.matches(name)))?;
    Some(format!("`{}`: {}", path.join("` -> `"), rule.because))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(edges: &[(&str, &[&str])], expect: &[&str]) {
        assert_eq!(violations(&Graph::of(edges)), expect);
    }

    #[test]
    fn downward_is_fine() {
        check(
            &[
                ("lillux", &["rustix", "~proptest"]),
                ("lillux-cli", &["lillux", "clap"]),
                ("rye-mcp", &["rye-engine", "rmcp"]),
                ("rye-engine", &["rye-item", "lillux"]),
                ("rye-item", &[]),
                ("rye", &["rye-mcp", "clap", "~rmcp"]),
                ("rye-bench", &["lillux", "rye", "clap"]),
                ("xtask", &["serde_json"]),
            ],
            &[],
        );
    }

    #[test]
    fn upward_is_refused_even_in_tests() {
        check(
            &[("rye-item", &["rye-engine"]), ("rye-engine", &[])],
            &["`rye-item` depends on `rye-engine`, which is in a higher layer"],
        );
        check(
            &[("lillux", &["~rye-run"]), ("rye-run", &[])],
            &["`lillux` depends on `rye-run`, which is in a higher layer"],
        );
    }

    #[test]
    fn nothing_builds_on_programs_and_tools() {
        check(
            &[("rye-run", &["lillux-cli"]), ("lillux-cli", &[])],
            &["`rye-run` depends on `lillux-cli`, a program on which no layer may build"],
        );
        check(
            &[("rye", &["rye-bench"]), ("rye-bench", &[])],
            &["`rye` depends on `rye-bench`, a tool on which nothing may depend"],
        );
    }

    #[test]
    fn a_crate_without_a_place_is_told_where_to_get_one() {
        check(
            &[("rye-sandbox", &[])],
            &["`rye-sandbox` has no place in the order of the layers: add it to xtask/src/layers/table.rs"],
        );
    }

    #[test]
    fn reserved_dependencies_stay_in_their_crate() {
        check(
            &[("rye-engine", &["rmcp"])],
            &[
                "`rye-engine` depends on `rmcp`: one crate knows the protocol's library, so that it can be changed \
               in one place",
            ],
        );
        check(
            &[("rye-run", &["clap"])],
            &[
                "`rye-run` depends on `clap`: arguments of a command line are parsed in programs, not in libraries",
            ],
        );
    }

    #[test]
    fn the_kernel_is_kept_clean_through_others_too() {
        let because =
            "the microkernel gets resolved values: it parses neither command lines nor configuration";
        check(
            &[("lillux", &["settings"]), ("+settings", &["serde-saphyr"])],
            &[&format!("`lillux` -> `settings` -> `serde-saphyr`: {because}")],
        );
        check(
            &[("lillux", &["helper"]), ("+helper", &["clap"])],
            &[&format!("`lillux` -> `helper` -> `clap`: {because}")],
        );
        check(&[("lillux", &["~insta"]), ("+insta", &["serde_yaml"])], &[]);
    }

    #[test]
    fn every_program_is_a_layer() {
        assert!(PROGRAMS.iter().all(|program| LAYERS.contains(program)));
    }
}
