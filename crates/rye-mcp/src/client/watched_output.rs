//! The standard output of a server, with an eye on what is no message.

use std::sync::{Arc, Mutex, PoisonError};

/// The longest message that is read.
pub(super) const MAX_MESSAGE: usize = 16 * 1024 * 1024;
/// So much of a line is kept that is no message.
const SHOWN: usize = 200;

/// Looks at a stream until a line in it becomes too long.
#[derive(Debug)]
pub(super) struct WatchedOutput {
    line_length: usize,
    line_start: Vec<u8>,
    seen: Arc<Mutex<Seen>>,
}

/// What was noticed in a stream.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Whether a line was too long.
    pub(super) too_long: bool,
    /// The beginning of the first line that is no message.
    pub(super) noise: Option<String>,
}

impl WatchedOutput {
    pub(super) fn new() -> (Self, Arc<Mutex<Seen>>) {
        let seen = Arc::new(Mutex::new(Seen::default()));
        (Self { line_length: 0, line_start: Vec::new(), seen: Arc::clone(&seen) }, seen)
    }

    /// Looks at what has been read. Returns whether it may go on.
    pub(super) fn look_at(&mut self, bytes: &[u8]) -> bool {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line_length += part.len();
            let room = SHOWN.saturating_sub(self.line_start.len());
            self.line_start.extend_from_slice(&part[..part.len().min(room)]);
            let is_too_long = self.line_length > MAX_MESSAGE;
            if part.ends_with(b"\n") || is_too_long {
                self.end_line();
            }
            if is_too_long {
                self.seen.lock().unwrap_or_else(PoisonError::into_inner).too_long = true;
                return false;
            }
        }
        true
    }

    fn end_line(&mut self) {
        let line = self.line_start.trim_ascii();
        if !line.is_empty() && !matches!(line[0], b'{' | b'[') {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.noise.get_or_insert_with(|| String::from_utf8_lossy(line).into_owned());
        }
        self.line_start.clear();
        self.line_length = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(parts: &[&[u8]]) -> (bool, Seen) {
        let (mut output, seen) = WatchedOutput::new();
        let goes_on = parts.iter().all(|part| output.look_at(part));
        drop(output);
        (goes_on, Arc::into_inner(seen).unwrap().into_inner().unwrap())
    }

    #[test]
    fn the_first_line_that_is_no_message_is_kept() {
        let (goes_on, seen) = seen(&[b"{}\n\n [1]\nhel", b"lo\nworld\n{\n"]);
        assert!(goes_on);
        assert_eq!((seen.too_long, seen.noise.as_deref()), (false, Some("hello")));
    }

    #[test]
    fn a_line_without_an_end_is_stopped() {
        let part = vec![b'x'; 1024 * 1024];
        let parts = vec![part.as_slice(); 17];
        let (goes_on, seen) = seen(&parts);
        assert!(!goes_on && seen.too_long);
        assert_eq!(seen.noise.map(|noise| noise.len()), Some(SHOWN));
    }
}
