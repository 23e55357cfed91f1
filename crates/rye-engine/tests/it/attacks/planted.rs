//! Files beside a signed tool that nobody has signed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use lillux::process::{RunRequest, run};
use rye_engine::ErrorCode;

use super::ground::{Ground, PATH, execute, node, outcome, python, python_function};

/// Runs a program of the machine, as the author of an attack would.
pub(crate) fn command(program: &str, args: &[&str], cwd: &Path) {
    let request =
        RunRequest::new(program).args(args.iter().copied()).envs([("PATH".into(), PATH.into())]).cwd(cwd);
    let outcome = run(&request).unwrap();
    assert!(outcome.ending.is_success(), "{}", String::from_utf8_lossy(&outcome.stderr.bytes));
}

/// A library that leaves the marker as soon as it is loaded.
pub(crate) fn library(ground: &Ground, below: &str) {
    let source = format!(
        "#include <fcntl.h>\n__attribute__((constructor)) static void loaded(void) {{ open({:?}, O_CREAT, 0600); }}\n",
        ground.marker().display().to_string()
    );
    ground.write("elsewhere/library.c", source);
    let target = ground.path(below);
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    let target = target.display().to_string();
    command("cc", &["-shared", "-fPIC", "-o", &target, "library.c"], &ground.path("elsewhere"));
}

/// A package `pkg` with a signed tool, and a module that its manifest lists.
fn package(tool: &str) -> Ground {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/pkg/__init__.py", "");
    ground.write("project/.ai/tools/pkg/lib.py", "def answer():\n    return 'fine'\n");
    ground.write("project/.ai/tools/pkg/tool.py", tool);
    ground.sign("pkg/tool");
    ground
}

/// A tool that imports something which is not there, and goes on.
fn importing(module: &str) -> String {
    python(&format!(
        "import lib\ntry:\n    import {module}\nexcept ImportError:\n    pass\nprint(lib.answer())"
    ))
}

#[test]
fn a_new_module_is_not_there() {
    for planted in ["planted.py", "planted/__init__.py"] {
        let ground = package(&importing("planted"));
        ground.says("pkg/tool", "fine");
        ground.write(&format!("project/.ai/tools/pkg/{planted}"), ground.python_touch());
        let report = execute(&ground.engine(), "pkg/tool", &[]).unwrap();
        assert!(report.left_out.iter().any(|file| file.path == planted), "{:?}", report.left_out);
        ground.says("pkg/tool", "fine");
    }
}

/// The marker is left if Python starts in the original folder, so each fixture works.
fn not_there(plant: impl Fn(&Ground), module: &str) {
    let ground = package(&importing(module));
    plant(&ground);
    command("python3", &["tool.py"], &ground.path("project/.ai/tools/pkg"));
    ground.assert_marked();
    ground.says("pkg/tool", "fine");
    let code = format!(
        "import lib\ntry:\n    import {module}\nexcept ImportError:\n    pass\ndef main():\n    return lib.answer()"
    );
    let ground = package(&python_function(&code));
    plant(&ground);
    ground.says("pkg/tool", "\"fine\"");
}

#[test]
fn byte_code_is_not_there() {
    let compile = |ground: &Ground, target: &str, source: &str| {
        ground.write("elsewhere/evil.py", format!("{}\n{source}", ground.python_touch()));
        let code = format!(
            "import importlib.util, marshal, os, struct\n\
             code = compile(open('elsewhere/evil.py').read(), 'lib.py', 'exec')\n\
             facts = os.stat('project/.ai/tools/pkg/lib.py')\n\
             head = importlib.util.MAGIC_NUMBER + struct.pack('<III', 0, int(facts.st_mtime), facts.st_size)\n\
             target = 'project/.ai/tools/pkg/{target}'.replace('TAG', __import__('sys').implementation.cache_tag)\n\
             os.makedirs(os.path.dirname(target), exist_ok=True)\n\
             open(target, 'wb').write(head + marshal.dumps(code))\n"
        );
        command("python3", &["-c", &code], &ground.path(""));
    };
    // As if it had been compiled from the module that the manifest lists.
    not_there(
        |ground| compile(ground, "__pycache__/lib.TAG.pyc", "def answer():\n    return 'fine'\n"),
        "nothing",
    );
    // Without any source.
    not_there(|ground| compile(ground, "ghost.pyc", ""), "ghost");
}

