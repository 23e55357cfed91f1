//! The three examples that the system was first described with.

use serde_json::json;

use super::{stdout, tool, trusted};

/// As it was first written down.
const GIT: &str = r#"# .ai/tools/rye/capabilities/git.py

__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python_runtime"  # ← Delegates to Python runtime
__category__ = "capabilities"

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "command": {"type": "string", "description": "git command (clone, pull, etc.)"},
        "args": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["command"]
}

def main(command: str, args: list = None) -> dict:
    """Execute git command."""
    import subprocess
    result = subprocess.run(
        ["git", command] + (args or []),
        capture_output=True,
        text=True
    )
    return {
        "stdout": result.stdout,
        "stderr": result.stderr,
        "returncode": result.returncode,
    }
"#;

/// As it was first written down.
const SUBPROCESS: &str = r#"# .ai/tools/rye/primitives/subprocess.py

__version__ = "1.0.1"
__tool_type__ = "primitive"
__executor_id__ = None      # ← No delegation
__category__ = "primitives"

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "command": {"type": "string", "description": "Command to run"},
        "args": {"type": "array", "items": {"type": "string"}},
        "env": {"type": "object", "description": "Environment variables"},
        "cwd": {"type": "string", "description": "Working directory"},
        "timeout": {"type": "integer", "default": 300},
    },
    "required": ["command"]
}
"#;

const CALL: &str =
    r#"{"config": {"command": "echo", "args": ["{message}"]}, "params": {"message": "hello"}}"#;

#[test]
fn a_primitive_is_called_directly() {
    let space = trusted();
    let expect = json!({ "stdout": "hello\n", "stderr": "", "returncode": 0 });
    let printed: serde_json::Value =
        serde_json::from_str(&stdout(&space, &["subprocess", "--params", CALL])).unwrap();
    assert_eq!(printed, expect);
    let flat = r#"{"command": "echo", "args": ["{message}", "${HOME}"]}"#;
    let printed: serde_json::Value =
        serde_json::from_str(&stdout(&space, &["subprocess", "--params", flat])).unwrap();
    assert_eq!(printed["stdout"], "{message} ${HOME}\n");
}

#[test]
fn a_primitive_of_the_project_is_called_directly() {
    let space = trusted();
    tool(&space, "rye/primitives/subprocess.py", SUBPROCESS);
    let flat = r#"{"command": "echo", "args": ["hello"]}"#;
    let report = space.rye(["execute", "subprocess", "--params", flat]).json();
    assert_eq!(report["data"]["stdout"], "hello\n");
    assert_eq!(report["attestation"][0]["space"], "project");
}

#[test]
fn a_runtime_is_called_directly() {
    let space = trusted();
    assert_eq!(stdout(&space, &["python_runtime", "--script", "print('hello')"]), "hello\n");
    let module = stdout(&space, &["python_runtime", "--module", "json.tool", "--args", "--help"]);
    assert!(module.starts_with("usage:"), "{module}");
}

#[test]
fn a_tool_delegates_to_a_runtime() {
    let space = trusted();
    tool(&space, "rye/capabilities/git.py", GIT);
    let printed: serde_json::Value =
        serde_json::from_str(&stdout(&space, &["git", "--command", "version"])).unwrap();
    assert_eq!(printed["returncode"], 0);
    assert!(printed["stdout"].as_str().unwrap().starts_with("git version"), "{printed}");
    let printed = stdout(&space, &["git", "--command", "log", "--args", "--help", "--args", "-h"]);
    assert!(printed.contains("returncode"), "{printed}");
}
