//! What a process that lives long would run is what a fresh one would, whatever has happened since it last looked.

use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::sync::Arc;

use rye_engine::{Engine, EngineSettings, ExecuteRequest, Lifetime};
use rye_item::ItemRef;
use rye_plan::Action;

use crate::tree::{Tree, tool};

/// A signed tool, in a project that is trusted, and folders in which its interpreter may be.
struct Bench {
    tree: Tree,
    item: ItemRef,
}

impl Bench {
    fn new() -> Self {
        let tree = Tree::new();
        for folder in ["bin", "one", "two"] {
            fs::create_dir(tree.path(folder)).unwrap();
        }
        symlink("one", tree.path("turned")).unwrap();
        let header =
            "# env_config: {interpreter: {type: binary, binary: thing, var: THING, fallback: bash}}\n";
        let item = tree.signed_tool("demo/hello", header, "echo hello");
        Self { tree, item }
    }

    fn engine(&self, lifetime: Lifetime) -> Engine {
        let folders = ["bin", "turned"].map(|folder| self.tree.path(folder).display().to_string());
        let path = format!("{}:/usr/bin:/bin", folders.join(":"));
        let settings = self.tree.engine_with_cache(lifetime).settings().clone();
        Engine::new(EngineSettings {
            environment: [("PATH", path.as_str())].into_iter().collect(),
            ..settings
        })
    }

    /// Everything that matters about a plan, or why there is none.
    fn plan(&self, engine: &Engine) -> String {
        let plan = match engine.dry_run(&ExecuteRequest::new(self.item.clone())) {
            Ok(plan) => plan,
            Err(error) => return format!("{:?} {error}", error.code()),
        };
        let Action::Process(process) = &plan.action else { panic!("{:?}", plan.action) };
        let mut text = format!("{:#?}\n{:?} {:?}\n", plan.chain, process.program, process.args);
        for (name, variable) in plan.environment.changes().filter(|(name, _)| *name != "RYE_RUN_ID") {
            writeln!(text, "{} {variable:?}", name.display()).unwrap();
        }
        let copy = plan.copy.as_ref().unwrap();
        writeln!(text, "{}", fs::read_to_string(&copy.tool).unwrap()).unwrap();
        text
    }
}

/// Makes a change, and compares the plan of an engine that has planned before with that of a fresh one.
#[track_caller]
fn check(change: impl FnOnce(&Tree)) {
    let bench = Bench::new();
    let engine = bench.engine(Lifetime::Long);
    // One call looks, the next one has watched what it looks at and remembers, first the spaces and then the rest.
    let before = bench.plan(&engine);
    for _ in 0..4 {
        assert_eq!(bench.plan(&engine), before);
    }
    change(&bench.tree);
    let after = bench.plan(&engine);
    assert_eq!(after, bench.plan(&bench.engine(Lifetime::Short)));
    assert_ne!(after, before);
}

