//! Changing inputs at random, without knowing what they mean.

use std::ops::Range;
use std::sync::LazyLock;

use crate::random::Random;

/// What parsers look for, in the form that libFuzzer reads, too.
const DICTIONARY: &str = include_str!("../dictionary.txt");

static TOKENS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| DICTIONARY.lines().filter_map(token).collect());

/// Makes inputs from others. The same seed gives the same inputs.
#[derive(Debug, Clone)]
pub struct Mutator {
    random: Random,
}

impl Mutator {
    /// No input is made longer than this.
    pub const MAX_BYTES: usize = 4 * 1024;

    /// A mutator that always makes the same choices.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { random: Random::new(seed) }
    }

    /// One of `inputs` with a few changes.
    #[must_use]
    pub fn mutate(&mut self, inputs: &[impl AsRef<[u8]>]) -> Vec<u8> {
        if inputs.is_empty() {
            return Vec::new();
        }
        let mut bytes = self.random.choose(inputs).as_ref().to_vec();
        bytes.truncate(Self::MAX_BYTES);
        for _ in 0..=self.random.below(4) {
            let other = self.random.choose(inputs).as_ref();
            self.change(&mut bytes, other);
            bytes.truncate(Self::MAX_BYTES);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let range = self.range(bytes.len());
        match self.random.below(9) {
            0 => drop(bytes.drain(range)),
            1 => bytes.truncate(range.start),
            2 => {
                if let Some(byte) = bytes.get_mut(range.start) {
                    *byte ^= 1 << self.random.below(8);
                }
            }
            3 => {
                const BYTES: [u8; 12] =
                    [0, 1, 0x7f, 0x80, 0xff, b' ', b'\n', b'\r', b'\t', b'"', b'\\', 0xc3];
                let byte =
                    if self.random.below(2) == 0 { *self.random.choose(&BYTES) } else { self.random.byte() };
                bytes.insert(range.start, byte);
            }
            4 | 5 => {
                let token = self.random.choose(&TOKENS);
                let end = if self.random.below(2) == 0 { range.start } else { range.end };
                bytes.splice(range.start..end, token.iter().copied());
            }
            6 => {
                let piece = bytes[range.clone()].to_vec();
                let count = 1 + self.random.below(Self::MAX_BYTES / piece.len().max(64));
                bytes.splice(range.end..range.end, piece.repeat(count));
            }
            7 => {
                let token = self.random.choose(&TOKENS);
                let count = 1 + self.random.below(Self::MAX_BYTES / token.len().max(8));
                bytes.splice(range.start..range.start, token.repeat(count));
            }
            _ => {
                let piece = self.range(other.len());
                bytes.splice(range, other[piece].iter().copied());
            }
        }
    }

    /// A range within `length` bytes, more often a short one.
    fn range(&mut self, length: usize) -> Range<usize> {
        let start = self.random.below(length + 1);
        let rest = length - start;
        let longest = if self.random.below(4) == 0 { rest } else { rest.min(8) };
        start..start + self.random.below(longest + 1)
    }
}

/// The bytes of a line `"…"` with the escapes `\"`, `\\` and `\xNN`. Other lines are comments.
fn token(line: &str) -> Option<Vec<u8>> {
    let mut rest = line.strip_prefix('"')?.strip_suffix('"')?.as_bytes();
    let mut bytes = Vec::new();
    while let Some((&first, tail)) = rest.split_first() {
        let (byte, tail) = match (first, tail) {
            (b'\\', [b'x', high, low, tail @ ..]) => {
                let digits = [*high, *low];
                (u8::from_str_radix(str::from_utf8(&digits).ok()?, 16).ok()?, tail)
            }
            (b'\\', [escaped, tail @ ..]) => (*escaped, tail),
            _ => (first, tail),
        };
        bytes.push(byte);
        rest = tail;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_dictionary_is_a_token_or_a_comment() {
        let lines = || DICTIONARY.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert_eq!(lines().find(|line| token(line).is_none_or(|bytes| bytes.is_empty())), None);
        assert!(lines().count() > 100);
        assert_eq!(token(r#""a\"\\\x0a\xef""#), Some(b"a\"\\\n\xef".to_vec()));
    }

    #[test]
    fn the_same_seed_gives_the_same_inputs_and_all_are_different() {
        let inputs = [&b"one: [1, 2]\n"[..], b"", b"(two)"];
        let run = |seed| {
            let mut mutator = Mutator::new(seed);
            (0..500).map(|_| mutator.mutate(&inputs)).collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
        assert!(run(1).iter().all(|bytes| bytes.len() <= Mutator::MAX_BYTES));
        assert!(run(1).into_iter().collect::<std::collections::HashSet<_>>().len() > 400);
    }
}
