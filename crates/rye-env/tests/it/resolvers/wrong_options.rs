//! Declarations that make no sense.

use insta::assert_snapshot;

use crate::test_space::TestSpace;

#[test]
fn wrong_options_are_explained() {
    let space = TestSpace::new();
    let declarations = [
        "type: local_binary, binary: x, search_path: [a]",
        "type: local_binary, binary: x, search_paths: [1]",
        "type: local_binary, binary: a/b",
        "type: local_binary, binary: x, candidates: ['..']",
        "type: local_binary",
        "type: system_binary",
        "type: system_binary, binary: 3",
        "type: system_binary, binary: ./x",
        "type: binary, binary: x, search: [projekt]",
        "type: binary, binary: x, zzz: 1",
        "type: command",
        "type: command, resolve_cmd: []",
        "type: command, resolve_cmd: pyenv which python",
        "type: venv_python, binary: python",
        "type: venv_python, search: {a: b}",
        "type: node_modules, search: nowhere",
        "type: version_manager",
        "type: version_manager, manager: rbenvv",
        "type: version_manager, manager: asdf",
        "type: version_manager, manager: rbenv, version: 3.10",
        "type: version_manager, manager: rbenv, version: ../x",
        "type: conda_env",
        "type: pipx, package: ''",
        "type: homebrew, formula: [a]",
        "type: system_binary, binary: x, fallback: ./x",
    ];
    let stories = declarations.map(|declaration| {
        let story = space.story(&format!("interpreter: {{{declaration}}}"));
        story
            .strip_prefix("cannot find `interpreter` of `runtime`, for the variable `INTERPRETER`: ")
            .unwrap()
            .to_owned()
    });
    assert_snapshot!(stories.concat(), @"
    the option `search_path` of type `local_binary` is wrong: there is none of that name; did you mean `search_paths`?
    the option `search_paths` of type `local_binary` is wrong: it has to be a list of texts that are not empty
    the option `binary` of type `local_binary` is wrong: `a/b` is not a plain name
    the option `candidates` of type `local_binary` is wrong: `..` is not a plain name
    the option `binary` of type `local_binary` is wrong: it is missing
    the option `binary` of type `system_binary` is wrong: it is missing
    the option `binary` of type `system_binary` is wrong: it has to be a text; put the number in quotes
    the option `binary` of type `system_binary` is wrong: `./x` is not a plain name
    the option `search` of type `binary` is wrong: `projekt` is not known; did you mean `project`?
    the option `zzz` of type `binary` is wrong: there is none of that name; known: binary, search
    the option `resolve_cmd` of type `command` is wrong: it is missing
    the option `resolve_cmd` of type `command` is wrong: it is missing
    the option `resolve_cmd` of type `command` is wrong: `pyenv which python` is not a plain name
    the option `binary` of type `venv_python` is wrong: there is none of that name; known: search
    the option `search` of type `venv_python` is wrong: it has to be a list of texts that are not empty
    the option `search` of type `node_modules` is wrong: `nowhere` is not known; known: project, kiwi, user, system
    the option `manager` of type `version_manager` is wrong: it is missing
    the option `manager` of type `version_manager` is wrong: `rbenvv` is not known; did you mean `rbenv`?
    the option `plugin` of type `version_manager` is wrong: it is missing
    the option `version` of type `version_manager` is wrong: it has to be a text; put the number in quotes
    the option `version` of type `version_manager` is wrong: `../x` is not a plain name
    the option `env_name` of type `conda_env` is wrong: it is missing
    the option `package` of type `pipx` is wrong: it has to be a text that is not empty
    the option `formula` of type `homebrew` is wrong: it has to be a text that is not empty
    the option `fallback` of type `system_binary` is wrong: `./x` is not a plain name
    ");
}
