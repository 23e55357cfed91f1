//! `rye execute` and `rye explain`, with real interpreters.

mod anchors;
mod answers;
mod arguments;
mod error_codes;
mod explain;
pub(crate) mod http;
mod limits;
mod matrix;
mod parameters;
mod seeds;
mod texts;

use crate::space::TestSpace;

/// A space whose user has a key and trusts the project, and whose commands find real interpreters.
pub(crate) fn trusted() -> TestSpace {
    TestSpace::with_key()
}

/// Writes a tool of the project and signs it.
pub(crate) fn tool(space: &TestSpace, file: &str, text: &str) {
    space.write(&format!("project/.ai/tools/{file}"), text);
    let id = file.rsplit_once('.').unwrap().0;
    space.run(["sign", id]);
}

/// A shell tool with a body of its own.
pub(crate) fn shell(body: &str) -> String {
    format!(
        "# version: 1.0.0\n# tool_type: bash\n# executor_id: rye/core/runtimes/bash/bash\n# description: A test\n{body}\n"
    )
}

/// A Python tool with a function of its own.
pub(crate) fn python(body: &str) -> String {
    format!(
        "\"\"\"A test.\"\"\"\n__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n\
         __executor_id__ = \"rye/core/runtimes/python/function\"\n\n\n\
         def execute(params, project_path):\n{}\n",
        body.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
    )
}

/// What a tool prints.
pub(crate) fn stdout(space: &TestSpace, args: &[&str]) -> String {
    let output = space.rye(std::iter::once("execute").chain(args.iter().copied())).output();
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The code of the error that a command ends with.
pub(crate) fn error_code(space: &TestSpace, args: &[&str]) -> String {
    let call = space.rye(std::iter::once("execute").chain(args.iter().copied()).chain(["--json"]));
    let output = call.output();
    assert!(!output.status.success(), "{args:?}: {output:?}");
    let text = if output.stderr.is_empty() { &output.stdout } else { &output.stderr };
    let answer: serde_json::Value =
        serde_json::from_slice(text).unwrap_or_else(|error| panic!("{args:?}: {error}: {output:?}"));
    answer["error"]["code"].as_str().unwrap_or_else(|| panic!("{args:?}: {answer}")).to_owned()
}
