//! Values inside of a shell command.

use std::fmt::Write as _;

/// Values that are put into shell commands. A command that a signer wrote has places for values that somebody else
/// sends, and whatever such a value holds, it must not become a part of the command.
///
/// While the template is filled in, a value is a *mark*, which no text of a template can hold. Then each mark becomes the
/// quoted value, if the command is so plain that every place in it takes a quoted word, or else a variable, so that the
/// shell never reads the value as code: not in quotes, not in a here-document, not in a substitution. In what place of
/// the command the mark stands decides only about the quotes around the variable.
#[derive(Debug, Default)]
pub(crate) struct ShellValues(Vec<String>);

/// A template cannot hold it, nor can an argument of a program.
const EDGE: char = '\0';

/// What surrounds a place in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Surrounding {
    Bare,
    /// Inside of `$( )`, up to the parenthesis that closes it.
    Substitution,
    /// Inside of backticks.
    Backticks,
    Double,
    Single,
    /// Inside of `$' '`, where a backslash means something.
    Escaped,
    Comment,
}

impl Surrounding {
    /// What ends it.
    fn end(self) -> Option<char> {
        match self {
            Self::Bare => None,
            Self::Substitution => Some(')'),
            Self::Backticks => Some('`'),
            Self::Double => Some('"'),
            Self::Single | Self::Escaped => Some('\''),
            Self::Comment => Some('\n'),
        }
    }
}

impl ShellValues {
    /// Keeps a value, and gives the mark that stands for it.
    pub(crate) fn add(&mut self, value: &str) -> String {
        self.0.push(value.replace(EDGE, ""));
        format!("{EDGE}{}{EDGE}", self.0.len() - 1)
    }

    /// The command with its values.
    pub(crate) fn put_into(&self, command: &str) -> String {
        let mut parts = command.split(EDGE);
        let first = parts.next().unwrap_or_default();
        let parts: Vec<&str> = parts.collect();
        if parts.is_empty() {
            return first.to_owned();
        }
        let is_plain = |text: &str| !text.contains(['\'', '"', '\\', '`', '$', '#', '<', '(', '{']);
        let marks = || parts.iter().step_by(2).filter_map(|mark| mark.parse::<usize>().ok());
        let texts = || parts.iter().skip(1).step_by(2).copied();
        if is_plain(first) && texts().all(is_plain) {
            let mut filled = first.to_owned();
            for (mark, text) in marks().zip(texts()) {
                filled += &self.quoted(mark);
                filled += text;
            }
            return filled;
        }
        let mut filled = String::new();
        let mut used: Vec<usize> = marks().collect();
        used.sort_unstable();
        used.dedup();
        for mark in used {
            let _ = write!(filled, "{}={}; ", variable(mark), self.quoted(mark));
        }
        let mut place = Place { around: vec![Surrounding::Bare] };
        place.pass(first);
        filled += first;
        for (mark, text) in marks().zip(texts()) {
            let name = variable(mark);
            let _ = match place.now() {
                Surrounding::Bare | Surrounding::Substitution | Surrounding::Backticks => {
                    write!(filled, "\"${{{name}}}\"")
                }
                Surrounding::Double | Surrounding::Comment => write!(filled, "${{{name}}}"),
                Surrounding::Single => write!(filled, "'\"${{{name}}}\"'"),
                Surrounding::Escaped => write!(filled, "'\"${{{name}}}\"$'"),
            };
            place.pass(text);
            filled += text;
        }
        filled
    }

    fn quoted(&self, mark: usize) -> String {
        let value = self.0.get(mark).map_or("", String::as_str);
        // Quotes are never wrong at the beginning of a word, in the middle of one or around nothing.
        format!("'{}'", value.replace('\'', r"'\''"))
    }
}

fn variable(mark: usize) -> String {
    format!("__rye_value_{mark}")
}

/// Where in a command something stands.
struct Place {
    around: Vec<Surrounding>,
}

impl Place {
    fn now(&self) -> Surrounding {
        self.around.last().copied().unwrap_or(Surrounding::Bare)
    }

    /// Reads on. What it takes for something else than the shell does costs a pair of quotes, and never more.
    fn pass(&mut self, text: &str) {
        let mut before = ' ';
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let next = characters.peek().copied();
            match (self.now(), character) {
                (now, _) if now.end() == Some(character) => drop(self.around.pop()),
                (Surrounding::Single | Surrounding::Comment, _) => {}
                (_, '\\') => drop(characters.next()),
                (Surrounding::Escaped, _) => {}
                (_, '$') if next == Some('(') => {
                    characters.next();
                    self.around.push(Surrounding::Substitution);
                }
                (_, '`') if self.around.contains(&Surrounding::Backticks) => {
                    while self.around.pop().is_some_and(|around| around != Surrounding::Backticks) {}
                }
                (_, '`') => self.around.push(Surrounding::Backticks),
                (Surrounding::Double, _) => {}
                (_, '$') if next == Some('\'') => {
                    characters.next();
                    self.around.push(Surrounding::Escaped);
                }
                (_, '\'') => self.around.push(Surrounding::Single),
                (_, '"') => self.around.push(Surrounding::Double),
                (_, '(') => self.around.push(Surrounding::Substitution),
                (_, '#') if before.is_whitespace() || ";&|(".contains(before) => {
                    self.around.push(Surrounding::Comment);
                }
                _ => {}
            }
            before = character;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, expect: &str) {
        let mut values = ShellValues::default();
        let mark = values.add("it's $(x)\0");
        assert_eq!(values.put_into(&command.replace("{v}", &mark)), expect, "{command}");
    }

    #[test]
    fn a_plain_command_takes_the_value_itself() {
        check("echo hello", "echo hello");
        check("echo \"$HOME\" # hello", "echo \"$HOME\" # hello");
        check("echo {v} x{v}", r"echo 'it'\''s $(x)' x'it'\''s $(x)'");
        check("{v}", r"'it'\''s $(x)'");
    }

    #[test]
    fn every_other_command_takes_a_variable() {
        let with =
            |rest: &str| format!(r"__rye_value_0='it'\''s $(x)'; {}", rest.replace('@', "${__rye_value_0}"));
        for (command, rest) in [
            ("echo \"{v}\" {v}", "echo \"@\" \"@\""),
            ("echo '{v}'{v}", "echo ''\"@\"''\"@\""),
            ("echo $'a\\'{v}'", "echo $'a\\''\"@\"$''"),
            ("echo \"$(echo {v})\" \"{v}\"", "echo \"$(echo \"@\")\" \"@\""),
            ("echo `echo {v}`{v}", "echo `echo \"@\"`\"@\""),
            ("echo \\\"{v}\\'{v}", "echo \\\"\"@\"\\'\"@\""),
            ("# it's {v}\n{v}", "# it's @\n\"@\""),
            ("a#b {v}", "a#b \"@\""),
            ("(echo ')' {v}) {v}", "(echo ')' \"@\") \"@\""),
            ("cat <<E\n{v}\nE", "cat <<E\n\"@\"\nE"),
            ("echo '\\' {v}", "echo '\\' \"@\""),
        ] {
            check(command, &with(rest));
        }
    }
}
