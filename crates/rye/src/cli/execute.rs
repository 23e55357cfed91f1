//! The command lines of `rye execute` and `rye explain`.

use std::ffi::OsString;

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

impl ExecuteArgs {
    /// Reads `execute ID …`, the words after the program's own. With nothing before the id, all words after it are the item's,
    /// and making the whole grammar for that would take as long as finding the item. Everything else is for `clap`.
    pub(super) fn plain(words: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut words = words.into_iter();
        words.next().filter(|word| word == "execute")?;
        let rest: Vec<String> = words.map(|word| word.into_string().ok()).collect::<Option<_>>()?;
        rest.first().filter(|id| !id.starts_with('-'))?;
        Some(Self { kind: ItemKind::Tool, options: RunOptions::default(), help: false, rest })
    }
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

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::Cli;

    /// Whether a command line is read in the plain way, which gives the same as `clap` does.
    #[track_caller]
    fn is_plain(words: &[&str]) -> bool {
        let Some(args) = ExecuteArgs::plain(words.iter().map(OsString::from)) else { return false };
        let by_clap = Cli::try_parse_from([&["rye"], words].concat()).unwrap();
        assert_eq!(format!("{:?}", Cli::execute(args)), format!("{by_clap:?}"));
        true
    }

    #[test]
    fn plain_command_lines_are_read_as_clap_reads_them() {
        const WORDS: [&str; 14] = [
            "",
            "a/b",
            "-",
            "--",
            "---",
            "-h",
            "--help",
            "--json",
            "--project",
            "--params={}",
            "--kind",
            "-x",
            "execute",
            "ü",
        ];
        assert!(is_plain(&["execute", "a/b"]));
        for first in WORDS {
            assert_eq!(is_plain(&["execute", first]), !first.starts_with('-'), "{first}");
            for second in WORDS {
                is_plain(&["execute", first, second]);
                for third in WORDS {
                    is_plain(&["execute", first, second, third]);
                }
            }
        }
    }

    #[test]
    fn everything_else_is_for_clap() {
        for words in
            [&[] as &[&str], &["execute"], &["search", "a"], &["--json", "execute", "a"], &["exec", "a"]]
        {
            assert!(!is_plain(words), "{words:?}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStringExt as _;
            let words = ["execute".into(), OsString::from_vec(vec![b'a', 0xff])];
            assert!(ExecuteArgs::plain(words).is_none());
        }
    }
}
