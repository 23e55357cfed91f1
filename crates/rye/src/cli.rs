//! The command line.

mod data;
mod doctor;
mod execute;
mod graph;
mod help;
mod keys;
mod lock;
mod mcp;
mod mcp_client;
mod mcp_server;
mod new;
mod runs;
mod secret;
mod shell;
mod sign;
mod test;
mod trust;
mod verify;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use rye_item::{ItemKind, Space};

pub(crate) use data::{DataArgs, DataCommand};
pub(crate) use doctor::DoctorArgs;
pub(crate) use execute::{ExecuteArgs, ExplainArgs, RunOptions};
pub(crate) use graph::{
    GraphAnswerArgs, GraphArgs, GraphCommand, GraphRunArgs, GraphRunOptions, GraphShowArgs, GraphStepArgs,
    GraphWalkArgs,
};
pub(crate) use help::HelpArgs;
pub(crate) use keys::{ImportSource, KeysArgs, KeysCommand, SigningKeyArgs};
pub(crate) use lock::LockArgs;
pub(crate) use mcp::{McpArgs, McpCommand};
pub(crate) use mcp_client::{
    McpAddArgs, McpCallArgs, McpImportArgs, McpLoginArgs, McpLoginOptions, McpLogoutArgs, McpPlaceArgs,
    McpRefreshArgs, McpRemoveArgs, TransportName,
};
pub(crate) use mcp_server::{Client, InstallArgs, ServeArgs};
pub(crate) use new::{InitArgs, NewArgs, NewKind};
pub(crate) use runs::{PruneArgs, RunsArgs, RunsCommand, RunsListArgs, SuperviseArgs};
pub(crate) use secret::{KeyDestination, SecretArgs, SecretCommand};
pub(crate) use shell::{CompletionsArgs, ManArgs};
pub(crate) use sign::SignArgs;
pub(crate) use test::TestArgs;
pub(crate) use trust::TrustArgs;
pub(crate) use verify::VerifyArgs;

/// What was built, from which sources, for which machine.
const BUILD: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit: ",
    env!("RYE_COMMIT"),
    "\ntarget: ",
    env!("RYE_TARGET"),
    "\nprofile: ",
    env!("RYE_PROFILE"),
);

/// Finds, reads and runs tools that are files.
#[derive(Debug, Parser)]
#[command(name = "rye", version, long_version = BUILD, arg_required_else_help = true, disable_help_subcommand = true, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Reads the command line of this process.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        ExecuteArgs::plain(std::env::args_os().skip(1))
            .map_or_else(Self::try_parse, |args| Ok(Self::execute(args)))
    }

    /// The command line that executes an item and says nothing else.
    fn execute(args: ExecuteArgs) -> Self {
        Self { global: GlobalArgs::default(), command: Command::Execute(args) }
    }

    /// Whether the answer, or the error, is for a program. After the id of an item to execute, the switch is one of many
    /// words that only the item's schema tells apart.
    pub(crate) fn wants_json(&self) -> bool {
        let is_switch = |args: &ExecuteArgs| args.rest.iter().skip(1).any(|word| word == "--json");
        self.global.json || matches!(&self.command, Command::Execute(args) if is_switch(args))
    }
}

const EXIT_CODES: &str = "Exit codes:\n  \
    0  done\n  \
    1  done, and nothing was found\n  \
    2  the command line is wrong\n  \
    3  it could not be done";

#[derive(Debug, Default, Args)]
pub(crate) struct GlobalArgs {
    /// The project's folder [default: the nearest folder above that has `.ai`]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Print JSON for programs
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

// Of all commands, only the one that is called has its arguments made (`defer`, here and in the enums below). They are made
// after what is said about the command, so a struct of arguments has no doc comment: it would take the place of that.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Prepare a folder: a key, `.ai`, and trust
    Init(InitArgs),
    /// Make an item that works, from a template
    New(NewArgs),
    /// Find items by words, fields and ids
    Search(SearchArgs),
    /// Show an item, or copy it to another space
    Load(LoadArgs),
    /// Run an item
    Execute(ExecuteArgs),
    /// Show what exactly an item would run, and what would stop it
    Explain(ExplainArgs),
    /// Run the examples of items, and compare what comes of them
    Test(TestArgs),
    /// Make, trust and revoke keys
    Keys(KeysArgs),
    /// Show what a project brings, and trust it
    Trust(TrustArgs),
    /// Sign items, so that they can run
    Sign(SignArgs),
    /// Tell which items would run, and why the others would not
    Verify(VerifyArgs),
    /// Pin a tool and everything that executes it
    Lock(LockArgs),
    /// List, watch and end runs
    Runs(RunsArgs),
    /// Run, check and draw graphs of other tools
    Graph(GraphArgs),
    /// Keep secrets for tools
    Secret(SecretArgs),
    /// Serve agents by MCP, and use the tools of MCP servers
    Mcp(McpArgs),
    /// Look at what is there and what is missing, and tell what to do
    Doctor(DoctorArgs),
    /// Read data for the tools that come with this program
    #[command(hide = true)]
    Data(DataArgs),
    /// Print what a shell needs to complete command lines
    Completions(CompletionsArgs),
    /// Print the manual, or write a page for each command
    Man(ManArgs),
    /// Explain a topic or a command; without one, list the topics
    Help(HelpArgs),
    /// Watch over one run; `rye` starts this itself
    #[command(name = rye_engine::SUPERVISE, hide = true)]
    Supervise(SuperviseArgs),
}

