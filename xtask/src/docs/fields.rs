//! The reference of what a file can say about itself, from the types that it is read into.

use std::fmt::Write as _;
use std::path::Path;

use super::errors::cell;
use super::page::Page;
use super::rust_docs;
use crate::error::TaskError;

const FOLDER: &str = "crates/rye-metadata/src";

/// Chapters, with the file and the structs that hold their fields.
const CHAPTERS: [(&str, &str, &str, &[&str]); 6] = [
    (
        "All fields",
        "In Python they are spelt `__version__`, `__executor_id__`, `CONFIG`, `CONFIG_SCHEMA`, `ENV_CONFIG` and so on; \
         [Tools](../topics/tools.md) tells how each language does it.",
        "metadata.rs",
        &["Metadata"],
    ),
    (
        "`env_config`",
        "`env` sets variables in declared order, `include_dotenv: false` leaves `.env` files out, and every entry with a \
         `type` is an interpreter with these fields and the options of its type \
         ([Environment](../topics/environment.md)):",
        "metadata/env_config.rs",
        &["Interpreter"],
    ),
    ("`anchor`", "", "metadata/anchor.rs", &["Anchor"]),
    ("`anchor.env_paths`", "For each variable:", "metadata/anchor.rs", &["PathEdit"]),
    ("`verify_deps`", "", "metadata/verify_deps.rs", &["VerifyDeps"]),
    (
        "`worker`",
        "[Workers](../topics/workers.md) tells what a helper has to do.",
        "metadata/worker.rs",
        &["Worker", "WorkerHelper"],
    ),
];

pub(super) fn page(root: &Path) -> Result<Page, TaskError> {
    let mut text = String::from(
        "# Fields of a tool\n\nWhat a tool, a runtime or any other item can say about itself.\n",
    );
    for (title, about, file, structs) in CHAPTERS {
        let source = super::read(root, &format!("{FOLDER}/{file}"))?;
        let _ = write!(text, "\n## {title}\n\n");
        if !about.is_empty() {
            let _ = write!(text, "{about}\n\n");
        }
        text += "| field | what it is |\n|---|---|\n";
        for name in structs {
            let fields = rust_docs::fields(&source, name);
            if fields.is_empty() {
                let violations = vec![format!("{FOLDER}/{file} has no struct `{name}` with fields")];
                return Err(TaskError::Violations { check: "fields", violations });
            }
            for field in fields {
                let _ = writeln!(text, "| `{}` | {} |", field.name, cell(&field.words));
            }
        }
    }
    Ok(Page::new("reference/fields.md", FOLDER, &text))
}