#[test]
fn a_library_is_not_there() {
    not_there(|ground| library(ground, "project/.ai/tools/pkg/native.so"), "native");
}

/// A tool can ask Python to look for such files. Then it finds those that were signed: none.
#[test]
fn path_files_are_not_there() {
    let code = "import os, site\nsite.addsitedir(os.path.dirname(os.path.abspath(__file__)))\nprint('fine')";
    let ground = package(&python(code));
    ground.write("project/.ai/tools/pkg/evil.pth", format!("import os; {}\n", ground.python_touch()));
    command("python3", &["tool.py"], &ground.path("project/.ai/tools/pkg"));
    ground.assert_marked();
    ground.says("pkg/tool", "fine");
}

/// Python imports these on its own from every folder of its search path, to which the anchor belongs.
#[test]
fn start_up_modules_are_not_there() {
    for name in ["sitecustomize.py", "usercustomize.py"] {
        for folder in ["project/.ai/tools/pkg", "project/.ai/tools", "project/.ai", "project", "project/lib"]
        {
            let ground = package(&importing("nothing"));
            ground.write(&format!("{folder}/{name}"), ground.python_touch());
            ground.says("pkg/tool", "fine");
        }
    }
}

/// The working directory is the project, in which everybody can put a module.
#[test]
fn modules_of_the_project_do_not_hide_those_of_the_language() {
    for name in ["json", "subprocess", "os", "asyncio", "inspect", "types", "importlib", "encodings"] {
        for tool in [
            python("import json, subprocess, os, asyncio, inspect\nprint('fine')"),
            python_function(
                "import json, subprocess, os\ndef execute(params, project_path):\n    return 'fine'",
            ),
            python("import json, subprocess\ndef main():\n    return 'fine'")
                .replace("rye/core/runtimes/python/script", "python_runtime"),
        ] {
            let ground = Ground::trusted();
            ground.write("project/.ai/tools/tool.py", &tool);
            ground.sign("tool");
            for folder in ["project", "project/.ai", "project/.ai/tools", "home", "home/.ai"] {
                ground.write(&format!("{folder}/{name}.py"), ground.python_touch());
                ground.write(&format!("{folder}/{name}/__init__.py"), ground.python_touch());
            }
            let expect = if tool.contains("return") { "\"fine\"" } else { "fine" };
            ground.says("tool", expect);
        }
    }
}

#[test]
fn a_listed_file_that_was_changed_stops_the_run() {
    let ground = package(&importing("nothing"));
    let lib = ground.path("project/.ai/tools/pkg/lib.py");
    let good = fs::read(&lib).unwrap();
    ground.says("pkg/tool", "fine");
    fs::write(&lib, ground.python_touch()).unwrap();
    ground.refuses("pkg/tool", ErrorCode::DependencyUnverified);
    fs::remove_file(&lib).unwrap();
    ground.refuses("pkg/tool", ErrorCode::DependencyUnverified);
    ground.write("elsewhere/lib.py", &good);
    symlink(ground.path("elsewhere/lib.py"), &lib).unwrap();
    ground.refuses("pkg/tool", ErrorCode::DependencyUnverified);
    fs::remove_file(&lib).unwrap();
    fs::write(&lib, &good).unwrap();
    ground.says("pkg/tool", "fine");
}

/// A marker further up makes the anchor larger, and no file in it good.
#[test]
fn a_planted_marker_brings_nothing_in() {
    let ground = Ground::trusted();
    ground.write(
        "project/.ai/tools/a/b/tool.py",
        python("try:\n    import planted\nexcept ImportError:\n    print('fine')"),
    );
    ground.sign("a/b/tool");
    for folder in ["a/b", "a", "."] {
        for name in ["planted.py", "sitecustomize.py", "json.py", "lib/planted.py"] {
            ground.write(&format!("project/.ai/tools/{folder}/{name}"), ground.python_touch());
        }
    }
    ground.says("a/b/tool", "fine");
    for folder in ["a", "a/b", "."] {
        for marker in ["pyproject.toml", "__init__.py"] {
            let path = ground.write(&format!("project/.ai/tools/{folder}/{marker}"), ground.python_touch());
            ground.says("a/b/tool", "fine");
            fs::remove_file(path).unwrap();
        }
    }
}

