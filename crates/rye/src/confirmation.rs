//! Questions that a person answers with yes or no.

use std::io::{self, IsTerminal, Write};

use crate::command_error::CommandError;

/// Whether there is somebody who can be asked.
pub(crate) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks. Everything but a clear yes is a no.
pub(crate) fn ask(question: &str) -> Result<bool, CommandError> {
    let failed = |error: io::Error| CommandError::input("the terminal", &error);
    let mut stderr = io::stderr();
    write!(stderr, "{question} [y/N] ").and_then(|()| stderr.flush()).map_err(failed)?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(failed)?;
    Ok(is_yes(&answer))
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_one() {
        for (answer, expect) in
            [("y\n", true), ("Yes\r\n", true), (" y \n", true), ("", false), ("\n", false), ("yep\n", false)]
        {
            assert_eq!(is_yes(answer), expect, "{answer:?}");
        }
    }
}
