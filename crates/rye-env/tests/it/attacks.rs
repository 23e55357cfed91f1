//! What a project, a folder or a file tries in order to have its code run.

use std::ffi::OsStr;
use std::os::unix::fs::symlink;

use insta::assert_snapshot;

use crate::test_space::TestSpace;

#[test]
fn dotenv_files_cannot_choose_code() {
    let names = [
        "PATH",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "DYLD_INSERT_LIBRARIES",
        "PYTHONSTARTUP",
        "PYTHONPATH",
        "PYTHONHOME",
        "NODE_OPTIONS",
        "NODE_PATH",
        "BASH_ENV",
        "ENV",
        "RUBYOPT",
        "RUBYLIB",
        "PERL5OPT",
        "PERL5LIB",
        "PERL5DB",
        "LUA_INIT",
        "JAVA_TOOL_OPTIONS",
        "_JAVA_OPTIONS",
        "GIT_SSH_COMMAND",
        "GIT_EXEC_PATH",
        "GCONV_PATH",
        "IFS",
        "SHELLOPTS",
        "BASHOPTS",
        "PS4",
        "PROMPT_COMMAND",
        "RYE_DEV_MODE",
        "RYE_SYSTEM_SPACE",
        "USER_SPACE",
    ];
    for file in ["home/.ai/.env", "project/.ai/.env", "project/.env", "project/.env.local"] {
        let space = TestSpace::new();
        space.write(file, format!("export {}='/evil'\nFINE=1\n", names.join("='/evil'\nexport ")));
        let environment = space.resolve_all(&[], &[]).unwrap();
        let changed: Vec<_> = environment.changes().map(|(name, _)| name).collect();
        assert_eq!(changed, [OsStr::new("FINE")], "{file}");
        let refused: Vec<_> =
            environment.refused_lines().iter().map(|line| (line.name.as_str(), line.line)).collect();
        let expected: Vec<_> = names.iter().enumerate().map(|(index, name)| (*name, index + 1)).collect();
        assert_eq!(refused, expected, "{file}");
        assert!(environment.refused_lines().iter().all(|line| line.path == space.path(file)));
    }
}

#[test]
fn a_variable_that_nobody_was_shown_is_left_out() {
    let mut space = TestSpace::new();
    space.write("home/.ai/.env", "OWN=1\n");
    space.write("project/.env", "SHOWN=2\nINJECTED=3\n");
    space.shown = Some(["SHOWN".to_owned()].into());
    let environment = space.resolve_all(&[], &[]).unwrap();
    let changed: Vec<_> = environment.changes().map(|(name, _)| name).collect();
    assert_eq!(changed, [OsStr::new("OWN"), OsStr::new("SHOWN")]);
    let [line] = environment.refused_lines()[..] else { panic!("{:?}", environment.refused_lines()) };
    assert_eq!((line.name.as_str(), line.line), ("INJECTED", 2));
    assert_eq!(line.protection.to_string(), "it was not there when the project was trusted");
}

