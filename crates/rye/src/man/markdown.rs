//! All commands on one page, as they describe themselves.

use std::fmt::Write as _;

use clap::Command;

/// A chapter for each command and each command below it, with the text of its `--help`.
pub(super) fn page(mut whole: Command) -> String {
    whole.build();
    let mut text = String::from("# Commands\n");
    chapter(&mut text, &mut whole, "");
    text
}

fn chapter(text: &mut String, command: &mut Command, parent: &str) {
    let name = format!("{parent}{}", command.get_name());
    let help = command.render_long_help().to_string();
    let help = help.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let _ = write!(text, "\n## {name}\n\n```text\n{}\n```\n", help.trim());
    // Every command that has commands below it gets one called `help`, of which only the topmost is ours.
    let is_ours = |below: &Command| below.get_name() != "help" || parent.is_empty();
    let is_shown = |below: &&mut Command| !below.is_hide_set() && is_ours(below);
    for below in command.get_subcommands_mut().filter(is_shown) {
        chapter(text, below, &format!("{name} "));
    }
}
