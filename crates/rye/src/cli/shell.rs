//! The command lines of `rye completions` and `rye man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_HELP)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

const COMPLETIONS_HELP: &str = "Examples:\n  \
    rye completions bash > ~/.local/share/bash-completion/completions/rye\n  \
    rye completions zsh > ~/.zfunc/_rye\n  \
    rye completions fish > ~/.config/fish/completions/rye.fish";

#[derive(Debug, Args)]
#[command(after_help = MAN_HELP)]
pub(crate) struct ManArgs {
    /// Write a page for each command to this folder, and do not print any
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print all commands as one page of Markdown
    #[arg(long, conflicts_with = "out")]
    pub(crate) markdown: bool,
}

const MAN_HELP: &str = "Examples:\n  \
    rye man --out ~/.local/share/man/man1\n  \
    rye man | man -l -";