/// A JavaScript tool that tries to get at something which is not there.
fn requiring(module: &str) -> Ground {
    let ground = Ground::trusted();
    let code = format!("try {{ require({module:?}); }} catch (error) {{ }}\nconsole.log('fine');");
    ground.write("project/.ai/tools/js/tool.js", node(&code));
    ground.sign("js/tool");
    ground
}

#[test]
fn installed_packages_of_nobody_are_not_there() {
    for folder in ["project/.ai/tools/js", "project/.ai/tools", "project/.ai", "project"] {
        let ground = requiring("dep");
        ground.write(&format!("{folder}/node_modules/dep/index.js"), ground.node_touch());
        ground.write(&format!("{folder}/node_modules/dep/package.json"), "{\"main\": \"index.js\"}");
        ground.says("js/tool", "fine");
        // With a marker, the tool's folder becomes the anchor, and what is installed there would be linked.
        ground.write("project/.ai/tools/js/package.json", "{}");
        if folder == "project/.ai/tools/js" {
            ground.refuses("js/tool", ErrorCode::ProjectUntrusted);
        } else {
            ground.says("js/tool", "fine");
        }
    }
    // Whoever trusts the project with it gets what it brings.
    let ground = requiring("dep");
    ground.write("project/.ai/tools/js/package.json", "{}");
    ground.write("project/.ai/tools/js/node_modules/dep/index.js", ground.node_touch());
    ground.trust();
    outcome(&ground.engine(), "js/tool", &[]);
    ground.assert_marked();
    // And a link to another folder is not the one that was shown.
    ground.write("project/.ai/tools/other/package.json", "{}");
    ground.write("project/.ai/tools/other/tool.js", node("require('dep');"));
    ground.sign("other/tool");
    symlink("../js/node_modules", ground.path("project/.ai/tools/other/node_modules")).unwrap();
    ground.refuses("other/tool", ErrorCode::ProjectUntrusted);
}

/// What a package says about itself decides what its files mean, so it has to be listed like they are.
#[test]
fn what_a_planted_package_says_does_not_count() {
    for (module, package) in [
        ("#dep", "{\"imports\": {\"#dep\": \"./evil.js\"}}"),
        ("self", "{\"name\": \"self\", \"exports\": \"./evil.js\"}"),
        ("./evil", "{\"type\": \"commonjs\"}"),
        ("nothing", "{\"type\": \"module\"}"),
        ("nothing", "{\"main\": \"./evil.js\", \"type\": \"commonjs\"}"),
    ] {
        for folder in ["project/.ai/tools/js", "project/.ai/tools", "project"] {
            let ground = requiring(module);
            ground.write(&format!("{folder}/package.json"), package);
            ground.write(&format!("{folder}/evil.js"), ground.node_touch());
            ground.says("js/tool", "fine");
        }
    }
}

#[test]
fn settings_of_package_managers_and_compilers_do_not_count() {
    let ground = requiring("dep");
    let evil = ground.write("project/evil.js", ground.node_touch());
    for folder in ["project", "project/.ai", "project/.ai/tools", "project/.ai/tools/js"] {
        ground.write(&format!("{folder}/.npmrc"), format!("node-options=--require {}\n", evil.display()));
        let paths =
            format!("{{\"compilerOptions\": {{\"baseUrl\": \".\", \"paths\": {{\"dep\": [{evil:?}]}}}}}}");
        ground.write(&format!("{folder}/tsconfig.json"), &paths);
        ground.write(&format!("{folder}/jsconfig.json"), &paths);
        ground.write(&format!("{folder}/.noderc"), ground.node_touch());
    }
    ground.says("js/tool", "fine");
    ground.write("project/.ai/tools/js/package.json", "{}");
    ground.says("js/tool", "fine");
}
