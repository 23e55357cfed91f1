//! `version_manager` with each manager.

use insta::assert_snapshot;

use crate::test_space::TestSpace;

fn config(options: &str) -> String {
    format!("interpreter: {{type: version_manager, {options}, var: X}}")
}

#[test]
fn each_manager_has_its_layout() {
    let check = |options: &str, program: &str| {
        let space = TestSpace::new();
        let program = space.program(program);
        assert_eq!(space.chosen(&config(options)), Some(program), "{options}");
    };
    check("manager: rbenv", "home/.rbenv/versions/3.2.1/bin/ruby");
    check("manager: rvm", "home/.rvm/rubies/ruby-3.2.1/bin/ruby");
    check("manager: nvm", "home/.nvm/versions/node/v20.1.0/bin/node");
    check("manager: pyenv", "home/.pyenv/versions/3.11.4/bin/python3");
    check("manager: asdf, plugin: nodejs", "home/.asdf/installs/nodejs/20.1.0/bin/node");
    check("manager: asdf, plugin: erlang, binary: erl", "home/.asdf/installs/erlang/26.0/bin/erl");
    check("manager: mise, plugin: python", "home/.local/share/mise/installs/python/3.12.1/bin/python");
}

#[test]
fn each_manager_honours_its_variable() {
    let check = |variable: &str, options: &str, program: &str| {
        let space = TestSpace::new().with(variable, "{space}/elsewhere");
        space.program("home/.rbenv/versions/9.9.9/bin/ruby");
        let program = space.program(program);
        assert_eq!(space.chosen(&config(options)), Some(program), "{variable}");
    };
    check("RBENV_ROOT", "manager: rbenv", "elsewhere/versions/3.2.1/bin/ruby");
    check("rvm_path", "manager: rvm", "elsewhere/rubies/ruby-3.2.1/bin/ruby");
    check("RVM_PATH", "manager: rvm", "elsewhere/rubies/ruby-3.2.1/bin/ruby");
    check("NVM_DIR", "manager: nvm", "elsewhere/versions/node/v20.1.0/bin/node");
    check("PYENV_ROOT", "manager: pyenv", "elsewhere/versions/3.11.4/bin/python");
    check("ASDF_DATA_DIR", "manager: asdf, plugin: ruby", "elsewhere/installs/ruby/3.2.1/bin/ruby");
    check("MISE_DATA_DIR", "manager: mise, plugin: node", "elsewhere/installs/node/20.1.0/bin/node");
    check("XDG_DATA_HOME", "manager: mise, plugin: node", "elsewhere/mise/installs/node/20.1.0/bin/node");
    check("XDG_CONFIG_HOME", "manager: nvm", "elsewhere/nvm/versions/node/v20.1.0/bin/node");
}

#[test]
fn a_version_is_taken_whole_or_in_part() {
    let space = TestSpace::new();
    for version in ["v18.2.0", "v20.1.0", "v20.11.0"] {
        space.program(&format!("home/.nvm/versions/node/{version}/bin/node"));
    }
    let check = |version: &str, expect: &str| {
        let found = space.chosen(&config(&format!("manager: nvm, version: '{version}'")));
        assert_eq!(
            found,
            Some(space.path(&format!("home/.nvm/versions/node/{expect}/bin/node"))),
            "{version}"
        );
    };
    check("v20.1.0", "v20.1.0");
    check("20.1.0", "v20.1.0");
    check("20", "v20.11.0");
    check("18", "v18.2.0");
}

#[test]
fn without_a_version_the_managers_own_choice_counts() {
    let check = |file: &str, text: &str, options: &str, programs: [&str; 2]| {
        let space = TestSpace::new();
        for program in programs {
            space.program(program);
        }
        assert_eq!(space.chosen(&config(options)), Some(space.path(programs[1])), "{file}: highest");
        space.write(file, text);
        assert_eq!(space.chosen(&config(options)), Some(space.path(programs[0])), "{file}");
    };
    let ruby = ["home/.rbenv/versions/3.2.1/bin/ruby", "home/.rbenv/versions/3.10.0/bin/ruby"];
    check("home/.rbenv/version", "3.2.1\n", "manager: rbenv", ruby);
    check("project/.ruby-version", "ruby-3.2.1\n", "manager: rbenv", ruby);
    let ruby = ["home/.rvm/rubies/ruby-3.2.1/bin/ruby", "home/.rvm/rubies/ruby-3.3.0/bin/ruby"];
    check("home/.rvm/config/alias", "default=ruby-3.2.1\n", "manager: rvm", ruby);
    let node = ["home/.nvm/versions/node/v18.2.0/bin/node", "home/.nvm/versions/node/v20.1.0/bin/node"];
    check("home/.nvm/alias/default", "18\n", "manager: nvm", node);
    check("project/.nvmrc", "v18\n", "manager: nvm", node);
    let python = ["home/.pyenv/versions/3.9.1/bin/python", "home/.pyenv/versions/3.10.1/bin/python"];
    check("home/.pyenv/version", "3.9.1\n3.10.1\n", "manager: pyenv", python);
    let node = ["home/.asdf/installs/nodejs/18.2.0/bin/node", "home/.asdf/installs/nodejs/20.1.0/bin/node"];
    check("home/.tool-versions", "ruby 1\nnodejs 18.2.0\n", "manager: asdf, plugin: nodejs", node);
    check("project/.tool-versions", "nodejs 18.2.0\n", "manager: asdf, plugin: nodejs", node);
    let node = [
        "home/.local/share/mise/installs/node/18.2.0/bin/node",
        "home/.local/share/mise/installs/node/20.1.0/bin/node",
    ];
    check("home/.config/mise/config.toml", "[tools]\nnode = '18'", "manager: mise, plugin: node", node);
    check("project/mise.toml", "[tools]\nnode = {version = '18.2.0'}", "manager: mise, plugin: node", node);
}

