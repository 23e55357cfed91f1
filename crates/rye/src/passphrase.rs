//! Passphrases and secrets: from their variable, or typed by a person without being shown.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};

use lillux::keys::Passphrase;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use zeroize::Zeroizing;

use crate::command_error::CommandError;
use crate::environment;

/// The passphrase that a key is to have.
pub(crate) fn chosen() -> Result<Passphrase, CommandError> {
    if let Some(passphrase) = environment::passphrase()? {
        return Ok(passphrase);
    }
    let first = ask("passphrase: ")?;
    if first.is_empty() {
        return Err(CommandError::passphrase_invalid("it is empty"));
    }
    if first != ask("the same again: ")? {
        return Err(CommandError::passphrase_invalid("what was typed the second time was another one"));
    }
    Ok(Passphrase::from(first.to_string()))
}

/// The passphrase that a key has.
pub(crate) fn known(of: &str) -> Result<Passphrase, CommandError> {
    match environment::passphrase()? {
        Some(passphrase) => Ok(passphrase),
        None => Ok(Passphrase::from(ask(&format!("passphrase of {of}: "))?.to_string())),
    }
}

/// A secret that somebody types.
pub(crate) fn secret(name: &str) -> Result<Zeroizing<String>, CommandError> {
    typed(&terminal().ok_or_else(CommandError::no_secret)?, &format!("value of {name}: "))
}

fn ask(prompt: &str) -> Result<Zeroizing<String>, CommandError> {
    typed(&terminal().ok_or_else(CommandError::no_passphrase)?, prompt)
}

fn terminal() -> Option<File> {
    // Without a terminal of our own nobody is there, even if the session as a whole has one.
    let is_there = io::stdin().is_terminal() || io::stderr().is_terminal();
    is_there.then(|| File::options().read(true).write(true).open("/dev/tty").ok())?
}

fn typed(terminal: &File, prompt: &str) -> Result<Zeroizing<String>, CommandError> {
    match read_hidden(terminal, prompt).map_err(|error| CommandError::input("the terminal", &error))? {
        Some(line) => Ok(line),
        None => Err(CommandError::cancelled()),
    }
}

fn read_hidden(mut terminal: &File, prompt: &str) -> io::Result<Option<Zeroizing<String>>> {
    let quiet = Quiet::begin(terminal)?;
    terminal.write_all(prompt.as_bytes())?;
    let mut line = TypedLine::default();
    let mut byte = [0];
    let end = loop {
        let typed = if terminal.read(&mut byte)? == 0 { CONTROL_D } else { byte[0] };
        if let Some(end) = line.press(typed) {
            break end;
        }
    };
    drop(quiet);
    terminal.write_all(b"\n")?;
    match end {
        LineEnd::Cancelled => Ok(None),
        LineEnd::Entered => match str::from_utf8(&line.bytes) {
            Ok(text) => Ok(Some(Zeroizing::new(text.to_owned()))),
            Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        },
    }
}

/// A terminal that shows nothing of what is typed, and leaves Control-C to us: it would end us before the terminal shows
/// again what is typed.
struct Quiet<'a> {
    terminal: &'a File,
    before: Termios,
}

impl<'a> Quiet<'a> {
    fn begin(terminal: &'a File) -> io::Result<Self> {
        let before = tcgetattr(terminal)?;
        let mut quiet = before.clone();
        quiet
            .local_modes
            .remove(LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG);
        quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
        quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(terminal, OptionalActions::Drain, &quiet)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        // There is nothing else that could be done about it.
        let _ = tcsetattr(self.terminal, OptionalActions::Drain, &self.before);
    }
}

/// Far more than anybody remembers. The buffer never grows, so that no copies of a secret are left behind.
const LIMIT: usize = 4096;
const CONTROL_C: u8 = 0x03;
const CONTROL_D: u8 = 0x04;
const BACKSPACE: u8 = 0x08;
const CONTROL_U: u8 = 0x15;
const DELETE: u8 = 0x7f;

/// What was typed so far.
struct TypedLine {
    bytes: Zeroizing<Vec<u8>>,
}

/// How a line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    Entered,
    Cancelled,
}

impl Default for TypedLine {
    fn default() -> Self {
        Self { bytes: Zeroizing::new(Vec::with_capacity(LIMIT)) }
    }
}

impl TypedLine {
    fn press(&mut self, byte: u8) -> Option<LineEnd> {
        match byte {
            b'\n' | b'\r' => return Some(LineEnd::Entered),
            CONTROL_C => return Some(LineEnd::Cancelled),
            CONTROL_D if self.bytes.is_empty() => return Some(LineEnd::Cancelled),
            CONTROL_D => return Some(LineEnd::Entered),
            CONTROL_U => self.bytes.clear(),
            BACKSPACE | DELETE => {
                // A character is its first byte and those that continue it.
                while self.bytes.pop().is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000) {}
            }
            byte if self.bytes.len() < LIMIT => self.bytes.push(byte),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &str, text: &str, end: Option<LineEnd>) {
        let mut line = TypedLine::default();
        let found = typed.bytes().find_map(|byte| line.press(byte));
        assert_eq!((str::from_utf8(&line.bytes), found), (Ok(text), end), "{typed:?}");
    }

    #[test]
    fn a_line_can_be_corrected_while_it_is_typed() {
        check("secret", "secret", None);
        check("secret\nmore", "secret", Some(LineEnd::Entered));
        check("secret\r", "secret", Some(LineEnd::Entered));
        check("sex\u{7f}cret\n", "secret", Some(LineEnd::Entered));
        check("aé\u{7f}\u{8}\u{8}b\n", "b", Some(LineEnd::Entered));
        check("wrong\u{15}right\n", "right", Some(LineEnd::Entered));
        check("secret\u{4}", "secret", Some(LineEnd::Entered));
        check("\u{4}", "", Some(LineEnd::Cancelled));
        check("sec\u{3}", "sec", Some(LineEnd::Cancelled));
        check(&"x".repeat(LIMIT + 7), &"x".repeat(LIMIT), None);
    }
}
