//! Interpreters and variables that a project brings along.

use rye_engine::ErrorCode;
use rye_item::Space;

use super::ground::{Ground, execute, node, outcome, python, python_function, shell};
use super::planted::library;

/// Where a project might have a program that takes the place of an interpreter.
const INTERPRETERS: &[&str] = &[
    "project/.venv/bin/python",
    "project/.venv/bin/python3",
    "project/.venv/Scripts/python.exe",
    "project/.ai/scripts/.venv/bin/python",
    "project/bin/python",
    "project/bin/python3",
    "project/bin/node",
    "project/node_modules/.bin/node",
    "project/node_modules/.bin/tsx",
    "project/.ai/scripts/node_modules/.bin/node",
    "project/.ai/tools/node_modules/.bin/tsx",
    "project/.ai/tools/js/node_modules/.bin/tsx",
    "project/.ai/bin/python3",
    "project/.ai/bin/node",
];

/// Tools of every language that say `fine`, in a space.
fn tools(ground: &Ground, space: Space) {
    let folder = if space == Space::User { "home" } else { "project" };
    ground.write(&format!("{folder}/.ai/tools/sh/tool.sh"), shell("ls / > /dev/null && echo '\"fine\"'"));
    ground.write(&format!("{folder}/.ai/tools/py/tool.py"), python("print('\"fine\"')"));
    let function = python_function("def main():\n    return 'fine'");
    ground.write(&format!("{folder}/.ai/tools/py/function.py"), &function);
    let old = function.replace("rye/core/runtimes/python/function", "python_runtime");
    ground.write(&format!("{folder}/.ai/tools/py/old.py"), old);
    ground.write(&format!("{folder}/.ai/tools/js/tool.js"), node("console.log('\"fine\"');"));
    ground.sign_in(space, "**");
}

const TOOLS: &[&str] = &["sh/tool", "py/tool", "py/function", "py/old", "js/tool"];

fn plant_interpreters(ground: &Ground) {
    for path in INTERPRETERS {
        ground.write_program(path, format!("#!/bin/sh\n{}\n", ground.touch()));
    }
}

#[test]
fn committed_interpreters_of_an_untrusted_project_do_not_run() {
    let ground = Ground::new();
    tools(&ground, Space::User);
    plant_interpreters(&ground);
    for tool in TOOLS {
        ground.says(tool, "\"fine\"");
    }
    // Not even if the caller's search path leads there.
    let path = format!("{}:/usr/bin:/bin", ground.path("project/bin").display());
    let engine = ground.engine_with_variables(&[("PATH", &path)]);
    for tool in &TOOLS[1..] {
        ground.says_on(&engine, tool, &[], "\"fine\"");
    }
}

#[test]
fn interpreters_that_come_after_the_decision_do_not_run() {
    let ground = Ground::trusted();
    tools(&ground, Space::User);
    ground.write("project/.ai/tools/own.py", python_function("def main():\n    return 'fine'"));
    ground.sign("own");
    ground.says("own", "\"fine\"");
    plant_interpreters(&ground);
    for tool in TOOLS {
        ground.says(tool, "\"fine\"");
    }
    ground.refuses("own", ErrorCode::ProjectUntrusted);
    // Whoever trusts it as it is gets what it brings.
    ground.trust();
    execute(&ground.engine(), "own", &[]).unwrap();
    ground.assert_marked();
}

/// One interpreter alone is noticed as well, wherever the program's own runtimes look for one.
#[test]
fn each_interpreter_that_comes_later_is_noticed() {
    for path in INTERPRETERS.iter().filter(|path| !path.contains(".ai/tools") && !path.contains(".ai/bin")) {
        let ground = Ground::trusted();
        ground.write("project/.ai/tools/own.sh", ground.shell_marker());
        ground.sign("own");
        ground.write_program(path, "#!/bin/sh\n");
        ground.refuses("own", ErrorCode::ProjectUntrusted);
    }
}

