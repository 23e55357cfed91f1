//! Holding the engine's sources against the names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::bundle::{files_below, runtime_names};
use super::names::RuntimeNames;
use super::source::Source;
use super::table::{EXCEPTIONS, Names};
use crate::error::TaskError;
use crate::workspace::Workspace;

/// Reads the sources of all crates of the engine and reports every runtime that they name.
pub(crate) fn check_workspace(workspace: &Workspace) -> Result<(), TaskError> {
    let violations = violations(workspace.root())?;
    if violations.is_empty() {
        return Ok(());
    }
    Err(TaskError::Violations { check: "names of runtimes in the engine", violations })
}

fn violations(root: &Path) -> Result<Vec<String>, TaskError> {
    let names = runtime_names(root)?;
    let mut found = Vec::new();
    for crate_folder in engine_crates(root)? {
        let sources = read_sources(&crate_folder)?;
        for (file, source) in &sources {
            if is_test(file, &sources) {
                continue;
            }
            let shown = file.strip_prefix(root).unwrap_or(file);
            found.extend(named_in(shown, source, &names));
        }
    }
    Ok(found)
}

/// `crates/rye` and all `crates/rye-*`.
fn engine_crates(root: &Path) -> Result<Vec<PathBuf>, TaskError> {
    let crates = root.join("crates");
    let cannot_list = |source| TaskError::File { action: "list the folder", path: crates.clone(), source };
    let mut folders = Vec::new();
    for entry in fs::read_dir(&crates).map_err(cannot_list)? {
        let entry = entry.map_err(cannot_list)?;
        let name = entry.file_name();
        if name == "rye" || name.to_string_lossy().starts_with("rye-") {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}

fn read_sources(crate_folder: &Path) -> Result<BTreeMap<PathBuf, Source>, TaskError> {
    let files = files_below(&crate_folder.join("src"))?;
    let rust = files.into_iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs"));
    rust.map(|file| match fs::read_to_string(&file) {
        Ok(text) => Ok((file, Source::read(&text))),
        Err(source) => Err(TaskError::File { action: "read", path: file, source }),
    })
    .collect()
}

/// Whether some file of the crate declares this one, or a folder around it, as a module of tests.
fn is_test(file: &Path, sources: &BTreeMap<PathBuf, Source>) -> bool {
    sources.iter().any(|(parent, source)| {
        let folder = folder_of_submodules(parent);
        source.test_modules.iter().any(|module| {
            file == folder.join(module).with_extension("rs") || file.starts_with(folder.join(module))
        })
    })
}

fn folder_of_submodules(file: &Path) -> PathBuf {
    let is_root = file.file_stem().is_some_and(|stem| stem == "mod" || stem == "lib" || stem == "main");
    if is_root { file.parent().unwrap_or(file).to_path_buf() } else { file.with_extension("") }
}

fn named_in(file: &Path, source: &Source, names: &RuntimeNames) -> Vec<String> {
    let literals = source.literals.iter();
    literals
        .filter_map(|literal| {
            let name = names.said_by(&literal.text)?;
            (!is_excepted(file, name)).then(|| {
                format!(
                    "{}:{}: names `{name}`: what is special about a runtime belongs in its file in the bundle",
                    file.display(),
                    literal.line
                )
            })
        })
        .collect()
}

fn is_excepted(file: &Path, name: &str) -> bool {
    EXCEPTIONS.iter().any(|exception| {
        file.starts_with(exception.path)
            && match exception.names {
                Names::All => true,
                Names::Only(names) => names.contains(&name),
            }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], expect: &[&str]) {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let places: Vec<_> = violations(root.path())
            .unwrap()
            .iter()
            .map(|words| words.split_once(": what").unwrap().0.to_owned())
            .collect();
        assert_eq!(places, expect);
    }

    #[test]
    fn an_interpreter_in_the_engine_is_found() {
        check(
            &[
                (
                    "crates/rye-run/src/lib.rs",
                    "// python\nfn f(p: &str) -> bool {\n    p == \"python3\"\n}\n",
                ),
                ("crates/rye/src/main.rs", "fn main() { run(\"bash -c true\") }"),
                ("crates/lillux/src/lib.rs", "const SHELL: &str = \"bash\";"),
            ],
            &["crates/rye/src/main.rs:1: names `bash`", "crates/rye-run/src/lib.rs:3: names `python3`"],
        );
    }

    #[test]
    fn runtimes_of_the_bundle_are_found_by_both_their_ids() {
        check(
            &[
                ("bundle/.ai/tools/rye/core/runtimes/lua/script.yaml", ""),
                ("bundle/.ai/tools/rye/core/runtimes/lua_runtime.yaml", ""),
                ("bundle/.ai/tools/rye/core/search_all.yaml", ""),
                (
                    "crates/rye-plan/src/chain.rs",
                    "[\"rye/core/runtimes/lua/script\", \"lua_runtime\", \"script\", \"search_all\"]",
                ),
            ],
            &[
                "crates/rye-plan/src/chain.rs:1: names `rye/core/runtimes/lua/script`",
                "crates/rye-plan/src/chain.rs:1: names `lua_runtime`",
            ],
        );
    }

    #[test]
    fn tests_and_excepted_places_may_name_them() {
        check(
            &[
                ("crates/rye-run/src/lib.rs", "#[cfg(test)]\nmod cases;\nmod pool;"),
                ("crates/rye-run/src/cases.rs", "const P: &str = \"python\";"),
                ("crates/rye-run/src/pool.rs", "#[cfg(test)]\nmod tests;"),
                ("crates/rye-run/src/pool/tests/fork.rs", "const P: &str = \"python\";"),
                ("crates/rye-run/tests/all.rs", "const P: &str = \"python\";"),
                ("crates/rye-metadata/src/parsers.rs", "const P: &str = \"python\";"),
                ("crates/rye-env/src/resolvers/venv_python.rs", "const P: &str = \"python3\";"),
                ("crates/rye-graph/src/walker.rs", "const N: &str = \"node\";"),
            ],
            &[],
        );
    }

    #[test]
    fn an_exception_goes_no_further_than_it_says() {
        check(
            &[
                ("crates/rye-env/src/resolve.rs", "const P: &str = \"ruby\";"),
                ("crates/rye-graph/src/walker.rs", "const N: &str = \"deno\";"),
            ],
            &[
                "crates/rye-env/src/resolve.rs:1: names `ruby`",
                "crates/rye-graph/src/walker.rs:1: names `deno`",
            ],
        );
    }
}
