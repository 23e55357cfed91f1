//! `venv_python`, `node_modules`, `conda_env`.

use insta::assert_snapshot;
use lillux::process::{RunRequest, run};

use crate::test_space::TestSpace;

#[test]
fn a_real_venv_stays_one() {
    let space = TestSpace::new();
    let venv = space.path("project/.venv");
    let make = RunRequest::new("python3")
        .args(["-m".as_ref(), "venv".as_ref(), "--without-pip".as_ref(), venv.as_os_str()])
        .envs(std::env::vars_os());
    let outcome = run(&make).unwrap();
    assert!(outcome.ending.is_success(), "{}", String::from_utf8_lossy(&outcome.stderr.bytes));

    let config = "interpreter: {type: venv_python, search: [project, user, system], var: RYE_PYTHON}";
    let python = space.chosen(config).unwrap();
    assert_eq!(python, venv.join("bin/python"));
    let outcome = run(&RunRequest::new(&python).args(["-c", "import sys; print(sys.prefix)"])).unwrap();
    assert_eq!(String::from_utf8_lossy(&outcome.stdout.bytes).trim(), venv.to_str().unwrap());
}

#[test]
fn venv_python_goes_by_its_search_words() {
    let config = "interpreter: {type: venv_python, search: [project, kiwi, user, system], var: X}";
    let space = TestSpace::new();
    let places = [
        "bin2/python",
        "bin2/python3",
        "home/.venv/bin/python",
        "home/.ai/.venv/bin/python",
        "project/.ai/scripts/.venv/bin/python",
        "project/.venv/Scripts/python.exe",
        "project/.venv/bin/python",
    ];
    for place in places {
        let program = space.program(place);
        assert_eq!(space.chosen(config), Some(program));
    }
    // Without words, the project's own environment does not count.
    let default = "interpreter: {type: venv_python, var: X}";
    assert_eq!(space.chosen(default), Some(space.path("project/.ai/scripts/.venv/bin/python")));
}

#[test]
fn venv_python_lists_every_place() {
    let space = TestSpace::new();
    assert_snapshot!(space.story(
        "interpreter: {type: venv_python, search: [project, kiwi, user, system], var: X, fallback: py}"
    ), @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      `/project/.venv/`: missing
      `/project/.ai/scripts/.venv/`: missing
      `/home/.ai/.venv/`: missing
      `/home/.venv/`: missing
      `/bin1/python3`: missing
      `/bin2/python3`: missing
      `/bin1/python`: missing
      `/bin2/python`: missing
      `/bin1/py`: missing
      `/bin2/py`: missing
    ");
}

#[test]
fn node_modules_goes_by_its_search_words() {
    let config = "interpreter: {type: node_modules, search: [project, kiwi, user, system], var: X}";
    let space = TestSpace::new();
    assert_snapshot!(space.story(config), @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      `/project/node_modules/.bin/node`: missing
      `/project/.ai/scripts/node_modules/.bin/node`: missing
      `/home/.ai/node_modules/.bin/node`: missing
      `/home/node_modules/.bin/node`: missing
      `/bin1/node`: missing
      `/bin2/node`: missing
    ");
    let places = [
        "bin2/node",
        "home/.ai/node_modules/.bin/node",
        "project/.ai/scripts/node_modules/.bin/node",
        "project/node_modules/.bin/node",
    ];
    for place in places {
        let program = space.program(place);
        assert_eq!(space.chosen(config), Some(program));
    }
    let tsx = space.link("project/node_modules/.bin/tsx", "../tsx/cli.mjs");
    space.program("project/node_modules/tsx/cli.mjs");
    assert_eq!(
        space.chosen("interpreter: {type: node_modules, search: [project], binary: tsx, var: X}"),
        Some(tsx)
    );
}

#[test]
fn conda_environments_are_found_by_name() {
    let config = "interpreter: {type: conda_env, env_name: science, var: X}";
    let space = TestSpace::new();
    let places = ["home/.conda/envs/science/bin/python", "home/miniconda3/envs/science/bin/python"];
    for place in places {
        let program = space.program(place);
        assert_eq!(space.chosen(config), Some(program));
    }
    let r = space.program("home/miniconda3/envs/science/bin/Rscript");
    assert_eq!(
        space.chosen("interpreter: {type: conda_env, env_name: science, binary: Rscript, var: X}"),
        Some(r)
    );
    let base = space.program("home/miniforge3/bin/python");
    assert_eq!(space.chosen("interpreter: {type: conda_env, env_name: base, var: X}"), Some(base));

    let space = space.with("CONDA_EXE", "{space}/conda/bin/conda");
    let of_program = space.program("conda/envs/science/bin/python");
    assert_eq!(space.chosen(config), Some(of_program));
    let space = space.with("CONDA_ENVS_DIRS", "relative:{space}/envs");
    let listed = space.program("envs/science/bin/python");
    assert_eq!(space.chosen(config), Some(listed));
}

#[test]
fn conda_env_lists_every_place() {
    let space = TestSpace::new().with("MAMBA_ROOT_PREFIX", "{space}/mamba");
    assert_snapshot!(
        space.story("interpreter: {type: conda_env, env_name: rye-test-none, var: X, fallback: none}"),
        @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      `/mamba/envs/rye-test-none/`: missing
      `/home/miniconda3/envs/rye-test-none/`: missing
      `/home/anaconda3/envs/rye-test-none/`: missing
      `/home/miniforge3/envs/rye-test-none/`: missing
      `/home/mambaforge/envs/rye-test-none/`: missing
      `/home/micromamba/envs/rye-test-none/`: missing
      `/home/miniconda/envs/rye-test-none/`: missing
      `/home/anaconda/envs/rye-test-none/`: missing
      `/opt/miniconda3/envs/rye-test-none/`: missing
      `/opt/anaconda3/envs/rye-test-none/`: missing
      `/opt/miniforge3/envs/rye-test-none/`: missing
      `/opt/mambaforge/envs/rye-test-none/`: missing
      `/opt/micromamba/envs/rye-test-none/`: missing
      `/opt/miniconda/envs/rye-test-none/`: missing
      `/opt/anaconda/envs/rye-test-none/`: missing
      `/opt/conda/envs/rye-test-none/`: missing
      `/home/.conda/envs/rye-test-none/`: missing
      `/bin1/none`: missing
      `/bin2/none`: missing
    "
    );
}