/// Every variable that makes some program run something, with what would leave the marker.
fn dotenv(ground: &Ground) -> String {
    library(ground, "project/evil/evil.so");
    let evil = ground.path("project/evil");
    ground.write("project/evil/sitecustomize.py", ground.python_touch());
    ground.write("project/evil/evil.py", ground.python_touch());
    ground.write("project/evil/evil.js", ground.node_touch());
    ground.write("project/evil/evil.sh", ground.touch());
    for name in ["python", "python3", "node", "ls", "bash"] {
        ground.write_program(&format!("project/evil/{name}"), format!("#!/bin/sh\n{}\n", ground.touch()));
    }
    let evil = evil.display();
    format!(
        "PATH={evil}:/usr/bin:/bin\nLD_PRELOAD={evil}/evil.so\nLD_LIBRARY_PATH={evil}\nLD_AUDIT={evil}/evil.so\n\
         PYTHONSTARTUP={evil}/evil.py\nPYTHONPATH={evil}\nPYTHONHOME={evil}\nPYTHONINSPECT=1\n\
         NODE_OPTIONS=--require={evil}/evil.js\nNODE_PATH={evil}\nBASH_ENV={evil}/evil.sh\nENV={evil}/evil.sh\n\
         SHELLOPTS=xtrace\nPS4='$({touch})'\n\
         RYE_PYTHON={evil}/python\nRYE_NODE={evil}/node\nRYE_DEV_MODE=1\nRYE_SYSTEM_SPACE={evil}\n\
         USER_SPACE={evil}\nrye_python={evil}/python\n",
        touch = ground.touch()
    )
}

#[test]
fn variables_of_a_project_do_not_decide_what_runs() {
    let ground = Ground::trusted();
    tools(&ground, Space::User);
    ground.write("project/.ai/tools/own.py", python("import os\nprint(os.environ.get('GREETING'))"));
    tools(&ground, Space::Project);
    let text = dotenv(&ground);
    for file in ["project/.env", "project/.env.local", "project/.ai/.env"] {
        ground.write(file, &text);
    }
    for tool in TOOLS {
        ground.says(tool, "\"fine\"");
    }
    // The files do count: a harmless variable asks again, and then arrives.
    ground.write("project/.env", format!("{text}GREETING=hello\n"));
    ground.refuses("own", ErrorCode::ProjectUntrusted);
    ground.trust();
    ground.says("own", "hello");
    for tool in TOOLS {
        ground.says(tool, "\"fine\"");
    }
}

#[test]
fn variables_of_an_untrusted_project_do_not_arrive() {
    let ground = Ground::new();
    tools(&ground, Space::User);
    ground.write("home/.ai/tools/greet.sh", shell("echo \"[${GREETING}]\""));
    ground.sign_in(Space::User, "greet");
    ground.write("project/.env", format!("{}GREETING=hello\n", dotenv(&ground)));
    for tool in TOOLS {
        ground.says(tool, "\"fine\"");
    }
    ground.says("greet", "[]");
}

/// The operator's own file may not set these either: it is written by hand, and read at every run.
#[test]
fn variables_of_the_user_do_not_decide_what_runs() {
    let ground = Ground::new();
    tools(&ground, Space::User);
    let text = dotenv(&ground);
    ground.write("home/.ai/.env", text);
    for tool in TOOLS {
        ground.says(tool, "\"fine\"");
    }
}

/// What the caller's own environment says is the caller's own affair, and is passed on as it is: whoever sets
/// `BASH_ENV` or `PYTHONPATH` for `rye` could run anything without it.
#[test]
fn what_the_caller_sets_is_passed_on() {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/tool.sh", shell("echo fine"));
    ground.sign("tool");
    let hook = ground.write("elsewhere/hook.sh", ground.touch());
    let engine = ground.engine_with_variables(&[("BASH_ENV", hook.to_str().unwrap())]);
    outcome(&engine, "tool", &[]);
    ground.assert_marked();

    ground.write("project/.ai/tools/py.py", python("print('fine')"));
    ground.sign("py");
    let folder = ground.write("elsewhere/sitecustomize.py", ground.python_touch());
    let folder = folder.parent().unwrap().to_str().unwrap();
    outcome(&ground.engine_with_variables(&[("PYTHONPATH", folder)]), "py", &[]);
    ground.assert_marked();
}
