//! Everything that the README shows is carried out as it stands there.

use crate::help::example::{Block, carry_out};
use crate::space::TestSpace;

const README: &str = include_str!("../../../../README.md");

/// A folder in which nothing was done yet, of a user who has nothing.
fn newcomer() -> TestSpace {
    let space = TestSpace::with_bundle();
    std::fs::remove_dir(space.path("project/.ai")).unwrap();
    space
}

#[test]
fn the_tour_is_carried_out_block_by_block() {
    let space = newcomer();
    carry_out(&space, "README", README);
    // What the last part says to clients is written where they look.
    for file in ["project/.mcp.json", "home/.codex/config.toml", "project/.vscode/mcp.json"] {
        assert!(space.read(file).contains("rye"), "{file}");
    }
}

#[test]
fn the_first_tool_needs_three_commands() {
    let blocks = Block::all(README);
    let commands: Vec<_> = blocks[0].text.lines().collect();
    assert!(commands.len() <= 3, "{commands:?}");
    let (last, before) = commands.split_last().unwrap();
    assert!(before.iter().any(|command| command.starts_with("rye new tool ")), "{commands:?}");
    assert!(last.starts_with("rye execute "), "{last}");
    assert!(blocks[1].text.ends_with("{\"greeting\": \"Hello World\"}\n"), "{:?}", blocks[1]);
    // They work one by one, in three shells, and need nothing that stands before them.
    let space = newcomer();
    for command in commands {
        carry_out(&space, "the first tool", &format!("```sh run\n{command}\n```\n"));
    }
}

#[test]
fn commands_that_a_newcomer_reads_exist() {
    let space = TestSpace::with_bundle();
    for named in README.split("`rye help ").skip(1) {
        let topic = named.split('`').next().unwrap();
        space.run(["help", topic]);
    }
    let usage = include_str!("../../../../xtask/src/task.rs");
    for named in README.split("cargo xtask ").skip(1) {
        let task = named.split([' ', '\n', '`']).next().unwrap();
        assert!(usage.contains(&format!("\"{task}\" => Self::")), "{task}");
    }
}
