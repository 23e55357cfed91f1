//! `rye lock`.

use insta::assert_snapshot;

use crate::sign::{PYTHON, tool};
use crate::space::TestSpace;

fn locked() -> TestSpace {
    let space = TestSpace::with_key();
    space.write("project/.ai/tools/my/say.sh", tool("1.0.0"));
    space.run(["sign", "my/say"]);
    space
}

fn change(space: &TestSpace, text: &str) {
    space.write("project/.ai/tools/my/say.sh", text);
    space.run(["sign", "my/say"]);
}

#[test]
fn a_chain_is_pinned() {
    let space = locked();
    assert_snapshot!(space.rye(["lock", "--check"]).show(), @"
    $ rye lock --check
    exit code: 1
    --- stderr
    note: nothing is locked
    ");
    assert_snapshot!(space.rye(["lock", "say"]).show(), @"
    $ rye lock say
    exit code: 0
    --- stdout
    locked     my/say                       project  3fb9c416[…]
    executor   rye/core/runtimes/bash/bash  system   e8028d81[…]
    executor   rye/core/primitives/execute  system   c76efc5d[…]
    extractor  rye/core/extractors/shell    system   a2e0eb15[…]
    extractor  rye/core/extractors/yaml     system   a0e6d254[…]
    [SPACE]/project/.ai/locks/my/say@1.0.0.lock.json
    ");
    assert_snapshot!(space.rye(["lock", "--check"]).show(), @"
    $ rye lock --check
    exit code: 0
    --- stdout
    fits  project  [SPACE]/project/.ai/locks/my/say@1.0.0.lock.json
    ");
    assert_eq!(space.rye(["verify", "my/say"]).json()["good"], true);
    change(&space, &tool("1.0.0").replace("done", "undone"));
    assert_snapshot!(space.rye(["lock", "--check"]).show(), @"
    $ rye lock --check
    exit code: 3
    --- stdout
    does not fit  project  [SPACE]/project/.ai/locks/my/say@1.0.0.lock.json
                           `my/say`: expected 3fb9c416[…] (project), found e4f3f4a7[…] (project)
    --- stderr
    hint: if that is what shall run, run `rye lock my/say`
    ");
    assert_snapshot!(space.rye(["verify", "my/say"]).show(), @"
    $ rye verify my/say
    exit code: 3
    --- stdout
    project  tool:my/say  ada (key [KEY]) on [TIME]  tool:my/say is not what `[SPACE]/project/.ai/locks/my/say@1.0.0.lock.json` says: `my/say`: expected 3fb9c416[…] (project), found e4f3f4a7[…] (project)
    0 would run, 1 would not
    --- stderr
    hint: if that is what shall run, run `rye lock my/say`
    ");
    space.run(["lock", "my/say"]);
    assert_eq!(space.rye(["lock", "--check"]).json()["good"], true);
}

#[test]
fn a_lock_of_another_version_counts_until_there_is_one_of_this() {
    let space = locked();
    space.run(["lock", "my/say"]);
    change(&space, &tool("1.1.0"));
    let check = space.rye(["lock", "--check"]).json();
    assert_eq!(check["good"], false);
    assert_eq!(
        check["locks"][0]["differences"][0],
        serde_json::json!({ "difference": "version", "expected": "1.0.0", "found": "1.1.0" })
    );
    assert_eq!(space.rye(["verify", "my/say"]).json()["items"][0]["issues"][0]["code"], "LOCK_MISMATCH");
    space.run(["lock", "my/say"]);
    assert_snapshot!(space.rye(["lock", "--check"]).show(), @"
    $ rye lock --check
    exit code: 0
    --- stdout
    of another version  project  [SPACE]/project/.ai/locks/my/say@1.0.0.lock.json
    fits                project  [SPACE]/project/.ai/locks/my/say@1.1.0.lock.json
    ");
    assert_eq!(space.rye(["verify", "my/say"]).json()["good"], true);
}

#[test]
fn a_lock_of_the_project_does_not_weaken_one_of_the_user() {
    let space = locked();
    assert_snapshot!(space.rye(["lock", "my/say", "--user"]).show(), @"
    $ rye lock my/say --user
    exit code: 0
    --- stdout
    locked     my/say                       project  3fb9c416[…]
    executor   rye/core/runtimes/bash/bash  system   e8028d81[…]
    executor   rye/core/primitives/execute  system   c76efc5d[…]
    extractor  rye/core/extractors/shell    system   a2e0eb15[…]
    extractor  rye/core/extractors/yaml     system   a0e6d254[…]
    [SPACE]/home/.ai/locks/my/say@1.0.0.lock.json
    ");
    change(&space, &tool("1.0.0").replace("done", "undone"));
    space.run(["lock", "my/say"]);
    assert_snapshot!(space.rye(["verify", "my/say"]).show(), @"
    $ rye verify my/say
    exit code: 3
    --- stdout
    project  tool:my/say  ada (key [KEY]) on [TIME]  tool:my/say is not what `[SPACE]/home/.ai/locks/my/say@1.0.0.lock.json` says: `my/say`: expected 3fb9c416[…] (project), found e4f3f4a7[…] (project)
    0 would run, 1 would not
    --- stderr
    hint: if that is what shall run, run `rye lock my/say --user`
    ");
}

#[test]
fn locks_that_do_not_count() {
    let space = locked();
    space.run(["lock", "my/say"]);
    let file = "project/.ai/locks/my/say@1.0.0.lock.json";
    let text = space.read(file);
    space.write(file, text.replace("project", "user"));
    assert_snapshot!(space.rye(["lock", "--check"]).show(), @"
    $ rye lock --check
    exit code: 3
    --- stdout
    does not fit  project  [SPACE]/project/.ai/locks/my/say@1.0.0.lock.json
                           the lock file `[SPACE]/project/.ai/locks/my/say@1.0.0.lock.json` does not count: it was changed after it was signed
    --- stderr
    hint: lock the item again with `rye lock`, or run `rm [SPACE]/project/.ai/locks/my/say@1.0.0.lock.json`
    ");
    space.write(file, &text);
    space.run(["trust", "--revoke"]);
    assert_snapshot!(space.rye(["lock", "--check"]).show(), @"
    $ rye lock --check
    exit code: 3
    --- stdout
    does not fit  project  [SPACE]/project/.ai/locks/my/say@1.0.0.lock.json
                           the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    --- stderr
    hint: run `rye trust [SPACE]/project`, which shows what it brings
    ");
    assert_snapshot!(space.rye(["lock", "rye/core/runtimes/bash/bash"]).show(), @"
    $ rye lock rye/core/runtimes/bash/bash
    exit code: 3
    --- stderr
    error: the project `[SPACE]/project` is not trusted: nobody has decided to trust it [PROJECT_UNTRUSTED]
    hint: run `rye trust [SPACE]/project`, which shows what it brings
    ");
    space.remove(file);
    std::os::unix::fs::symlink("/etc/passwd", space.path(file)).unwrap();
    space.run(["trust", "--yes"]);
    assert_snapshot!(space.rye(["lock", "--check"]).show(), @"
    $ rye lock --check
    exit code: 3
    --- stdout
    does not fit  project  [SPACE]/project/.ai/locks/my/say@1.0.0.lock.json
                           cannot use the lock file `[SPACE]/project/.ai/locks/my/say@1.0.0.lock.json`: it is a symbolic link
    --- stderr
    hint: run `rm [SPACE]/project/.ai/locks/my/say@1.0.0.lock.json`, and lock the item again with `rye lock`
    ");
}

#[test]
fn files_that_run_with_a_tool_are_pinned_too() {
    let space = TestSpace::with_key();
    space.write("project/.ai/tools/app/__init__.py", "");
    space.write("project/.ai/tools/app/main.py", PYTHON);
    space.write("project/.ai/tools/app/helper.py", "X = 1\n");
    space.run(["sign", "app/main"]);
    space.run(["lock", "app/main"]);
    assert_eq!(space.rye(["lock", "--check"]).json()["good"], true);
    space.write("project/.ai/tools/app/helper.py", "X = 2\n");
    space.run(["sign", "app/main"]);
    assert_eq!(space.rye(["lock", "--check"]).json()["locks"][0]["differences"][0]["difference"], "files");
}

#[test]
fn what_could_not_run_is_not_locked() {
    let space = locked();
    space.write("project/.ai/tools/my/raw.sh", tool("1.0.0"));
    assert_snapshot!(space.rye(["lock", "my/raw"]).show(), @"
    $ rye lock my/raw
    exit code: 3
    --- stderr
    error: tool:my/raw cannot run: tool:my/raw (`[SPACE]/project/.ai/tools/my/raw.sh`) is refused: it is not signed [UNSIGNED]
    hint: run `rye sign my/raw`
    ");
    assert_snapshot!(space.rye(["lock", "my/say"]).within("elsewhere").show(), @"
    $ rye lock my/say
    exit code: 3
    --- stderr
    error: `[SPACE]/elsewhere` is not in a project: no folder above it has `.ai` [SPACE_UNUSABLE]
    hint: run `rye init`, or name a project with `--project`
    ");
}
