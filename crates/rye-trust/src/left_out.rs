//! Files that are not used, and why.

use std::io;

use rye_item::PassedOver;

/// A file or folder beside a tool that is not there for it when it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its path below the folder that was looked into.
    pub path: String,
    /// Why.
    pub reason: LeftOutReason,
}

/// Why a file is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeftOutReason {
    /// It carries no valid signature, and the manifest does not list it.
    #[error("it is neither signed nor in the manifest")]
    NotVerified,
    /// It is a symbolic link.
    #[error("it is a symbolic link")]
    Link,
    /// It is a pipe, a socket or a device.
    #[error("it is not a regular file")]
    Special,
    /// Its name is not UTF-8.
    #[error("its name is not UTF-8")]
    NotUnicode,
    /// Its name holds characters that are not shown, or that change how others are shown.
    #[error("its name holds control characters")]
    ControlCharacters,
    /// It is a folder that the rules exclude.
    #[error("the folder is excluded")]
    Excluded,
    /// It is a folder below too many others.
    #[error("it is nested too deeply")]
    TooDeep,
    /// It has too many bytes.
    #[error("it is too large")]
    TooLarge,
    /// It is not there, or not any more.
    #[error("it is missing")]
    Missing,
    /// The file system refused.
    #[error("it cannot be read: {0}")]
    Unreadable(io::ErrorKind),
}

impl From<PassedOver> for LeftOutReason {
    fn from(why: PassedOver) -> Self {
        match why {
            PassedOver::Link => Self::Link,
            PassedOver::Special => Self::Special,
            PassedOver::NotUnicode => Self::NotUnicode,
            PassedOver::ControlCharacters => Self::ControlCharacters,
            PassedOver::Excluded => Self::Excluded,
            PassedOver::TooDeep => Self::TooDeep,
            PassedOver::Missing => Self::Missing,
            PassedOver::Unreadable(source) => Self::Unreadable(source.kind()),
            _ => Self::Unreadable(io::ErrorKind::Other),
        }
    }
}
