//! Masking of what arrives in pieces.

use std::fmt;

use zeroize::Zeroizing;

use super::masking::Search;
use super::span::Span;

/// Masks output that arrives in pieces, wherever it is cut.
///
/// The result is the same as if the whole had been masked at once. Only bytes that may be the beginning of a secret
/// are held back until it is clear whether they are, so what is shown lags by less than the longest secret, and
/// mostly by nothing.
pub struct MaskStream<'mask> {
    search: Option<&'mask Search>,
    /// What may be the beginning of a secret.
    held: Zeroizing<Vec<u8>>,
    /// If the last thing that was shown is a marker: how many of the bytes held it stands for as well.
    marked: Option<usize>,
}

impl<'mask> MaskStream<'mask> {
    pub(super) fn new(search: Option<&'mask Search>) -> Self {
        Self { search, held: Zeroizing::new(Vec::new()), marked: None }
    }

    /// Takes the next piece, and adds to `shown` what can be shown by now.
    pub fn push(&mut self, piece: &[u8], shown: &mut Vec<u8>) {
        let Some(search) = self.search else {
            shown.extend_from_slice(piece);
            return;
        };
        if self.held.is_empty() {
            let held = search.begun_by(piece);
            self.show(search, piece, held, shown);
        } else {
            let all = Zeroizing::new([self.held.as_slice(), piece].concat());
            self.show(search, &all, search.begun_by(&all), shown);
        }
    }

    /// Adds to `shown` what was held back, since nothing follows.
    pub fn finish(mut self, shown: &mut Vec<u8>) {
        if let Some(search) = self.search {
            let rest = std::mem::replace(&mut self.held, Zeroizing::new(Vec::new()));
            self.show(search, &rest, 0, shown);
        }
    }

    /// Shows `bytes` but for the last `held` of them, which are kept.
    fn show(&mut self, search: &Search, bytes: &[u8], held: usize, shown: &mut Vec<u8>) {
        let cut = bytes.len() - held;
        let mut spans: Vec<_> = self.marked.map(|end| Span { start: 0, end }).into_iter().collect();
        search.find(bytes, &mut spans);
        let mut spans = spans.into_iter();
        // The first span goes on from a marker that was shown before.
        let mut marked = self.marked.and_then(|_| spans.next()).map(|span| span.end);
        for span in spans.take_while(|span| span.start < cut) {
            shown.extend_from_slice(&bytes[marked.unwrap_or(0)..span.start]);
            shown.extend_from_slice(search.marker.as_bytes());
            marked = Some(span.end);
        }
        shown.extend_from_slice(bytes.get(marked.unwrap_or(0)..cut).unwrap_or_default());
        self.marked = marked.and_then(|end| end.checked_sub(cut));
        self.held = Zeroizing::new(bytes[cut..].to_vec());
    }
}

impl fmt::Debug for MaskStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MaskStream").field("held", &self.held.len()).finish_non_exhaustive()
    }
}
