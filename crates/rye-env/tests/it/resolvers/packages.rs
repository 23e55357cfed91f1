//! `pipx`, `homebrew`.

use insta::assert_snapshot;

use crate::test_space::TestSpace;

#[test]
fn pipx_packages_are_found() {
    let config = "interpreter: {type: pipx, package: black, var: X}";
    let space = TestSpace::new();
    assert_snapshot!(space.story(config), @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      `/home/.local/share/pipx/venvs/black/`: missing
      `/home/.local/pipx/venvs/black/`: missing
      `/home/.local/bin/black`: missing
    ");
    let places = [
        "home/.local/bin/black",
        "home/.local/pipx/venvs/black/bin/black",
        "home/.local/share/pipx/venvs/black/Scripts/black.exe",
        "home/.local/share/pipx/venvs/black/bin/black",
    ];
    for place in places {
        let program = space.program(place);
        assert_eq!(space.chosen(config), Some(program));
    }
    let space = space.with("PIPX_HOME", "{space}/pipx");
    let daemon = space.program("pipx/venvs/black/bin/blackd");
    assert_eq!(space.chosen("interpreter: {type: pipx, package: black, binary: blackd}"), Some(daemon));
}

#[test]
fn homebrew_formulas_are_found() {
    let config = "interpreter: {type: homebrew, formula: rye-none@3.11, var: X}";
    let space = TestSpace::new().with("HOMEBREW_PREFIX", "{space}/brew");
    assert_snapshot!(space.story(config), @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      `/brew/opt/rye-none@3.11/`: missing
      `/opt/homebrew/opt/rye-none@3.11/`: missing
      `/usr/local/opt/rye-none@3.11/`: missing
      `/home/linuxbrew/.linuxbrew/opt/rye-none@3.11/`: missing
      `/home/.linuxbrew/opt/rye-none@3.11/`: missing
    ");
    let places = [
        "home/.linuxbrew/opt/rye-none@3.11/bin/rye-none",
        "brew/opt/rye-none@3.11/libexec/bin/rye-none",
        "brew/opt/rye-none@3.11/bin/rye-none3",
        "brew/opt/rye-none@3.11/bin/rye-none3.11",
    ];
    for place in places {
        let program = space.program(place);
        assert_eq!(space.chosen(config), Some(program));
    }
    let pip = space.program("brew/opt/rye-none@3.11/bin/pip");
    assert_eq!(space.chosen("interpreter: {type: homebrew, formula: rye-none@3.11, binary: pip}"), Some(pip));
}
