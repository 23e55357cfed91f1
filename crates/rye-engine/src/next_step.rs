//! What to do about an error for which nothing better is known: the command that shows more.

use rye_graph::driver::GraphJournalErrorKind;
use rye_item::{ItemKind, ItemRef, LocateErrorKind, Space, SpaceError, SpaceErrorKind};
use rye_run::runner::RunnerError;
use rye_run::secrets::SecretError;
use rye_trust::{KeyFileProblem, KeyFolderError, shell_word};

use crate::{EngineError, LockError, TextItemError};

/// Only an error whose own words have the command in them has none.
pub(crate) fn of_error(error: &EngineError) -> Option<String> {
    let text = match error {
        EngineError::InvalidId(_) => "an id looks like `demo/greet`; run `rye search` to see which there are",
        EngineError::Space(error) => return Some(of_space(error)),
        EngineError::Locate(error) => match error.kind() {
            LocateErrorKind::NotAFile { path } | LocateErrorKind::Open { path, .. } => {
                return Some(format!("run `ls -ld {}`, and put a plain file there", shell_word(path)));
            }
            _ => SEARCH,
        },
        EngineError::Read(_) => "put a plain file there that is smaller and that you can read",
        EngineError::NoSuchPart { kind, id, .. } => {
            return Some(format!("run `rye load {id}{}` to see what it has", option(*kind)));
        }
        EngineError::Chain(error) => return Some(explain(&error.item)),
        EngineError::Plan(error) => return Some(explain(&error.item)),
        EngineError::Run(RunnerError::Spawn(_)) => INTERPRETERS,
        EngineError::Run(RunnerError::Output { .. } | RunnerError::Capture(_)) => WRITABLE,
        EngineError::Run(_) => "check the address and the network, and run it again",
        EngineError::Text(TextItemError::Missing { item, .. }) => {
            let kind = option(item.kind);
            return Some(format!("run `rye execute{kind} {} --help` to see its parameters", item.id));
        }
        EngineError::Text(TextItemError::NotText { item }) => {
            return Some(format!("run `rye load {}{}` to see it", item.id, option(item.kind)));
        }
        EngineError::Lock(LockError::Version { item, .. }) => {
            return Some(format!("give it a version like `1.0.0`, then run `rye sign {}`", item.id));
        }
        EngineError::Lock(LockError::File { path, .. }) => {
            return Some(format!("run `rm {}`, and lock the item again with `rye lock`", shell_word(path)));
        }
        EngineError::SecretName(_) => "give it a name like `API_TOKEN`",
        EngineError::Secret(SecretError::Value { name, .. }) => {
            return Some(format!(
                "run `rye secret set {name}`, and type the value or write it to standard input"
            ));
        }
        EngineError::Secret(_) | EngineError::Mask(_) => "run `rye secret list` to see which there are",
        EngineError::NotCancelled { pid, .. } => {
            return Some(format!("run `kill -9 {pid}`: what it watches over ends with it"));
        }
        EngineError::Supervisor(_) => "whoever started the run can end it with `rye runs cancel`",
        EngineError::NoDescriptor(_) => "run `ulimit -n 4096`, and then the command again",
        EngineError::InvalidPattern { .. } => "write it like `'my/**'`, with quotes around it",
        EngineError::NotAgreed { item } => return Some(format!("run `rye execute {}` yourself", item.id)),
        EngineError::NotAGraph { item } => return Some(format!("run `rye execute {}`", item.id)),
        EngineError::NoSuchNode { item, .. } => {
            return Some(format!("run `rye graph show {}` to see its nodes", item.id));
        }
        EngineError::GraphCycle { path } => {
            let graph = path.first().map_or("ID", String::as_str);
            return Some(format!("run `rye graph show {graph}` to see its steps"));
        }
        EngineError::GraphRunOver { .. } | EngineError::NoQuestion { .. } => GRAPH_RUNS,
        EngineError::GraphJournal(error) => match error.kind() {
            GraphJournalErrorKind::NotFound => GRAPH_RUNS,
            _ => WRITABLE,
        },
        EngineError::Keys(KeyFolderError::File { problem: KeyFileProblem::Stored(_), .. }) => return None,
        _ => WRITABLE,
    };
    Some(text.to_owned())
}

const SEARCH: &str = "run `rye search` to see which there are";
const INTERPRETERS: &str = "run `rye doctor` to see which interpreters are there";
const WRITABLE: &str = "run `rye doctor` to see which folders can be used";
const GRAPH_RUNS: &str = "run `rye graph runs` to see which there are";

fn of_space(error: &SpaceError) -> String {
    let path = shell_word(error.path());
    match (error.kind(), error.space()) {
        (SpaceErrorKind::Missing, Space::Project) => {
            format!("run `mkdir -p {path}`, or name another folder with `--project`")
        }
        (SpaceErrorKind::Missing, Space::System) => "run `unset RYE_SYSTEM_SPACE`".to_owned(),
        (SpaceErrorKind::Link, _) => format!("run `rm {path}`, then `rye init`; what it leads to stays"),
        _ => format!("run `ls -ld {path}` to see whose it is"),
    }
}

fn explain(item: &ItemRef) -> String {
    format!("run `rye explain {}` to see everything that has a say", item.id)
}

/// The option that names a kind that is not the usual one.
fn option(kind: ItemKind) -> String {
    if kind == ItemKind::Tool { String::new() } else { format!(" --kind {kind}") }
}
