//! A query that has been read.

use std::fmt;

use super::{Field, Pattern};

/// What is sought. Shown, it is again a query that is read as the same tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Query {
    /// Everything.
    All,
    /// A word, possibly with `*`; or several, if punctuation is in it.
    Word(Pattern),
    /// Words that follow each other.
    Phrase(String),
    /// A value of a field.
    Field {
        /// The field.
        field: Field,
        /// The value, possibly with `*`.
        value: Pattern,
    },
    /// All of these: two or more.
    And(Vec<Query>),
    /// One of these: two or more.
    Or(Vec<Query>),
    /// Not this.
    Not(Box<Query>),
}

impl Query {
    /// The conjunction of `parts`, in its simplest form.
    pub(super) fn and(parts: Vec<Self>) -> Option<Self> {
        if !parts.iter().any(|part| matches!(part, Self::And(_))) {
            return single_or(parts, Self::And);
        }
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        single_or(flat, Self::And)
    }

    /// The disjunction of `parts`, in its simplest form.
    pub(super) fn or(parts: Vec<Self>) -> Option<Self> {
        if !parts.iter().any(|part| matches!(part, Self::Or(_))) {
            return single_or(parts, Self::Or);
        }
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        single_or(flat, Self::Or)
    }

    /// The negation, in its simplest form.
    pub(super) fn negated(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    /// What has to hold all at once.
    pub(crate) fn conjuncts(&self) -> &[Self] {
        match self {
            Self::And(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }
}

fn single_or(mut parts: Vec<Query>, join: fn(Vec<Query>) -> Query) -> Option<Query> {
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(join(parts)),
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => write!(f, "*"),
            Self::Word(word) => write!(f, "{word}"),
            Self::Phrase(text) => write!(f, "\"{text}\""),
            Self::Field { field, value } if needs_quotes(value.as_str()) => write!(f, "{field}:\"{value}\""),
            Self::Field { field, value } => write!(f, "{field}:{value}"),
            Self::And(parts) => write_joined(f, parts, " ", |part| matches!(part, Self::Or(_))),
            Self::Or(parts) => write_joined(f, parts, " OR ", |_| false),
            Self::Not(inner) if matches!(**inner, Self::And(_) | Self::Or(_)) => write!(f, "NOT ({inner})"),
            Self::Not(inner) => write!(f, "NOT {inner}"),
        }
    }
}

fn needs_quotes(value: &str) -> bool {
    value.starts_with([':', '/']) || value.contains(|c: char| c.is_whitespace() || "()".contains(c))
}

fn write_joined(
    f: &mut fmt::Formatter<'_>,
    parts: &[Query],
    between: &str,
    in_parentheses: fn(&Query) -> bool,
) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        if in_parentheses(part) {
            write!(f, "({part})")?;
        } else {
            write!(f, "{part}")?;
        }
    }
    Ok(())
}
