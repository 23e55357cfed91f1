//! The command lines of `rye execute` and `rye explain`.

use clap::Args;
use rye_item::ItemKind;

#[derive(Debug, Args)]
#[command(after_help = EXECUTE_HELP, disable_help_flag = true)]
pub(crate) struct ExecuteArgs {
    /// What kind of item it is
    #[arg(long, default_value = "tool")]
    pub(crate) kind: ItemKind,
    #[command(flatten)]
    pub(crate) options: RunOptions,
    /// Print this help; after the id, the help of the item
    #[arg(long, short)]
    pub(crate) help: bool,
    /// The item's id or bare name, then its parameters and any of these options
    #[arg(value_name = "ID [--NAME VALUE]…", trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
    pub(crate) rest: Vec<String>,
}

// How something is executed. After the id, a parameter of the item comes before an option of the same name.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(crate) struct RunOptions {
    /// All parameters as a JSON object: the text itself, `@FILE`, or `-` for standard input
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub(crate) params: Option<String>,
    /// Show the plan, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Tell on standard error what was decided and why
    #[arg(long)]
    pub(crate) trace: bool,
    /// Give it at most this many seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<f64>,
    /// Let it run on its own, and print the id of the run at once
    #[arg(long = "async")]
    pub(crate) is_async: bool,
    /// Demand a lock file
    #[arg(long)]
    pub(crate) locked: bool,
}

const EXECUTE_HELP: &str = "Parameters:\n  \
    --name Alice         a text\n  \
    --count 3            a number\n  \
    --tag a --tag b      a list\n  \
    --force, --no-force  yes or no\n  \
    --filter '{\"a\":1}'   anything else, as JSON\n\n\
    `rye execute ID --help` shows those of an item.\n\n\
    Exit codes:\n  \
    0    it succeeded\n  \
    1    it ran and failed\n  \
    2    the command line is wrong\n  \
    3    it could not be run\n  \
    124  its time was up\n  \
    130  it was interrupted";

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The item's id or bare name
    pub(crate) id: String,
    /// The parameters, if the plan is to be shown with them
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub(crate) params: Option<String>,
    /// Demand a lock file
    #[arg(long)]
    pub(crate) locked: bool,
}
