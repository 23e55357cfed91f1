//! A made-up project with as many tools as wanted.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;

/// A project with a home folder beside it, in a temporary folder that is removed when dropped.
pub(crate) struct Tree {
    folder: PathBuf,
    count: usize,
}

const VERBS: [&str; 16] = [
    "read",
    "write",
    "list",
    "fetch",
    "send",
    "parse",
    "merge",
    "split",
    "convert",
    "compress",
    "archive",
    "deploy",
    "restart",
    "inspect",
    "validate",
    "summarise",
];
const NOUNS: [&str; 20] = [
    "file",
    "folder",
    "image",
    "invoice",
    "calendar",
    "message",
    "container",
    "cluster",
    "database",
    "table",
    "commit",
    "branch",
    "ticket",
    "customer",
    "report",
    "certificate",
    "sensor",
    "playlist",
    "document",
    "spreadsheet",
];
const QUALITIES: [&str; 12] = [
    "quickly",
    "safely",
    "in parallel",
    "with retries",
    "as JSON",
    "for a given user",
    "from a URL",
    "by pattern",
    "without network",
    "incrementally",
    "in the background",
    "with a preview",
];

impl Tree {
    pub(crate) fn generate(count: usize) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("rye-bench-tree-{}-{count}", std::process::id()));
        let tree = Self { folder, count };
        fs::create_dir_all(tree.home())?;
        for number in 0..count {
            let path = tree.tools().join(format!("{}.{}", id(number), extension(number)));
            if let Some(parent) = path.parent().filter(|parent| !parent.is_dir()) {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, content(number))?;
        }
        Ok(tree)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    pub(crate) fn tools(&self) -> PathBuf {
        self.project().join(".ai/tools")
    }

    /// An id from the middle.
    pub(crate) fn some_id(&self) -> String {
        id(self.count / 2)
    }

    /// Queries of one to three words, some of them misspelt.
    pub(crate) fn queries(&self) -> Vec<String> {
        let mut queries = Vec::new();
        for number in 0..60 {
            let (verb, noun, quality) = words(number * 7919 % self.count.max(1));
            queries.push(match number % 5 {
                0 => noun.to_owned(),
                1 => format!("{verb} {noun}"),
                2 => format!("{verb} {noun} {}", quality.split(' ').next_back().unwrap_or(quality)),
                3 => format!("{}{} {verb}", &noun[1..2], &noun[..1]) + &noun[2..],
                _ => format!("{noun} category:group{}", number % 10),
            });
        }
        queries
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Reads the facts of every file below a folder, and does nothing with them.
pub(crate) fn stat_walk(folder: &Path) -> Result<usize> {
    use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat};
    let mut count = 0;
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let descriptor = openat(CWD, &path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
        for entry in Dir::read_from(&descriptor)? {
            let entry = entry?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            if entry.file_type() == FileType::Directory {
                waiting.push(path.join(name.to_str()?));
            } else {
                statat(&descriptor, name, AtFlags::SYMLINK_NOFOLLOW)?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// What a tool of this number is about.
pub(crate) fn words(number: usize) -> (&'static str, &'static str, &'static str) {
    (VERBS[number % 16], NOUNS[number / 16 % 20], QUALITIES[number / 320 % 12])
}

pub(crate) fn id(number: usize) -> String {
    let (verb, noun, _) = words(number);
    format!("group{}/{noun}/{verb}_{noun}_{number}", number % 97)
}

pub(crate) fn extension(number: usize) -> &'static str {
    ["py", "yaml", "sh", "js"][number % 4]
}

pub(crate) fn content(number: usize) -> String {
    let (verb, noun, quality) = words(number);
    let (category, description) =
        (format!("group{}/{noun}", number % 97), format!("Tool {number}: {verb} a {noun} {quality}."));
    let mut text = String::new();
    let _ = match extension(number) {
        "py" => write!(
            text,
            "\"\"\"{description}\n\nUse it to {verb} one {noun} or many.\n\"\"\"\n\n__version__ = \"1.{number}.0\"\n\
             __tool_type__ = \"python\"\n__executor_id__ = \"python_runtime\"\n__category__ = \"{category}\"\n\n\
             CONFIG_SCHEMA = {{\"type\": \"object\", \"properties\": {{\"{noun}\": {{\"type\": \"string\"}}}}}}\n\n\n\
             def main({noun}=None):\n    return {{\"done\": {noun}}}\n"
        ),
        "yaml" => write!(
            text,
            "version: \"1.{number}.0\"\ntool_type: tool\nexecutor_id: subprocess\ncategory: {category}\n\
             description: \"{description}\"\ntags: [{verb}, {noun}]\nconfig:\n  command: echo\n  args: [\"{noun}\"]\n"
        ),
        "sh" => write!(
            text,
            "#!/bin/bash\n# version: 1.{number}.0\n# tool_type: shell\n# executor_id: bash\n# category: {category}\n\
             # description: {description}\n\necho {noun}\n"
        ),
        _ => write!(
            text,
            "/** {description} */\nexport const __version__ = \"1.{number}.0\";\nexport const __tool_type__ = \"javascript\";\n\
             export const __executor_id__ = \"node_runtime\";\nexport const __category__ = \"{category}\";\n\
             export default ({noun}) => ({{ done: {noun} }});\n"
        ),
    };
    text
}
