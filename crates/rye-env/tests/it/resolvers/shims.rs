//! Stand-ins of version managers in `PATH`.

use insta::assert_snapshot;

use crate::test_space::TestSpace;

#[test]
fn the_real_program_is_taken() {
    let mut space = TestSpace::new();
    space.set("PATH", "{space}/home/.pyenv/shims:{space}/bin1");
    space.program("home/.pyenv/shims/python3");
    space.program("home/.pyenv/versions/3.11.4/bin/python3");
    space.program("home/.pyenv/versions/3.12.0/bin/python3");
    space.write("home/.pyenv/version", "3.11.4\n");
    let config = "interpreter: {type: system_binary, binary: python3, var: X}";
    assert_snapshot!(space.story(config), @"
    X=/home/.pyenv/versions/3.11.4/bin/python3
      `/home/.pyenv/shims/python3`: stands for `/home/.pyenv/versions/3.11.4/bin/python3`
      `/home/.pyenv/versions/3.11.4/bin/python3`: found
    ");
    space.write("project/.python-version", "3.12");
    assert_eq!(space.chosen(config), Some(space.path("home/.pyenv/versions/3.12.0/bin/python3")));
}

#[test]
fn the_systems_program_is_taken_if_that_is_the_choice() {
    let mut space = TestSpace::new();
    space.set("RBENV_ROOT", "{space}/opt/rubies");
    space.set("PATH", "{space}/opt/rubies/shims:{space}/bin1");
    space.program("opt/rubies/shims/ruby");
    space.program("opt/rubies/versions/3.2.1/bin/ruby");
    space.program("bin1/ruby");
    let config = "interpreter: {type: system_binary, binary: ruby, var: X}";
    assert_snapshot!(space.story(config), @"
    X=/bin1/ruby
      `/opt/rubies/shims/ruby`: stands for a program of the system
      `/bin1/ruby`: found
    ");
    space.write("opt/rubies/version", "system");
    assert_eq!(space.chosen(config), Some(space.path("bin1/ruby")));
}

#[test]
fn plugins_are_found_by_the_stand_in() {
    let mut space = TestSpace::new();
    space.set("PATH", "{space}/home/.asdf/shims:{space}/home/.local/share/mise/shims");
    space.script(
        "home/.asdf/shims/node",
        "#!/usr/bin/env bash\n# asdf-plugin: nodejs 20.1.0\nexec asdf exec\n",
    );
    let node = space.program("home/.asdf/installs/nodejs/20.1.0/bin/node");
    space.write("home/.tool-versions", "nodejs 20.1.0\nruby 3.2.1");
    space.program("home/.local/bin/mise");
    space.link("home/.local/share/mise/shims/ruby", "../../../bin/mise");
    space.program("home/.local/share/mise/installs/node/20.1.0/bin/node");
    let ruby = space.program("home/.local/share/mise/installs/ruby/3.2.1/bin/ruby");
    let chosen = |name: &str| space.chosen(&format!("interpreter: {{type: system_binary, binary: {name}}}"));
    assert_eq!((chosen("node"), chosen("ruby")), (Some(node), Some(ruby)));
}

#[test]
fn a_stand_in_for_nothing_known_is_kept() {
    let mut space = TestSpace::new();
    space.set("PATH", "{space}/home/.pyenv/shims:{space}/opt/shims");
    let shim = space.program("home/.pyenv/shims/tool");
    let other = space.program("opt/shims/other");
    space.program("home/.pyenv/versions/3.11.4/bin/python3");
    space.write("home/.pyenv/version", "3.11.4\n");
    let chosen = |name: &str| space.chosen(&format!("interpreter: {{type: system_binary, binary: {name}}}"));
    assert_eq!((chosen("tool"), chosen("other")), (Some(shim), Some(other)));
}
