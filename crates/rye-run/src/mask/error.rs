//! Why nothing can be masked.

/// The secrets are too large to be searched for. What cannot be masked must not be shown.
#[derive(Debug, thiserror::Error)]
#[error("cannot mask the secrets: together they are too large")]
pub struct MaskError(#[from] pub(super) aho_corasick::BuildError);
