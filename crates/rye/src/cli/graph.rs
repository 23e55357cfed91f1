//! The command line of `rye graph`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::PruneArgs;

#[derive(Debug, Args)]
#[command(after_help = CODES)]
pub(crate) struct GraphArgs {
    #[command(subcommand)]
    pub(crate) command: GraphCommand,
}

const CODES: &str = "An id of a run may be cut short, as long as only one run's begins so.\n\n\
    Exit codes of runs:\n  \
    0    it came to its end\n  \
    1    it failed, or was cancelled\n  \
    2    the command line is wrong\n  \
    3    it could not be run\n  \
    4    it waits for a person, or is paused: `rye graph resume` goes on\n  \
    130  it was interrupted: `rye graph resume` goes on";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum GraphCommand {
    /// Run a graph
    Run(GraphRunArgs),
    /// Go on with a run
    Resume {
        /// The run's id
        run: String,
        #[command(flatten)]
        options: GraphRunOptions,
    },
    /// Run a single node with a given state
    Step(GraphStepArgs),
    /// Check a graph, and everything that it names
    Validate {
        /// The graph's id or bare name
        id: String,
    },
    /// Draw a graph, or how far a run of it has come
    Show(GraphShowArgs),
    /// List runs of graphs, the newest first
    Runs {
        /// How many runs
        #[arg(long, default_value_t = 20)]
        limit: usize,
    },
    /// End a run for good
    Cancel {
        /// The run's id
        run: String,
        /// Why, for whoever looks at it later
        #[arg(long, default_value = "somebody has cancelled it")]
        reason: String,
    },
    /// Let a run start no more steps
    Pause {
        /// The run's id
        run: String,
    },
    /// Open a manual gate, or say what became of a step that was interrupted
    Approve(GraphAnswerArgs),
    /// Remove a run that is over
    Remove {
        /// The run's id
        run: String,
    },
    /// Remove old runs that are over; all but the newest 1000 go by themselves
    Prune(PruneArgs),
    /// Print the JSON Schema of graph files, for editors
    Schema,
    /// Walk a graph; its runtime starts this itself
    #[command(hide = true)]
    Walk(GraphWalkArgs),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct GraphRunOptions {
    /// Print everything that happens, as lines of JSON
    #[arg(long)]
    pub(crate) events: bool,
    /// Wait for people who have to answer, and do not stop
    #[arg(long)]
    pub(crate) wait: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GraphRunArgs {
    #[command(flatten)]
    pub(crate) options: GraphRunOptions,
    /// All parameters as a JSON object: the text itself, `@FILE`, or `-` for standard input
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub(crate) params: Option<String>,
    /// Demand a lock file
    #[arg(long)]
    pub(crate) locked: bool,
    /// The graph's id or bare name, then its parameters
    #[arg(value_name = "ID [--NAME VALUE]…", trailing_var_arg = true, allow_hyphen_values = true, num_args = 1.., required = true)]
    pub(crate) rest: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct GraphStepArgs {
    /// The graph's id or bare name
    pub(crate) id: String,
    /// The node
    pub(crate) node: String,
    /// The state that the node finds, as a JSON object: the text itself, `@FILE`, or `-` for standard input
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub(crate) state: Option<String>,
    /// The parameters of the graph, in the same way
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub(crate) params: Option<String>,
    #[command(flatten)]
    pub(crate) options: GraphRunOptions,
}

#[derive(Debug, Args)]
pub(crate) struct GraphShowArgs {
    /// The graph's id or bare name
    #[arg(required_unless_present = "run", conflicts_with = "run")]
    pub(crate) id: Option<String>,
    /// Show how far this run has come
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Everything that has happened in the run, as lines of JSON
    #[arg(long, requires = "run", conflicts_with_all = ["svg", "mermaid"])]
    pub(crate) events: bool,
    /// As an SVG document
    #[arg(long, conflicts_with = "mermaid")]
    pub(crate) svg: bool,
    /// As a Mermaid flowchart
    #[arg(long)]
    pub(crate) mermaid: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GraphAnswerArgs {
    /// The run's id
    pub(crate) run: String,
    /// The node, if several wait
    pub(crate) node: Option<String>,
    /// Keep the gate shut: the node fails
    #[arg(long, group = "answer")]
    pub(crate) refuse: bool,
    /// Make the interrupted step again
    #[arg(long, group = "answer")]
    pub(crate) retry: bool,
    /// Take the interrupted step for failed
    #[arg(long, group = "answer")]
    pub(crate) fail: bool,
    /// Take the interrupted step for done, with this result
    #[arg(long, group = "answer", value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) done: Option<String>,
    /// What to say about it
    #[arg(long, value_name = "TEXT")]
    pub(crate) comment: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct GraphWalkArgs {
    /// The copy of the graph's file that was verified
    #[arg(long)]
    pub(crate) graph: PathBuf,
    /// The file that it is a copy of
    #[arg(long)]
    pub(crate) source: PathBuf,
    /// The id of the run
    #[arg(long)]
    pub(crate) run_id: rye_run::journal::RunId,
}
