//! How far a program is, as it tells by lines on its standard error.
//!
//! A line such as `progress: 3/10 copying` says that three parts of ten are done. The number of parts and the words may be
//! left out.

/// Finds such lines.
#[derive(Debug, Default)]
pub(super) struct ProgressLines {
    pending: Vec<u8>,
}

/// How far a program is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress<'a> {
    /// How much is done.
    pub done: f64,
    /// How much there is.
    pub total: Option<f64>,
    /// What it is doing. Secrets are masked in it.
    pub message: &'a str,
}

const START: &str = "progress: ";
/// A line that is longer is not looked at.
const LONGEST: usize = 1024;

impl ProgressLines {
    /// Takes what has been written, and tells what whole lines in it say.
    pub(super) fn take(&mut self, bytes: &[u8], tell: &mut dyn FnMut(Progress<'_>)) {
        for part in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            let room = LONGEST.saturating_sub(self.pending.len());
            self.pending.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") || part.ends_with(b"\r") {
                if let Some(progress) = std::str::from_utf8(&self.pending).ok().and_then(Progress::read) {
                    tell(progress);
                }
                self.pending.clear();
            }
        }
    }
}

impl<'a> Progress<'a> {
    /// What a line says, if it is one that tells this.
    #[must_use]
    pub fn read(line: &'a str) -> Option<Self> {
        let said = line.trim_end().strip_prefix(START)?;
        let (numbers, message) = said.split_once(' ').unwrap_or((said, ""));
        let (done, total) = match numbers.split_once('/') {
            Some((done, total)) => (number(done)?, Some(number(total)?)),
            None => (number(numbers)?, None),
        };
        Some(Self { done, total, message: message.trim() })
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(parts: &[&str]) -> Vec<(f64, Option<f64>, String)> {
        let (mut lines, mut said) = (ProgressLines::default(), Vec::new());
        for part in parts {
            lines.take(part.as_bytes(), &mut |it| said.push((it.done, it.total, it.message.to_owned())));
        }
        said
    }

    #[test]
    fn whole_lines_are_read() {
        assert_eq!(
            said(&["progress: 3/10 copying a file\n"]),
            [(3.0, Some(10.0), "copying a file".to_owned())]
        );
        assert_eq!(said(&["progress: 0.5\n"]), [(0.5, None, String::new())]);
        let parts = ["a\nprog", "ress: 1/2\rprogress: 2/2 ", "done\nprogress: 3"];
        assert_eq!(said(&parts), [(1.0, Some(2.0), String::new()), (2.0, Some(2.0), "done".to_owned())]);
    }

    #[test]
    fn other_lines_are_not() {
        for line in ["progress: some", "progress:1", " progress: 1", "progress: 1/x", "progress: inf", ""] {
            assert_eq!(said(&[line, "\n"]), [], "{line}");
        }
        assert_eq!(said(&["progress: 1 ", &"x".repeat(4000), "\n", "progress: 2\n"]).len(), 2);
    }
}