#[test]
fn a_default_folder_counts() {
    let space = TestSpace::new();
    space.program("home/.rvm/rubies/ruby-3.2.1/bin/ruby");
    space.program("home/.rvm/rubies/ruby-3.3.0/bin/ruby");
    space.link("home/.rvm/rubies/default", "ruby-3.2.1");
    assert_eq!(space.chosen(&config("manager: rvm")), Some(space.path("home/.rvm/rubies/default/bin/ruby")));
}

#[test]
fn aliases_are_followed() {
    let space = TestSpace::new();
    let node = space.program("home/.nvm/versions/node/v18.2.0/bin/node");
    space.program("home/.nvm/versions/node/v20.1.0/bin/node");
    space.write("home/.nvm/alias/default", "lts/*\n");
    space.write("home/.nvm/alias/lts/*", "lts/hydrogen\n");
    space.write("home/.nvm/alias/lts/hydrogen", "v18.2.0\n");
    assert_eq!(space.chosen(&config("manager: nvm")), Some(node));
    space.write("home/.nvm/alias/a", "default");
    space.write("home/.nvm/alias/default", "a");
    let highest = space.path("home/.nvm/versions/node/v20.1.0/bin/node");
    assert_eq!(space.chosen(&config("manager: nvm")), Some(highest));
}

#[test]
fn a_variable_is_stronger_than_files() {
    let space = TestSpace::new().with("PYENV_VERSION", "3.9.1:3.10.1");
    space.write("project/.python-version", "3.10.1");
    space.program("home/.pyenv/versions/3.10.1/bin/python");
    let python = space.program("home/.pyenv/versions/3.9.1/bin/python");
    assert_eq!(space.chosen(&config("manager: pyenv")), Some(python));
}

#[test]
fn a_version_file_of_an_untrusted_project_does_not_count() {
    let space = TestSpace::untrusted();
    space.write("project/.python-version", "3.9.1");
    space.program("home/.pyenv/versions/3.9.1/bin/python");
    let highest = space.program("home/.pyenv/versions/3.10.1/bin/python");
    assert_eq!(space.chosen(&config("manager: pyenv")), Some(highest));
}

#[test]
fn a_missing_version_is_told_and_path_is_next() {
    let space = TestSpace::new();
    space.program("home/.rbenv/versions/3.2.1/bin/ruby");
    space.program("bin1/ruby");
    assert_snapshot!(space.story(&config("manager: rbenv, version: '2.7'")), @"
    X=/bin1/ruby
      `/home/.rbenv/versions/`: has no version `2.7`
      `/bin1/ruby`: found
      warning: `version` asks for version `2.7`, which is not installed
    ");
    space.write("project/.ruby-version", "2.7.0");
    assert_snapshot!(space.story(&config("manager: rbenv")), @"
    X=/home/.rbenv/versions/3.2.1/bin/ruby
      `/home/.rbenv/versions/`: has no version `2.7.0`
      `/home/.rbenv/versions/3.2.1/bin/ruby`: found
      warning: `/project/.ruby-version` asks for version `2.7.0`, which is not installed
    ");
    space.write("project/.ruby-version", "system");
    assert_snapshot!(space.story(&config("manager: rbenv")), @"
    X=/bin1/ruby
      `/bin1/ruby`: found
    ");
}

#[test]
fn every_place_is_listed() {
    let space = TestSpace::new();
    assert_snapshot!(space.story(&config("manager: rvm, fallback: rb")), @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      `/home/.rvm/rubies/`: missing
      `/usr/local/rvm/rubies/`: missing
      `/bin1/ruby`: missing
      `/bin2/ruby`: missing
      `/bin1/rb`: missing
      `/bin2/rb`: missing
    ");
    space.write("home/.asdf/installs/nodejs/20.1.0/README", "");
    assert_snapshot!(space.story(&config("manager: asdf, plugin: nodejs")), @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      `/home/.asdf/installs/nodejs/20.1.0/bin/node`: missing
      `/home/.asdf/installs/nodejs/20.1.0/Scripts/node.exe`: missing
      `/bin1/node`: missing
      `/bin2/node`: missing
    ");
    std::fs::create_dir_all(space.path("home/.local/share/mise/installs/deno")).unwrap();
    assert_snapshot!(space.story(&config("manager: mise, plugin: deno")), @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      `/home/.local/share/mise/installs/deno/`: has no versions
      `/bin1/deno`: missing
      `/bin2/deno`: missing
    ");
}
