//! What the harness is told.

use std::path::PathBuf;

use crate::group::{GROUPS, Group};
use crate::{Effort, Result};

pub(crate) const QUICK: &str = "--quick";
/// Prints what a group has found out as JSON: for a harness that has started another one.
pub(crate) const JSON: &str = "--json";
const INTO: &str = "--into";

/// What is measured, and where it is written.
pub(crate) struct Arguments {
    pub(crate) effort: Effort,
    pub(crate) groups: Vec<&'static Group>,
    pub(crate) json: bool,
    /// Where the page, the samples and the plots go.
    pub(crate) into: Option<PathBuf>,
}

impl Arguments {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self> {
        let mut arguments = Self { effort: Effort::Full, groups: Vec::new(), json: false, into: None };
        while let Some(word) = words.next() {
            match GROUPS.iter().find(|group| group.name == word) {
                Some(group) => arguments.groups.push(group),
                None if word == QUICK => arguments.effort = Effort::Quick,
                None if word == JSON => arguments.json = true,
                None if word == INTO => {
                    let folder = words.next().ok_or_else(|| format!("`{INTO}` needs a folder"))?;
                    arguments.into = Some(folder.into());
                }
                None => {
                    let known: Vec<_> = GROUPS.iter().map(|group| group.name).collect();
                    let known = format!("{QUICK}, {INTO} FOLDER, {}", known.join(", "));
                    return Err(format!("unknown argument `{word}`; known: {known}").into());
                }
            }
        }
        if arguments.groups.is_empty() {
            arguments.groups = GROUPS.iter().collect();
            // Half of the figures, or figures of a moment, would take the place of better ones.
            if arguments.effort == Effort::Full && arguments.into.is_none() {
                arguments.into = Some(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/benchmarks"));
            }
        }
        Ok(arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn only_a_full_run_of_everything_writes_into_the_book() {
        assert!(parse("").unwrap().into.unwrap().ends_with("docs/benchmarks"));
        assert!(parse("--quick").unwrap().into.is_none());
        assert!(parse("search mcp").unwrap().into.is_none());
        assert_eq!(parse("--quick --into x").unwrap().into, Some(PathBuf::from("x")));
    }

    #[test]
    fn an_unknown_word_is_told_with_the_known_ones() {
        let Err(error) = parse("serach") else { panic!("it is not refused") };
        assert!(error.to_string().contains("unknown argument `serach`; known: --quick"));
        assert!(parse("--into").is_err());
    }
}
