//! Masking of what is there as a whole.

use std::borrow::Cow;
use std::fmt;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use secrecy::ExposeSecret;

use super::form::{Form, forms};
use super::marker::marker;
use super::span::{Span, merge};
use super::{MaskError, MaskStream};
use crate::secrets::SecretValues;

/// Replaces secrets, in every spelling that the [module](super) names, by a marker such as `***`.
///
/// All bytes that are part of any secret are replaced, also where secrets overlap, and what touches becomes one
/// marker. The marker has a character that is in no secret, so that masking never spells one.
///
/// A mask holds the secrets, and what it searches with is not wiped from memory: keep it no longer than the run.
#[derive(Default)]
pub struct Mask {
    /// Nothing if there is nothing to mask.
    search: Option<Search>,
}

pub(super) struct Search {
    automaton: AhoCorasick,
    forms: Vec<Form>,
    pub(super) marker: String,
}

impl Mask {
    /// The length from which on a secret is masked, in bytes.
    pub const SHORTEST: usize = 8;

    /// A mask for all of these values that are long enough.
    ///
    /// # Errors
    /// If they are too large to be searched for, which takes gigabytes.
    pub fn new(secrets: &SecretValues) -> Result<Self, MaskError> {
        let values = secrets.iter().map(|(_, value)| value.expose_secret());
        let forms: Vec<_> = values.filter(|value| value.len() >= Self::SHORTEST).flat_map(forms).collect();
        if forms.is_empty() {
            return Ok(Self { search: None });
        }
        // The other kinds take either much more memory for a long secret, or more time for each byte.
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(forms.iter().map(Form::bytes))?;
        let marker = marker(&forms.iter().map(Form::bytes).collect::<Vec<_>>());
        Ok(Self { search: Some(Search { automaton, forms, marker }) })
    }

    /// Whether there is nothing to mask.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.search.is_none()
    }

    /// The text without secrets.
    #[must_use]
    pub fn mask_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.mask_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            // Whole characters were replaced by whole characters, so nothing is lost here.
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// The bytes without secrets.
    #[must_use]
    pub fn mask_bytes<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let Some(search) = &self.search else { return Cow::Borrowed(bytes) };
        let mut spans = Vec::new();
        search.find(bytes, &mut spans);
        if spans.is_empty() {
            return Cow::Borrowed(bytes);
        }
        let mut masked = Vec::with_capacity(bytes.len());
        let mut shown = 0;
        for span in spans {
            masked.extend_from_slice(&bytes[shown..span.start]);
            masked.extend_from_slice(search.marker.as_bytes());
            shown = span.end;
        }
        masked.extend_from_slice(&bytes[shown..]);
        Cow::Owned(masked)
    }

    /// A mask for output that arrives in pieces.
    #[must_use]
    pub fn stream(&self) -> MaskStream<'_> {
        MaskStream::new(self.search.as_ref())
    }
}

impl Search {
    /// Adds everything in `bytes` that belongs to a secret to `spans`.
    pub(super) fn find(&self, bytes: &[u8], spans: &mut Vec<Span>) {
        for found in self.automaton.find_overlapping_iter(bytes) {
            merge(spans, Span { start: found.start(), end: found.end() });
        }
    }

    /// How many bytes at the end of `bytes` may be the beginning of a secret.
    pub(super) fn begun_by(&self, bytes: &[u8]) -> usize {
        self.forms.iter().map(|form| form.begun_by(bytes)).max().unwrap_or(0)
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let forms = self.search.as_ref().map_or(0, |search| search.forms.len());
        f.debug_struct("Mask").field("forms", &forms).finish()
    }
}