#[derive(Debug, Args)]
#[command(after_help = QUERY_HELP)]
pub(crate) struct SearchArgs {
    /// What to look for; nothing lists everything
    #[arg(value_name = "QUERY", trailing_var_arg = false)]
    pub(crate) query: Vec<String>,
    /// Only items of this kind
    #[arg(long)]
    pub(crate) kind: Option<ItemKind>,
    /// Only items of this space
    #[arg(long)]
    pub(crate) space: Option<Space>,
    /// Only items of this category, or below it
    #[arg(long)]
    pub(crate) category: Option<String>,
    /// Only items with this tag
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Order of the results
    #[arg(long, value_enum, default_value = "score")]
    pub(crate) sort: Sort,
    /// How many results
    #[arg(long, default_value_t = 20)]
    pub(crate) limit: usize,
    /// How many results to pass over
    #[arg(long, default_value_t = 0)]
    pub(crate) offset: usize,
    /// How much to tell of each
    #[arg(long, value_enum, default_value = "summary")]
    pub(crate) detail: Detail,
}

const QUERY_HELP: &str = "Queries:\n  \
    read file            both words\n  \
    read OR write        either\n  \
    file NOT binary      without a word, also as `-binary`\n  \
    \"list of files\"      a phrase\n  \
    repo*                a word that begins so\n  \
    (read OR write) category:rye/file tag:git executor:bash version:1.* space:project kind:tool";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// The best match first
    Score,
    /// By id
    Id,
    /// By name
    Name,
    /// The highest version first
    Version,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Detail {
    /// The id alone
    Names,
    /// What it is
    Summary,
    /// Its schema too
    Full,
}

#[derive(Debug, Args)]
pub(crate) struct LoadArgs {
    /// The item's id, or its bare name
    pub(crate) id: String,
    /// What kind of item it is
    #[arg(long, default_value = "tool")]
    pub(crate) kind: ItemKind,
    /// Look in this space only
    #[arg(long, value_name = "SPACE")]
    pub(crate) from: Option<Space>,
    /// Copy it to this space
    #[arg(long, value_enum, value_name = "SPACE")]
    pub(crate) to: Option<Target>,
    /// Replace a file that is there already
    #[arg(long, requires = "to")]
    pub(crate) force: bool,
    /// Print this part alone
    #[arg(long, value_enum)]
    pub(crate) part: Option<Part>,
}

/// A space that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// The project's `.ai`
    Project,
    /// The user's `.ai`
    User,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The JSON Schema of its parameters
    Schema,
    /// Its documentation
    Doc,
    /// The file as it is
    Source,
    /// What it says about itself, as JSON
    Metadata,
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory, Subcommand};

    use super::{Cli, DataCommand, GraphCommand, KeysCommand, McpCommand, RunsCommand, SecretCommand};

    fn abouts(command: &Command) -> Vec<(String, Option<String>)> {
        let about = |command: &Command| command.get_about().map(ToString::to_string);
        let commands = command.get_subcommands().filter(|command| command.get_name() != "help");
        commands.map(|command| (command.get_name().to_owned(), about(command))).collect()
    }

    #[test]
    fn arguments_do_not_change_what_a_command_says_about_itself() {
        let mut all = vec![Cli::command()];
        all.push(DataCommand::augment_subcommands(Command::new("data")));
        all.push(GraphCommand::augment_subcommands(Command::new("graph")));
        all.push(KeysCommand::augment_subcommands(Command::new("keys")));
        all.push(McpCommand::augment_subcommands(Command::new("mcp")));
        all.push(RunsCommand::augment_subcommands(Command::new("runs")));
        all.push(SecretCommand::augment_subcommands(Command::new("secret")));
        for mut command in all {
            let before = abouts(&command);
            assert!(!before.is_empty());
            command.build();
            assert_eq!(abouts(&command), before);
        }
    }
}
