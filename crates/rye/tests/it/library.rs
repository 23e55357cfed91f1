//! A few items of all kinds in all spaces.

use crate::space::TestSpace;

pub(crate) const GIT: &str = r#""""Runs git in the project.

Every command of git is allowed, and its output is returned as text."""
__version__ = "1.2.0"
__tool_type__ = "python"
__executor_id__ = "python_runtime"
__category__ = "vcs"
__tags__ = ["git", "commit"]

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {"command": {"type": "string"}},
    "required": ["command"],
}
"#;

/// A shell tool with this description and version.
pub(crate) fn shell(version: &str, description: &str) -> String {
    format!(
        "#!/bin/bash\n# tool_type: script\n# executor_id: bash_runtime\n# version: {version}\n# description: {description}\necho done\n"
    )
}

/// A YAML tool with this description.
pub(crate) fn yaml(description: &str) -> String {
    format!(
        "version: \"1.0.0\"\ntool_type: http\nexecutor_id: http_client\ndescription: \"{description}\"\ntags: [web]\n"
    )
}

/// A space with the library in it. The user's `vcs/git` is hidden by the project's.
pub(crate) fn library() -> TestSpace {
    let space = TestSpace::new();
    space.write("project/.ai/tools/vcs/git.py", GIT);
    space.write(
        "project/.ai/tools/text/cat.sh",
        shell("2.0.0", "Prints the lines of a text").replace("echo", "cat"),
    );
    space.write("project/.ai/tools/text/sort.sh", shell("1.10.0", "Sorts the lines of a text"));
    space.write(
        "project/.ai/directives/review.md",
        "---\nversion: \"0.1.0\"\ndescription: Review a commit with care\ntags: [git]\n---\n# Review\n\nLook at {input:commit}.\n",
    );
    space.write("project/.ai/knowledge/style/commits.md", "# Commits\n\nWhat a good commit message says.\n");
    space.write(
        "home/.ai/tools/vcs/git.py",
        GIT.replace("in the project", "for the user").replace("1.2.0", "0.9.0"),
    );
    space.write("home/.ai/tools/net/fetch.yaml", yaml("Fetches a page of the web"));
    space
}
