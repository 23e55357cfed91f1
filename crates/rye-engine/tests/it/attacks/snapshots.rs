//! What runs is a copy, and a tool that runs can write to it.
//!
//! Whoever runs as the operator can write to everything that is the operator's, and no copy is safe from them. What is
//! guaranteed is this: the copy of the tool itself is compared with the verified bytes at every call, so that what a
//! tool does to its own copy, or to that of another tool, ends with the run. Other files of a snapshot are compared
//! when the machine was started again.

use rye_engine::ErrorCode;
use rye_item::Space;

use super::ground::{Ground, python, shell};

#[test]
fn a_tool_that_rewrites_its_copy_runs_as_it_was_signed() {
    let ground = Ground::trusted();
    let code = format!("echo fine\nchmod u+w \"$0\"\nprintf '%s\\n' '{}' > \"$0\"", ground.touch());
    ground.write("project/.ai/tools/tool.sh", shell(&code));
    ground.sign("tool");
    for _ in 0..3 {
        ground.says("tool", "fine");
    }
}

#[test]
fn a_tool_that_rewrites_the_copy_of_another_gains_nothing() {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/good.sh", shell("echo fine"));
    let cache = ground.path("cache");
    let code = format!(
        "find {} -name good.sh -exec chmod u+w {{}} + -exec sh -c 'echo \"{}\" > \"$1\"' - {{}} \\;\necho done",
        cache.display(),
        ground.touch()
    );
    ground.write("project/.ai/tools/bad.sh", shell(&code));
    ground.sign("*");
    ground.says("good", "fine");
    ground.says("bad", "done");
    ground.says("good", "fine");
}

/// A link or a pipe in the place of the copy is no copy.
#[test]
fn what_takes_the_place_of_a_copy_is_replaced() {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/good.sh", shell("echo fine"));
    let evil = ground.write("elsewhere/evil.sh", ground.touch());
    let swap = |how: &str| {
        format!(
            "find {} -name good.sh | while read -r copy; do\n  chmod u+w \"$(dirname \"$copy\")\"\n  rm -f \"$copy\"\n  {how}\ndone\necho done",
            ground.path("cache").display()
        )
    };
    let link = swap(&format!("ln -s {} \"$copy\"", evil.display()));
    ground.write("project/.ai/tools/link.sh", shell(&link));
    ground.write("project/.ai/tools/pipe.sh", shell(&swap("mkfifo \"$copy\"")));
    ground.write("project/.ai/tools/none.sh", shell(&swap(":")));
    ground.sign("*");
    for attack in ["link", "pipe", "none"] {
        ground.says("good", "fine");
        ground.says(attack, "done");
        ground.says("good", "fine");
    }
}

/// The files of the program itself are laid out once, and compared with what the program knows at every use.
#[test]
fn the_programs_own_files_are_compared_at_every_use() {
    let ground = Ground::new();
    ground.write("home/.ai/tools/tool.py", python("print('fine')"));
    ground.sign_in(Space::User, "tool");
    let request = [("script", serde_json::json!("print('direct')"))];
    let runtime = "rye/core/runtimes/python/script";
    ground.says_on(&ground.engine(), runtime, &request, "direct");
    let mut laid_out = Vec::new();
    find(&ground.path("cache/bundle"), &mut laid_out);
    for path in laid_out {
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, ground.python_touch()).unwrap();
        std::fs::write(path.with_file_name("json.py"), ground.python_touch()).unwrap();
    }
    ground.says_on(&ground.engine(), runtime, &request, "direct");
    ground.says("tool", "fine");
}

fn find(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().unwrap().is_dir() {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(entry.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
            find(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

/// A cache that others can write to holds nothing that could be run.
#[test]
fn a_cache_of_everybody_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/tool.sh", ground.shell_marker());
    ground.sign("tool");
    for mode in [0o777, 0o770] {
        std::fs::set_permissions(ground.path("cache"), std::fs::Permissions::from_mode(mode)).unwrap();
        ground.refuses("tool", ErrorCode::SpaceUnusable);
    }
}
