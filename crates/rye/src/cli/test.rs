//! The command line of `rye test`.

use clap::Args;
use rye_item::ItemKind;

#[derive(Debug, Args)]
#[command(after_help = TEST_HELP)]
pub(crate) struct TestArgs {
    /// Ids, or patterns such as `'my/**'`
    #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
    pub(crate) patterns: Vec<String>,
    /// Everything that is not part of the program
    #[arg(long)]
    pub(crate) all: bool,
    /// What kind of items [default: all for a pattern, tools for an id]
    #[arg(long)]
    pub(crate) kind: Option<ItemKind>,
}

const TEST_HELP: &str = "Runs the `examples` of items, and compares what comes of them. An example has `params`, and \
    says what it expects:\n  \
    result    this answer\n  \
    contains  at least this: these members of objects, this part of a text\n  \
    error     this code, such as PARAMS_INVALID or TOOL_FAILED\n  \
    status    success or error\n\
    One that expects nothing, or that says what it `needs`, is not run. Items of the user and of the program run in an \
    empty folder with the `files` of the example in it; those of the project run in the project.\n\n\
    Examples:\n  \
    rye test demo/greet\n  \
    rye test 'rye/**'\n\n\
    Exit codes:\n  \
    0  all that were run passed\n  \
    1  one failed, or there was none to run\n  \
    2  the command line is wrong\n  \
    3  it could not be done";