#[test]
fn a_projects_dotenv_file_cannot_move_the_operators_things() {
    let text = "HOME=/evil\nTMPDIR=/evil\nhttps_proxy=http://evil\nSSL_CERT_FILE=/evil\nPYENV_ROOT=/evil\n";
    let space = TestSpace::new();
    space.write("project/.env", text);
    let environment = space.resolve_all(&[], &[]).unwrap();
    assert_eq!(environment.changes().count(), 0);
    let reasons: Vec<_> = environment
        .refused_lines()
        .iter()
        .map(|line| format!("{}: {}", line.name, line.protection))
        .collect();
    assert_snapshot!(reasons.join("\n"), @"
    HOME: it decides where programs find their settings and keep private files
    TMPDIR: it decides where programs find their settings and keep private files
    https_proxy: it decides whom programs trust and talk through
    SSL_CERT_FILE: it decides whom programs trust and talk through
    PYENV_ROOT: it decides where interpreters are looked for
    ");

    let space = TestSpace::new();
    space.write("home/.ai/.env", text);
    assert_eq!(space.resolve_all(&[], &[]).unwrap().changes().count(), 5);
}

#[test]
fn a_projects_dotenv_file_does_not_steer_the_search() {
    let space = TestSpace::new();
    space.program("home/.pyenv/versions/3.11.1/bin/python");
    let other = space.program("home/.pyenv/versions/3.10.1/bin/python");
    let config = "interpreter: {type: version_manager, manager: pyenv}";
    space.write("project/.env", "PYENV_VERSION=3.10.1");
    assert_eq!(space.chosen(config), Some(space.path("home/.pyenv/versions/3.11.1/bin/python")));
    space.write("home/.ai/.env", "PYENV_VERSION=3.10.1");
    assert_eq!(space.chosen(config), Some(other));
}

#[test]
fn interpreters_of_an_untrusted_project_are_passed_over() {
    let mut space = TestSpace::untrusted();
    space.program("project/.venv/bin/python");
    space.program("project/.ai/scripts/.venv/bin/python");
    space.program("bin2/python3");
    let config = "interpreter: {type: venv_python, search: [project, kiwi, user, system], var: X}";
    assert_snapshot!(space.story(config), @"
    X=/bin2/python3
      `/project/.venv/bin/python`: in an untrusted project
      `/project/.venv/Scripts/python.exe`: missing
      `/project/.ai/scripts/.venv/bin/python`: in an untrusted project
      `/project/.ai/scripts/.venv/Scripts/python.exe`: missing
      `/home/.ai/.venv/`: missing
      `/home/.venv/`: missing
      `/bin1/python3`: missing
      `/bin2/python3`: found
    ");
    space.is_trusted = true;
    assert_snapshot!(space.story(config), @"
    X=/project/.venv/bin/python (in the project)
      `/project/.venv/bin/python`: found
    ");
}

#[test]
fn links_and_path_entries_do_not_hide_an_untrusted_project() {
    let mut space = TestSpace::untrusted();
    space.set(
        "PATH",
        "{space}/project/bin:{space}/linked:{space}/bin1:{space}/x/../project/bin2:{space}/bin2",
    );
    space.program("project/bin/tool");
    space.link("project/bin2/tool", "/bin/sh");
    space.link("linked", space.path("project/bin"));
    space.link("bin1/tool", space.path("project/bin/tool"));
    space.write("x/keep", "");
    let tool = space.link("bin2/tool", "/bin/sh");
    let config = "interpreter: {type: system_binary, binary: tool, var: X}";
    assert_snapshot!(space.story(config), @"
    X=/bin2/tool
      `/project/bin/tool`: in an untrusted project
      `/linked/tool`: in an untrusted project
      `/bin1/tool`: in an untrusted project
      `/x/../project/bin2/tool`: in an untrusted project
      `/bin2/tool`: found
    ");
    assert_eq!(space.chosen(config), Some(tool));
}

#[test]
fn relative_entries_of_path_are_never_used() {
    let mut space = TestSpace::new();
    space.set("PATH", ".::bin:{space}/bin1");
    // The test's own working directory has this file, and `Cargo.toml` could be executable.
    assert_snapshot!(
        space.story("interpreter: {type: system_binary, binary: Cargo.toml, var: X}"),
        @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      entry `.` of PATH: not an absolute path, and never used
      entry `` of PATH: not an absolute path, and never used
      entry `bin` of PATH: not an absolute path, and never used
      `/bin1/Cargo.toml`: missing
    "
    );
}

#[test]
fn only_regular_executable_files_are_interpreters() {
    let mut space = TestSpace::new();
    space.set("PATH", "{space}/a:{space}/b:{space}/c:{space}/d");
    std::fs::create_dir_all(space.path("a/tool")).unwrap();
    space.write("b/tool", "not executable");
    space.link("c/tool", "nowhere");
    std::fs::create_dir_all(space.path("d")).unwrap();
    symlink("tool", space.path("d/tool")).unwrap();
    assert_snapshot!(space.story("interpreter: {type: system_binary, binary: tool, var: X}"), @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      `/a/tool`: not a regular file
      `/b/tool`: not executable
      `/c/tool`: missing
      `/d/tool`: filesystem loop or indirection limit (e.g. symlink loop)
    ");
}

#[test]
fn a_project_cannot_name_a_version_outside_of_the_manager() {
    let space = TestSpace::new();
    space.program("evil/bin/ruby");
    space.program("home/.rbenv/versions/3.2.0/bin/ruby");
    for text in ["../../../evil", "/evil", "..", "../../evil\n", "a\0b"] {
        space.write("project/.ruby-version", text);
        let found = space.chosen("interpreter: {type: version_manager, manager: rbenv}");
        assert_eq!(found, Some(space.path("home/.rbenv/versions/3.2.0/bin/ruby")), "{text:?}");
    }
}

#[test]
fn a_folder_of_an_untrusted_project_is_one_under_any_name() {
    let mut space = TestSpace::untrusted();
    space.set("PATH", "{space}/linked");
    space.link("project/bin/tool", "/bin/sh");
    space.link("linked", space.path("project/bin"));
    assert_snapshot!(
        space.story("interpreter: {type: system_binary, binary: tool, var: X}"),
        @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      `/linked/tool`: in an untrusted project
    "
    );
}
