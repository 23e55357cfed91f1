//! Completions, manual pages, and what was built.

use crate::space::{RYE, TestSpace};
use insta::assert_snapshot;

#[test]
fn the_version_tells_what_was_built() {
    let space = TestSpace::new();
    let text = String::from_utf8(space.rye(["--version"]).output().stdout).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let [name, commit, target, profile] = lines[..] else { panic!("{text}") };
    assert_eq!(name, format!("rye {}", env!("CARGO_PKG_VERSION")));
    let commit = commit.strip_prefix("commit: ").unwrap();
    assert!(commit == "unknown" || commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{commit}");
    assert!(target.strip_prefix("target: ").is_some_and(|target| target.contains("linux")), "{target}");
    assert!(["profile: debug", "profile: release"].contains(&profile), "{profile}");
}

/// The environment of a shell in which `rye` is what is tested, and the space is this one.
fn environment(space: &TestSpace) -> String {
    let folder = std::path::Path::new(RYE).parent().unwrap().display().to_string();
    format!(
        "HOME={} XDG_CACHE_HOME={} PATH={folder}:/usr/bin:/bin",
        space.path("home").display(),
        space.path("cache").display()
    )
}

/// What bash offers for the last of these words.
fn offered(space: &TestSpace, words: &str) -> Vec<String> {
    let environment = environment(space);
    let script = format!(
        "source <(rye completions bash); COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
         _rye_with_ids rye \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
    );
    let printed =
        space.shell(&format!("env -i {environment} /bin/bash -c '{}'", script.replace('\'', "'\\''")));
    printed.lines().map(str::to_owned).collect()
}

/// Types a line into a zsh on a terminal of its own, completes it, and writes down what stands there then.
const ZSH: &str = r#"
zmodload zsh/zpty
mkdir functions && rye completions zsh > functions/_rye
zpty terminal 'exec zsh -f -i'
zpty -w terminal 'answer() { zle complete-word; print -r -- "$BUFFER" > answer; exit; }; zle -N answer; bindkey "^I" answer
    fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D'
zpty -w -n terminal "$1"$'\t'
while zpty -r terminal shown; do :; done
cat answer
"#;

/// What zsh makes of a line.
fn completed(space: &TestSpace, line: &str) -> String {
    let script = space.write("project/complete.zsh", ZSH);
    let environment = environment(space);
    let printed = space.shell(&format!(
        "rm -rf functions answer && env -i {environment} /usr/bin/zsh -f '{}' '{line}'",
        script.display()
    ));
    printed.trim_end().to_owned()
}

#[test]
fn bash_completes_commands_options_and_ids() {
    let space = TestSpace::with_bundle();
    assert_eq!(offered(&space, "rye expl"), ["explain"]);
    assert_eq!(offered(&space, "rye load --pa"), ["--part"]);
    assert_eq!(offered(&space, "rye execute rye/git/s"), ["rye/git/status"]);
    assert_eq!(offered(&space, "rye graph step rye/git/s"), ["rye/git/status"]);
    assert_eq!(offered(&space, "rye runs show rye/git/s"), [""; 1]);
    assert!(!offered(&space, "rye ''").iter().any(|word| word == "supervise" || word == "data"));
}

#[test]
fn zsh_completes_commands_options_and_ids() {
    let space = TestSpace::with_bundle();
    let check = |line: &str, expect: &str| assert_eq!(completed(&space, line), expect, "{line}");
    check("rye expl", "rye explain");
    check("rye load --pa", "rye load --part=");
    check("rye execute rye/git/s", "rye execute rye/git/status");
    check("rye explain --json rye/git/s", "rye explain --json rye/git/status");
    check("rye graph step rye/git/s", "rye graph step rye/git/status");
    check("rye runs show rye/git/s", "rye runs show rye/git/s");
    check("rye supervis", "rye supervis");
}

#[test]
fn every_shell_gets_a_script() {
    let space = TestSpace::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = space.rye(["completions", shell]).output();
        assert!(output.status.success() && output.stdout.len() > 1000, "{shell}: {output:?}");
    }
    assert_snapshot!(space.rye(["completions", "tcsh"]).show(), @"
    $ rye completions tcsh
    exit code: 2
    --- stderr
    error: invalid value 'tcsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'zsh'

    For more information, try '--help'.
    ");
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let space = TestSpace::new();
    assert_snapshot!(space.rye(["man", "--out", "pages"]).show(), @"
    $ rye man --out pages
    exit code: 0
    --- stdout
    the pages are in `pages`
    ");
    let page = space.read("project/pages/rye-keys-generate.1");
    assert!(page.contains("\\-\\-owner"), "{page}");
    for hidden in ["rye-supervise.1", "rye-data.1"] {
        assert!(!space.path(format!("project/pages/{hidden}")).exists(), "{hidden}");
    }
    let printed = String::from_utf8(space.rye(["man"]).output().stdout).unwrap();
    assert_eq!(printed, space.read("project/pages/rye.1"));
    space.write("project/file", "");
    assert_snapshot!(space.rye(["man", "--out", "file"]).show(), @"
    $ rye man --out file
    exit code: 3
    --- stderr
    error: cannot write `file`: File exists (os error 17) [IO]
    hint: name another place, or run `ls -la .` to see what is there
    ");
}

#[test]
fn the_manual_can_be_one_page_of_markdown() {
    let space = TestSpace::new();
    let page = String::from_utf8(space.rye(["man", "--markdown"]).output().stdout).unwrap();
    let chapters: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    for command in ["rye", "rye init", "rye keys generate", "rye help"] {
        assert_eq!(chapters.iter().filter(|chapter| **chapter == command).count(), 1, "{command}");
    }
    for absent in ["rye supervise", "rye data", "rye keys help"] {
        assert!(!chapters.contains(&absent), "{absent}");
    }
    assert!(page.contains("Usage: rye keys generate [OPTIONS]\n"), "{page}");
}
