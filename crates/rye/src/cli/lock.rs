//! The command line of `rye lock`.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = FORMAT)]
pub(crate) struct LockArgs {
    /// The tool's id
    #[arg(required_unless_present = "check", conflicts_with = "check")]
    pub(crate) id: Option<String>,
    /// Keep the lock in the user space, for all projects
    #[arg(long, conflicts_with = "check")]
    pub(crate) user: bool,
    /// Hold all locks against what is there
    #[arg(long)]
    pub(crate) check: bool,
}

const FORMAT: &str = "A locked tool runs only as it was when it was locked. The lock is a signed JSON file, \
    `.ai/locks/{id}@{version}.lock.json` in the project or the user space:\n  \
    content.kind, id, version  the tool\n  \
    content.chain              the tool, its executor, that one's executor, and so on: id, space, digest, key\n  \
    content.extractors         the extractors that say what those files mean, in the same form\n  \
    content.helpers            what processes run that are kept ready for it, in the same form; absent if none\n  \
    content.servers            what describes the server that has the tool, in the same form; absent if none\n  \
    content.files              the digest of all files that run with the tool; null if it runs alone\n  \
    seal                       time, digest of the content, signature and key\n\
    A digest is the SHA-256 of a file without its signature line. A lock of another version of the same tool counts, \
    unless there is one of the version that is there.";
