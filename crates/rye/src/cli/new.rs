//! The command lines of `rye init` and `rye new`.

use clap::{Args, ValueEnum};

use super::{Client, Target};

#[derive(Debug, Args)]
#[command(after_help = INIT_HELP)]
pub(crate) struct InitArgs {
    /// Whose key it is, if one is made [default: the user's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) owner: Option<String>,
    /// Protect the key with a passphrase, which is asked for
    #[arg(long)]
    pub(crate) passphrase: bool,
    /// Trust the folder without asking, whatever it brings
    #[arg(long)]
    pub(crate) yes: bool,
    /// Tell this client about the MCP server, in its configuration
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub(crate) mcp: Option<Client>,
}

const INIT_HELP: &str = "Makes a key to sign with, if there is none; the folder `.ai` with a folder for each kind of \
    item; and trusts this folder, or the one of `--project`. A folder that brings keys, interpreters or `.env` files \
    is trusted after they were shown and somebody said yes. What is there stays as it is.\n\n\
    Examples:\n  \
    rye init\n  \
    rye init --mcp claude-code";

#[derive(Debug, Args)]
#[command(after_help = NEW_HELP)]
pub(crate) struct NewArgs {
    /// What to make
    #[arg(value_enum, required_unless_present = "list")]
    pub(crate) kind: Option<NewKind>,
    /// Its id, such as `demo/greet`
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub(crate) name: Option<String>,
    /// The language, or the template, if there are several
    #[arg(long, value_name = "LANG")]
    pub(crate) lang: Option<String>,
    /// The space that it goes to
    #[arg(long, value_enum, value_name = "SPACE", default_value = "project")]
    pub(crate) space: Target,
    /// Do not sign it
    #[arg(long)]
    pub(crate) no_sign: bool,
    /// List the templates
    #[arg(long, conflicts_with_all = ["name", "lang", "no_sign"])]
    pub(crate) list: bool,
}

/// What can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NewKind {
    /// A tool
    Tool,
    /// A language, with the first tool in it
    Runtime,
    /// A directive
    Directive,
    /// A piece of knowledge
    Knowledge,
    /// A state graph
    Graph,
}

const NEW_HELP: &str = "A template is a knowledge item `rye/templates/KIND/LANG`; projects and users can have their \
    own. What is made is signed if you have a key, and is in nobody's way: nothing is ever replaced.\n\n\
    Examples:\n  \
    rye new --list\n  \
    rye new tool demo/greet --lang python\n  \
    rye new directive demo/explain";
