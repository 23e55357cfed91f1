//! Arguments of `cas`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use lillux::Digest;
use lillux::cas::Section;

use crate::input::InputSource;

#[derive(Debug, Args)]
pub(crate) struct CasArgs {
    /// Folder of the store; `put` makes it if it is missing
    #[arg(long, value_name = "DIR")]
    pub(crate) root: PathBuf,
    #[command(subcommand)]
    pub(crate) command: CasCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CasCommand {
    /// Store a file, and print its digest
    Put {
        /// File to store; `-` is standard input
        #[arg(default_value = "-")]
        file: InputSource,
        #[command(flatten)]
        section: SectionArgs,
    },
    /// Give what is stored as raw bytes; at their end, exit code 3 says that they are not the right ones
    Get {
        digest: Digest,
        /// File to write, whole and checked or not at all, instead of standard output
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        section: SectionArgs,
    },
    /// Tell whether there is an entry, without a look at its bytes
    Has {
        digest: Digest,
        #[command(flatten)]
        section: SectionArgs,
    },
    /// Name all entries
    List,
    /// Check the bytes of an entry, or of all
    Verify {
        digest: Option<Digest>,
        /// A JSON value in canonical form instead of bytes
        #[arg(long, requires = "digest")]
        object: bool,
    },
    /// Remove an entry
    Rm {
        digest: Digest,
        #[command(flatten)]
        section: SectionArgs,
    },
    /// Remove what writers left that died
    Clean,
}

/// In which part of the store an entry stands.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct SectionArgs {
    /// A JSON value in canonical form instead of bytes
    #[arg(long)]
    pub(crate) object: bool,
}

impl SectionArgs {
    pub(crate) fn section(self) -> Section {
        if self.object { Section::Objects } else { Section::Blobs }
    }
}
