//! A query that may be the name of something.

use std::ops::Range;

use super::Rank;
use super::collection::Part;
use crate::query::Query;
use crate::text::key_of;

/// The words of a query as they were typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Literal {
    text: String,
    key: String,
}

/// A literal in one index.
#[derive(Debug)]
pub(super) struct LiteralRanks<'p, 'a> {
    part: &'p Part<'a>,
    literal: &'p Literal,
    /// As it was typed, and in lower case.
    exact_ids: [Range<usize>; 2],
    prefixed_ids: Range<usize>,
    /// The value that is the literal's key, if there is one.
    key: Option<u32>,
}

impl Literal {
    /// The words that are wanted, if all of them are and none is uncertain.
    pub(super) fn of(query: &Query) -> Option<Self> {
        let mut words = Vec::new();
        for part in query.conjuncts() {
            match part {
                Query::Word(word) if !word.is_wild() => words.push(word.as_str()),
                Query::Phrase(text) => words.push(text),
                Query::Field { .. } | Query::Not(_) => {}
                Query::Word(_) | Query::All | Query::And(_) | Query::Or(_) => return None,
            }
        }
        let text = words.join(" ");
        let key = key_of(&text);
        (!key.is_empty()).then_some(Self { text, key })
    }

    /// The key of a literal that is one word, as ids and names are.
    pub(super) fn one_word(&self) -> Option<&str> {
        (!self.text.contains(char::is_whitespace)).then_some(&self.key)
    }

    /// The literal in an index, unless no document there can have a better rank for it.
    pub(super) fn in_part<'p, 'a>(&'p self, part: &'p Part<'a>) -> Option<LiteralRanks<'p, 'a>> {
        let ids = part.view.documents.ids;
        let exact_below = |range: Range<usize>, text: &[u8]| {
            let count = range.clone().take_while(|&document| ids.get(document) == text).count();
            range.start..range.start + count
        };
        // No id has a space.
        let is_one = self.one_word().is_some();
        let with_prefix = |text: &[u8]| if is_one { ids.with_prefix(text) } else { 0..0 };
        let prefixed_ids = with_prefix(self.text.as_bytes());
        let exact_id = exact_below(prefixed_ids.clone(), self.text.as_bytes());
        let is_lower = self.text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let lower_id = if is_lower {
            exact_id.clone()
        } else {
            let lower = self.text.to_lowercase();
            exact_below(with_prefix(lower.as_bytes()), lower.as_bytes())
        };
        let exact_ids = [exact_id, lower_id];
        let key = part.view.values.find(self.key.as_bytes()).and_then(|value| u32::try_from(value).ok());
        let has_ids = !prefixed_ids.is_empty() || exact_ids.iter().any(|ids| !ids.is_empty());
        (has_ids || key.is_some()).then_some(LiteralRanks {
            part,
            literal: self,
            exact_ids,
            prefixed_ids,
            key,
        })
    }
}

impl LiteralRanks<'_, '_> {
    /// The rank of a document that matches.
    pub(super) fn rank(&self, document: u32) -> Rank {
        let columns = &self.part.view.documents;
        let number = document as usize;
        if self.exact_ids.iter().any(|ids| ids.contains(&number)) {
            Rank::ExactId
        } else if self.key.is_some_and(|key| columns.name_keys.get(number) == key) {
            Rank::ExactName
        } else if self.key.is_some_and(|key| columns.stem_keys.get(number) == key) {
            Rank::ExactStem
        } else if self.prefixed_ids.contains(&number) && self.ends_with_a_word(columns.ids.get(number)) {
            Rank::IdPrefix
        } else {
            Rank::Words
        }
    }

    /// Whether the id goes on with another word after the literal. A path may end anywhere: it is still being typed.
    fn ends_with_a_word(&self, id: &[u8]) -> bool {
        let text = self.literal.text.as_bytes();
        text.contains(&b'/') || id.get(text.len()).is_none_or(|next| !next.is_ascii_alphanumeric())
    }
}
