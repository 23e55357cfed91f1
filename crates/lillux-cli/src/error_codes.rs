//! Which failure an error of the library is: the one place that says so.

use lillux::cas::{CanonicalJsonError, CasError, CasErrorKind};
use lillux::clock::ParseTimestampError;
use lillux::envelope::{
    IdentityFileError, IdentityFileErrorKind, OpenError, OpenErrorKind, ParseRecipientError, SealError,
};
use lillux::keys::{
    EncodeKeyError, GenerateKeyError, KeyFileError, KeyFileErrorKind, ParseKeyError, ParseKeyErrorKind,
};
use lillux::process::{HandleError, RunError, RunErrorKind};
use lillux::stored_file::StoredFileError;
use lillux::watch::{WatchError, WatchErrorKind};

use crate::code::Code;
use crate::failure::Failure;

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let code = match error.kind() {
            RunErrorKind::ProgramNotFound { .. } | RunErrorKind::NoSearchPath => Code::ProgramNotFound,
            RunErrorKind::NotExecutable { .. } | RunErrorKind::InterpreterMissing { .. } => {
                Code::NotExecutable
            }
            RunErrorKind::Cwd { .. } => Code::CwdInvalid,
            RunErrorKind::Nul { .. } | RunErrorKind::VariableName { .. } => Code::ArgumentInvalid,
            RunErrorKind::TooLarge { .. } => Code::ArgumentsTooLarge,
            RunErrorKind::NoContainment { .. } => Code::NoContainment,
            RunErrorKind::GuardLost { .. } => Code::GuardLost,
            RunErrorKind::Log { .. } | RunErrorKind::Output(_) => Code::OutputNotWritable,
            _ => Code::System,
        };
        Self::new(code, &error)
    }
}

impl From<HandleError> for Failure {
    fn from(error: HandleError) -> Self {
        Self::new(Code::System, &error)
    }
}

impl From<CasError> for Failure {
    fn from(error: CasError) -> Self {
        let code = match error.kind() {
            CasErrorKind::NotFound { .. } => Code::EntryNotFound,
            CasErrorKind::Damaged { .. } => Code::Damaged,
            CasErrorKind::TooLarge { .. } => Code::InputTooLarge,
            CasErrorKind::NotCanonical(_) => Code::JsonInvalid,
            _ => Code::Io,
        };
        Self::new(code, &error)
    }
}

impl From<CanonicalJsonError> for Failure {
    fn from(error: CanonicalJsonError) -> Self {
        Self::new(Code::JsonInvalid, &error)
    }
}

impl From<ParseTimestampError> for Failure {
    fn from(error: ParseTimestampError) -> Self {
        Self::new(Code::Usage, &error)
    }
}

impl From<WatchError> for Failure {
    fn from(error: WatchError) -> Self {
        let code = match error.kind() {
            WatchErrorKind::NothingToWatch => Code::Usage,
            WatchErrorKind::NotFound { .. } => Code::FileNotFound,
            WatchErrorKind::LimitReached { .. } => Code::WatchLimit,
            WatchErrorKind::Path { .. } => Code::Io,
            _ => Code::System,
        };
        Self::new(code, &error)
    }
}

impl From<KeyFileError> for Failure {
    fn from(error: KeyFileError) -> Self {
        let code = match error.kind() {
            KeyFileErrorKind::File(error) => stored_file(error),
            KeyFileErrorKind::Parse(error) => unusable_key(error),
            _ => Code::System,
        };
        Self::new(code, &error)
    }
}

impl From<IdentityFileError> for Failure {
    fn from(error: IdentityFileError) -> Self {
        let code = match error.kind() {
            IdentityFileErrorKind::File(error) => stored_file(error),
            _ => Code::KeyInvalid,
        };
        Self::new(code, &error)
    }
}

impl From<GenerateKeyError> for Failure {
    fn from(error: GenerateKeyError) -> Self {
        Self::new(Code::System, &error)
    }
}

impl From<EncodeKeyError> for Failure {
    fn from(error: EncodeKeyError) -> Self {
        Self::new(Code::System, &error)
    }
}

impl From<ParseRecipientError> for Failure {
    fn from(error: ParseRecipientError) -> Self {
        Self::new(Code::Usage, &error)
    }
}

impl From<SealError> for Failure {
    fn from(error: SealError) -> Self {
        let code = match error {
            SealError::NoRecipients | SealError::TooManyRecipients { .. } => Code::Usage,
            _ => Code::System,
        };
        Self::new(code, &error)
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let code = match error.kind() {
            OpenErrorKind::WrongIdentity => Code::WrongIdentity,
            OpenErrorKind::NotAnEnvironment(_) => Code::NotAnEnvironment,
            _ => Code::EnvelopeInvalid,
        };
        Self::new(code, &error)
    }
}

fn stored_file(error: &StoredFileError) -> Code {
    match error {
        StoredFileError::AlreadyExists => Code::AlreadyExists,
        StoredFileError::NotFound => Code::FileNotFound,
        StoredFileError::Symlink
        | StoredFileError::FileMode { .. }
        | StoredFileError::FolderMode { .. }
        | StoredFileError::Owner { .. } => Code::KeyPermissions,
        StoredFileError::NotRegular | StoredFileError::TooLarge { .. } => Code::KeyInvalid,
        StoredFileError::NoFileName => Code::Usage,
        _ => Code::Io,
    }
}

fn unusable_key(error: &ParseKeyError) -> Code {
    match error.kind() {
        ParseKeyErrorKind::PassphraseMissing => Code::PassphraseMissing,
        ParseKeyErrorKind::PassphraseWrong => Code::PassphraseWrong,
        _ => Code::KeyInvalid,
    }
}
