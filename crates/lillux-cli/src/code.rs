//! The names of failures.

use serde::Serialize;

/// What kind of failure it was. Names are for programs and do not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Code {
    /// The command line is wrong.
    Usage,
    /// There is no such program.
    ProgramNotFound,
    /// The program is a file that cannot be executed.
    NotExecutable,
    /// The working directory cannot be entered.
    CwdInvalid,
    /// An argument or a variable cannot be given to a program.
    ArgumentInvalid,
    /// Arguments and environment are larger than the system takes.
    ArgumentsTooLarge,
    /// None of the allowed ways to contain a program works here.
    NoContainment,
    /// Somebody killed the process that guarded the run.
    GuardLost,
    /// There is no such entry in the store.
    EntryNotFound,
    /// An entry of the store is not what its digest says.
    Damaged,
    /// A text is not JSON with a canonical form.
    JsonInvalid,
    /// A file does not hold a usable key.
    KeyInvalid,
    /// Others could read or replace a private key.
    KeyPermissions,
    /// The private key is encrypted, and no passphrase is given.
    PassphraseMissing,
    /// The passphrase is not the one of the private key.
    PassphraseWrong,
    /// The passphrase file does not hold a passphrase.
    PassphraseInvalid,
    /// An envelope was sealed for somebody else.
    WrongIdentity,
    /// Something is not an envelope, or a damaged one.
    EnvelopeInvalid,
    /// Something is not an environment: an object of strings with names that a variable can have.
    NotAnEnvironment,
    /// There is a file of this name, and it stays.
    AlreadyExists,
    /// The system allows no more watched folders.
    WatchLimit,
    /// A log, spool or output file cannot be written.
    OutputNotWritable,
    /// There is no such file or folder.
    FileNotFound,
    /// An input is larger than what is held in memory.
    InputTooLarge,
    /// Something could not be read or written.
    Io,
    /// The system refused something that normally works.
    System,
}

impl Code {
    /// What a program of this failure exits with.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::EntryNotFound => 1,
            Self::Usage => 2,
            _ => 3,
        }
    }
}
