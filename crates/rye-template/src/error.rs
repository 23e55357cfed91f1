//! Why a template cannot be filled in.

/// Why a template cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The result is longer than the scope allows.
    #[error("the template becomes longer than {limit} bytes")]
    TooLong {
        /// The most that is allowed.
        limit: usize,
    },
    /// The template has lists and maps inside each other, more than are followed.
    #[error("the template is nested more than {limit} levels deep")]
    TooDeep {
        /// The most that is followed.
        limit: usize,
    },
    /// A value that was sent cannot be had in the form that its place needs.
    #[error("the value of `{{{name}}}` cannot stand in a template: {message}")]
    Unusable {
        /// The name whose value it is.
        name: String,
        /// What is wrong with it.
        message: String,
    },
}
