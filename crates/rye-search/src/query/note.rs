//! What was done to a query that could not be taken as it stood.

use std::fmt;

use super::Field;

/// A remark about how a query was read. None of them is an error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// A quotation was not closed; it ends where the query ends.
    UnclosedQuote,
    /// So many parentheses were not closed; they end where the query ends.
    UnclosedParentheses {
        /// How many.
        count: usize,
    },
    /// So many closing parentheses had none to close, and were passed over.
    StrayParentheses {
        /// How many.
        count: usize,
    },
    /// An operator had nothing to work on, and was passed over.
    DanglingOperator {
        /// `AND`, `OR`, `NOT` or `-`.
        operator: &'static str,
    },
    /// There is no such field, so all of it was searched as text.
    UnknownField {
        /// What was written before the colon.
        name: String,
        /// What was probably meant.
        nearest: Option<Field>,
    },
    /// A field without a value, which was searched as text.
    EmptyField {
        /// The field.
        field: Field,
    },
    /// There is no letter or digit in it, so there is nothing to search for.
    NothingToSearch {
        /// What was written.
        text: String,
    },
    /// The query was longer than is read, and its end was left out.
    TooLong,
    /// The query had more terms than are searched for, and the last ones were left out.
    TooManyTerms,
    /// Parentheses inside of too many others were passed over.
    TooDeep,
    /// No kind or space has this name; the nearest was taken if there is one.
    UnknownValue {
        /// The field.
        field: Field,
        /// What was written.
        value: String,
        /// What was taken for it.
        taken: Option<&'static str>,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnclosedQuote => write!(f, "a quote is not closed: it was read up to the end"),
            Self::UnclosedParentheses { count } => write!(f, "{count} opening parentheses are not closed"),
            Self::StrayParentheses { count } => write!(f, "{count} closing parentheses were ignored"),
            Self::DanglingOperator { operator } => write!(f, "`{operator}` has nothing to work on"),
            Self::UnknownField { name, nearest: Some(nearest) } => {
                write!(f, "there is no field `{name}`: it was searched as text; did you mean `{nearest}`?")
            }
            Self::UnknownField { name, nearest: None } => {
                write!(f, "there is no field `{name}`: it was searched as text; the fields are")?;
                for (index, field) in Field::ALL.iter().enumerate() {
                    write!(f, "{} `{field}`", if index == 0 { "" } else { "," })?;
                }
                Ok(())
            }
            Self::EmptyField { field } => write!(f, "`{field}:` has no value: it was searched as text"),
            Self::NothingToSearch { text } => {
                write!(f, "`{}` has no letter or digit to search for", text.escape_debug())
            }
            Self::TooLong => write!(f, "the query is too long: its end was left out"),
            Self::TooManyTerms => write!(f, "the query has too many terms: the last ones were left out"),
            Self::TooDeep => {
                write!(f, "the query is nested too deeply: the innermost parentheses were ignored")
            }
            Self::UnknownValue { field, value, taken: Some(taken) } => {
                write!(f, "there is no {field} `{}`: `{taken}` was taken", value.escape_debug())
            }
            Self::UnknownValue { field, value, taken: None } => {
                write!(f, "there is no {field} `{}`", value.escape_debug())
            }
        }
    }
}
