//! `cargo xtask docs`: the pages below `docs/src` that say what the code says, and the checks of all others.
//!
//! Nothing is written twice: guides are the topics of `rye help`, and references are made from the program, the schemas
//! and the sources. What is made is committed, so that it can be read without building anything, and `--check` tells
//! whether it is up to date.

mod errors;
mod fields;
mod graph_schema;
mod links;
mod page;
mod runtimes;
mod rust_docs;
mod site;
mod summary;
mod topics;

use std::path::Path;

use self::page::Page;
use crate::error::TaskError;
use crate::invocation::Invocation;
use crate::program::{Profile, Program, nothing_left};
use crate::workspace::Workspace;

/// Makes the pages, or with `--check` compares them with what they should be; checks all links; with `--build` makes the
/// site.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), TaskError> {
    let mut args = args.to_vec();
    let program = Program::take(&mut args, Profile::Dev)?;
    let mut takes = |flag: &str| {
        let before = args.len();
        args.retain(|arg| arg != flag);
        args.len() < before
    };
    let (check, build) = (takes("--check"), takes("--build"));
    nothing_left(&args)?;
    let rye = program.path(workspace)?;
    let pages = pages(workspace, &rye)?;
    let folder = workspace.root().join("docs/src");
    if check {
        page::compare(&folder, &pages)?;
    } else {
        page::write(&folder, &pages)?;
    }
    links::check(workspace.root())?;
    println!("docs: {} pages made, all links lead somewhere", pages.len());
    if build { site::build(workspace) } else { Ok(()) }
}

fn pages(workspace: &Workspace, rye: &Path) -> Result<Vec<Page>, TaskError> {
    let root = workspace.root();
    let topics = topics::read(root)?;
    let commands = Invocation::new(rye).in_folder(root).args(["man", "--markdown"]).read()?;
    let mut pages: Vec<Page> = topics.iter().map(topics::Topic::page).collect();
    pages.push(Page::new("reference/commands.md", "`rye man --markdown`", &commands));
    pages.push(errors::page(root)?);
    pages.push(fields::page(root)?);
    pages.push(runtimes::page(root, rye)?);
    pages.push(graph_schema::page(root)?);
    pages.push(summary::page(root, &topics));
    Ok(pages)
}

/// Reads a file of the workspace.
fn read(root: &Path, name: &str) -> Result<String, TaskError> {
    let path = root.join(name);
    std::fs::read_to_string(&path).map_err(|source| TaskError::File { action: "read", path, source })
}