fn program(tree: &Tree, path: &str) {
    tree.write(path, "#!/bin/sh\n");
    fs::set_permissions(tree.path(path), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn another_file_takes_the_place_of_one() {
    check(|tree| _ = tree.write("project/.ai/tools/rye/core/runtimes/bash/bash.yaml", "version: 1.0.0\n"));
    check(|tree| _ = tree.write("home/.ai/tools/demo/hello.sh", tool("Hidden")));
    check(|tree| _ = tree.write("project/.ai/tools/demo/hello.py", ""));
    check(|tree| fs::remove_file(tree.path("project/.ai/tools/demo/hello.sh")).unwrap());
    check(|tree| {
        fs::rename(tree.path("project/.ai/tools"), tree.path("project/.ai/old")).unwrap();
    });
    check(|tree| {
        fs::create_dir_all(tree.path("other/.ai")).unwrap();
        fs::rename(tree.path("project"), tree.path("old")).unwrap();
        fs::rename(tree.path("other"), tree.path("project")).unwrap();
    });
}

#[test]
fn a_file_is_written_to() {
    check(|tree| {
        let path = tree.path("project/.ai/tools/demo/hello.sh");
        let text = fs::read_to_string(&path).unwrap().replace("echo hello", "echo jello");
        fs::write(path, text).unwrap();
    });
    check(|tree| {
        let path = tree.path("project/.ai/tools/demo/hello.sh");
        fs::hard_link(path, tree.path("other name")).unwrap();
        fs::write(tree.path("other name"), "").unwrap();
    });
}

#[test]
fn an_extractor_says_what_the_file_means() {
    check(|tree| {
        let path = "project/.ai/tools/rye/core/extractors/mine.yaml";
        let shell = rye_bundle::bundle().get("tools/rye/core/extractors/shell.yaml").unwrap();
        tree.write(path, shell.bytes);
    });
}

#[test]
fn an_interpreter_comes_or_goes() {
    check(|tree| program(tree, "bin/thing"));
    check(|tree| program(tree, "one/thing"));
    check(|tree| {
        program(tree, "two/thing");
        fs::remove_file(tree.path("turned")).unwrap();
        symlink("two", tree.path("turned")).unwrap();
    });
    check(|tree| {
        program(tree, "elsewhere/thing");
        fs::remove_dir(tree.path("bin")).unwrap();
        fs::rename(tree.path("elsewhere"), tree.path("bin")).unwrap();
    });
}

#[test]
fn a_variable_is_set() {
    check(|tree| _ = tree.write("home/.ai/.env", "GREETING=hello\n"));
}

#[test]
fn a_lock_file_comes() {
    check(|tree| _ = tree.write("project/.ai/locks/demo/hello@1.0.0.lock.json", "{}"));
    check(|tree| _ = tree.write("home/.ai/locks/demo/hello@0.9.0.lock.json", "{}"));
}

#[test]
fn the_operator_changes_their_mind() {
    check(|tree| fs::remove_dir_all(tree.path("home/.ai/trust")).unwrap());
    check(|tree| fs::remove_dir_all(tree.path("home/.ai/keys")).unwrap());
}

#[test]
fn others_may_write_where_copies_are() {
    check(|tree| {
        fs::set_permissions(tree.path("cache/snapshots"), Permissions::from_mode(0o777)).unwrap();
    });
}

/// A folder above the tool becomes its anchor, and is none again.
#[test]
fn an_anchor_comes_and_goes() {
    let tree = Tree::new();
    let header =
        "# anchor: {mode: auto, markers_any: [marker], root: tool_dir}\n# verify_deps: {scope: anchor}\n";
    let item = tree.signed_tool("demo/deep/hello", header, "echo hello");
    let engine = tree.engine_with_cache(Lifetime::Long);
    let root = |engine: &Engine| {
        let plan = engine.dry_run(&ExecuteRequest::new(item.clone())).unwrap();
        let copy = plan.copy.unwrap();
        copy.tool.strip_prefix(&copy.root).unwrap().to_owned()
    };
    let alone = [(); 5].map(|()| root(&engine))[4].clone();
    tree.write("project/.ai/tools/demo/marker", "");
    let anchored = root(&engine);
    assert_eq!(anchored, root(&tree.engine_with_cache(Lifetime::Short)));
    assert_ne!(anchored, alone);
    assert_eq!([(); 5].map(|()| root(&engine))[4], anchored);
    fs::remove_file(tree.path("project/.ai/tools/demo/marker")).unwrap();
    assert_eq!(root(&engine), alone);
}

/// Nothing but the verified bytes is ever run, so a damaged copy is made again.
#[test]
fn a_copy_is_damaged() {
    let bench = Bench::new();
    let engine = bench.engine(Lifetime::Long);
    let before = [(); 4].map(|()| bench.plan(&engine))[3].clone();
    let plan = engine.dry_run(&ExecuteRequest::new(bench.item.clone())).unwrap();
    let copy = plan.copy.as_ref().unwrap().tool.clone();
    fs::set_permissions(&copy, Permissions::from_mode(0o644)).unwrap();
    fs::write(&copy, "echo other").unwrap();
    drop(plan);
    assert_eq!(bench.plan(&engine), before);
}

/// What a call brings along is filled in for this very call, wherever it stands.
#[test]
fn parameters_and_ids_are_never_those_of_another_call() {
    let configs = [
        ("arguments", "config: {args: [\"-c\", \"true\", \"{x}\"]}"),
        ("in a text", "config: {args: [\"-c\", \"true\", \"a{x}b{y}\"]}"),
        ("command", "config: {command: \"echo {x}\"}"),
        ("run", "config: {args: [\"-c\", \"true\", \"{run_id}\"]}"),
        ("input", "config: {input_data: \"{x}\"}"),
        ("all", "config: {args: [\"-c\", \"true\", \"{params_json}\"]}"),
        ("variable", "config: {env: {X: \"{x}\"}}"),
        ("name in a variable", "config: {env: {X: {\"{x}\": 1}}}"),
        ("declared", "env_config: {env: {X: \"v{x}\"}}"),
        ("folder", "config: {cwd: \"{x}\"}"),
        ("nothing", "config: {env: {X: \"{tool_path}\"}}"),
    ];
    for (what, config) in configs {
        let tree = Tree::new();
        let item = tree.signed_tool("demo/hello", &format!("# {config}\n"), "echo hello");
        let (long, short) = (Lifetime::Long, Lifetime::Short);
        let engine = tree.engine_with_cache(long);
        for round in 0..8 {
            let parameters = match round % 4 {
                0 => "{}".to_owned(),
                1 => r#"{"x": "one"}"#.to_owned(),
                2 => r#"{"x": "two", "y": [1, 2]}"#.to_owned(),
                _ => format!(r#"{{"x": {round}}}"#),
            };
            let parameters = rye_plan::Parameters::parse(&parameters).unwrap();
            let request = ExecuteRequest { parameters, ..ExecuteRequest::new(item.clone()) };
            let shown = |engine: &Engine| {
                let mut plan = engine.dry_run(&request).unwrap();
                let Action::Process(process) = &mut plan.action else { panic!("{:?}", plan.action) };
                // Each plan has an id of its own.
                if what == "run" {
                    process.args.pop_if(|id| id.len() > 20).unwrap();
                }
                let variables: Vec<_> = plan.environment.changes().map(|(_, variable)| variable).collect();
                format!("{process:?} {variables:?} {}", plan.parameters.to_json())
            };
            assert_eq!(shown(&engine), shown(&tree.engine_with_cache(short)), "{what} {round}");
        }
        if what == "nothing" {
            let environment = || engine.dry_run(&ExecuteRequest::new(item.clone())).unwrap().environment;
            assert!(Arc::ptr_eq(&environment(), &environment()));
        }
        if what == "run" {
            let id = || {
                let plan = engine.dry_run(&ExecuteRequest::new(item.clone())).unwrap();
                let Action::Process(mut process) = plan.action else { panic!("{:?}", plan.action) };
                process.args.pop().unwrap()
            };
            assert_ne!(id(), id());
        }
    }
}

/// A tool cannot say what stands for the parameters, and that it has such a key changes nothing.
#[test]
fn a_key_that_is_called_like_the_parameters_does_not_stand_for_them() {
    let tree = Tree::new();
    let runtime = "version: 1.0.0\ntool_type: runtime\nexecutor_id: rye/core/primitives/execute\n\
        config:\n  command: /bin/echo\n  args: [\"{tool_path}\", \"{params_json}\"]\n";
    let tool = "version: 1.0.0\ntool_type: x\nexecutor_id: demo/runtime\nconfig: {params_json: y}\n";
    tree.write("project/.ai/tools/demo/runtime.yaml", runtime);
    tree.write("project/.ai/tools/demo/hello.yaml", tool);
    tree.sign("demo/runtime");
    let item = tree.sign("demo/hello");
    let engine = tree.engine_with_cache(Lifetime::Long);
    for round in 0..8 {
        let sent = format!(r#"{{"x":{round}}}"#);
        let parameters = rye_plan::Parameters::parse(&sent).unwrap();
        let plan =
            engine.dry_run(&ExecuteRequest { parameters, ..ExecuteRequest::new(item.clone()) }).unwrap();
        let Action::Process(process) = &plan.action else { panic!("{:?}", plan.action) };
        assert_eq!(process.args[1], sent);
    }
}
