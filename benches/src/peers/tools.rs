//! The tools that both systems have.

use crate::tree::words;

/// What is searched for, and what has to be among the answers.
pub(crate) const QUERY: &str = "merge invoice";
pub(crate) const FOUND: &str = "merge_invoice";

/// The same as it stands in the files.
pub(crate) const PHRASE: &str = "merge a invoice";

/// What the shell tools print. No path and no error has it.
pub(crate) const GREETING: &str = "good-morning";

pub(crate) const SHELL_COMMAND: &str = "echo good-morning";
pub(crate) const NAP_COMMAND: &str = "sleep 0.1; echo good-morning";

/// A program that does what the Python function does.
pub(crate) const BARE_FUNCTION: &str = r#"import json, re, pathlib, sys
params = json.loads(sys.stdin.read())
words = re.findall(r"\w+", "some words and some more")
print(json.dumps({"words": len(words), "name": pathlib.Path(".").resolve().name}))
"#;

const FUNCTION: &str = r#""""Counts words."""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "demo"
__tool_description__ = "Counts words"
import json, re, pathlib

CONFIG_SCHEMA = {"type": "object", "properties": {}}


def execute(params, project_path):
    words = re.findall(r"\w+", "some words and some more")
    return {"words": len(words), "name": pathlib.Path(project_path).name}
"#;

/// Tools to execute: their paths below `tools`, and their texts. The peer has no parser for shell scripts, and fills no
/// command into its shell runtime, so a shell tool is a file that names the shell.
pub(crate) fn demo() -> Vec<(String, String)> {
    vec![
        ("demo/hello.yaml".to_owned(), shell(SHELL_COMMAND)),
        ("demo/nap.yaml".to_owned(), shell(NAP_COMMAND)),
        ("demo/fn.py".to_owned(), FUNCTION.to_owned()),
    ]
}

/// Tools to sign, all in one folder.
pub(crate) fn to_sign(count: usize, folder: &str) -> Vec<(String, String)> {
    (0..count)
        .map(|number| {
            let (verb, noun, _) = words(number);
            (format!("{folder}/{verb}_{noun}_{number}.{}", extension(number)), content(number, folder))
        })
        .collect()
}

/// Tools to search, in many folders.
pub(crate) fn to_search(count: usize) -> Vec<(String, String)> {
    (0..count)
        .map(|number| (format!("{}.{}", id(number), extension(number)), content(number, &category(number))))
        .collect()
}

/// What is said in a tool to search.
pub(crate) struct Said {
    pub(crate) id: String,
    pub(crate) category: String,
    pub(crate) description: String,
    /// What only those in Python have.
    pub(crate) doc: Option<String>,
}

impl Said {
    pub(crate) fn of(number: usize) -> Self {
        let is_python = extension(number) == "py";
        let doc = is_python.then(|| doc(number));
        Self { id: id(number), category: category(number), description: description(number), doc }
    }
}

fn id(number: usize) -> String {
    let (verb, noun, _) = words(number);
    format!("{}/{verb}_{noun}_{number}", category(number))
}

fn category(number: usize) -> String {
    let (_, noun, _) = words(number);
    format!("group{}/{noun}", number % 97)
}

fn description(number: usize) -> String {
    let (verb, noun, quality) = words(number);
    format!("Tool {number}: {verb} a {noun} {quality}.")
}

fn doc(number: usize) -> String {
    let (verb, noun, _) = words(number);
    format!("{}\n\nUse it to {verb} one {noun} or many.\n", description(number))
}

fn shell(command: &str) -> String {
    format!(
        "version: \"1.0.0\"\ntool_type: shell\nexecutor_id: rye/core/primitives/execute\ncategory: demo\n\
         description: \"Runs a command\"\nconfig:\n  command: /bin/bash\n  args: [\"-c\", \"{command}\"]\n"
    )
}

/// Both systems read these.
fn extension(number: usize) -> &'static str {
    ["py", "yaml"][number % 2]
}

fn content(number: usize, category: &str) -> String {
    let (_, noun, _) = words(number);
    let description = description(number);
    if extension(number) == "py" {
        let doc = doc(number);
        format!(
            "\"\"\"{doc}\"\"\"\n\n__version__ = \"1.{number}.0\"\n\
             __tool_type__ = \"python\"\n__executor_id__ = \"rye/core/runtimes/python/function\"\n\
             __category__ = \"{category}\"\n__tool_description__ = \"{description}\"\n\n\
             CONFIG_SCHEMA = {{\"type\": \"object\", \"properties\": {{\"{noun}\": {{\"type\": \"string\"}}}}}}\n\n\n\
             def execute(params, project_path):\n    return {{\"done\": params.get(\"{noun}\")}}\n"
        )
    } else {
        format!(
            "version: \"1.{number}.0\"\ntool_type: shell\nexecutor_id: rye/core/primitives/execute\n\
             category: {category}\ndescription: \"{description}\"\nconfig:\n  command: echo\n  args: [\"{noun}\"]\n"
        )
    }
}
