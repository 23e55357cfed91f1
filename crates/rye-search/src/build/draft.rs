//! Documents that are cut into words, but not yet in order.

use super::interner::Interner;
use super::writer::{IndexTooLarge, Writer};
use crate::document::Document;
use crate::index::{Place, Section, Token, write_token};
use crate::text::{compounds, key_of, stem};

/// Documents on their way into a buffer. Words and values have numbers in order of appearance.
#[derive(Debug, Default)]
pub(super) struct Draft {
    documents: Vec<DraftDocument>,
    words: Interner,
    /// For each word its stem, and whether it stands in a text.
    forms: Vec<Form>,
    values: Interner,
    tokens: Vec<Token>,
    postings: Vec<(u32, u16)>,
}

#[derive(Debug, Clone, Copy)]
struct Form {
    stem: u32,
    is_in_text: bool,
}

#[derive(Debug)]
struct DraftDocument {
    id: String,
    place: Place,
    length: u32,
    values: [u32; VALUE_SECTIONS.len()],
    tags: Vec<u32>,
    payload: Vec<u8>,
    /// Where its tokens and postings end; they begin where those of the one before end.
    tokens: std::ops::Range<usize>,
    postings: std::ops::Range<usize>,
}

/// The sections of the values that every document has once.
pub(super) const VALUE_SECTIONS: [Section; 6] = [
    Section::Names,
    Section::NameKeys,
    Section::StemKeys,
    Section::Categories,
    Section::Executors,
    Section::Versions,
];

impl Draft {
    pub(super) fn len(&self) -> usize {
        self.documents.len()
    }

    pub(super) fn add(&mut self, document: Document) {
        let first_token = self.tokens.len();
        let mut occurrences: Vec<(u32, u16)> = Vec::new();
        let mut length = 0_u32;
        for (text, weight) in document.texts() {
            for compound in compounds(text) {
                for part in &compound.parts {
                    let word = self.word(part);
                    self.tokens.push(Token::Word(word));
                    occurrences.push((self.forms[word as usize].stem, weight));
                    length = length.saturating_add(u32::from(weight));
                }
                if let Some(whole) = &compound.whole {
                    let word = self.word(whole);
                    self.tokens.push(Token::Whole(word));
                    occurrences.push((self.forms[word as usize].stem, weight));
                }
            }
            self.tokens.push(Token::Gap);
        }
        let first_posting = self.postings.len();
        self.count(occurrences);
        let optional = |text: &Option<String>| text.clone().unwrap_or_default();
        let values = [
            self.values.intern(&document.name),
            self.values.intern(&key_of(&document.name)),
            self.values.intern(&key_of(document.id.stem())),
            self.values.intern(&optional(&document.category)),
            self.values.intern(&optional(&document.executor)),
            self.values.intern(&optional(&document.version)),
        ];
        let tags = document.tags.iter().map(|tag| self.values.intern(tag)).collect();
        self.documents.push(DraftDocument {
            id: document.id.to_string(),
            place: Place::new(document.kind, document.space),
            length,
            values,
            tags,
            payload: document.payload,
            tokens: first_token..self.tokens.len(),
            postings: first_posting..self.postings.len(),
        });
    }

    /// The number of a word of a text.
    fn word(&mut self, word: &str) -> u32 {
        let number = self.words.intern(word);
        let known = self.forms.get(number as usize).copied();
        if known.is_some_and(|form| form.is_in_text) {
            return number;
        }
        if known.is_none() {
            self.forms.push(Form { stem: number, is_in_text: true });
        }
        let stem = stem(word);
        let stem_number = self.words.intern(&stem);
        if stem_number as usize == self.forms.len() {
            self.forms.push(Form { stem: stem_number, is_in_text: false });
        }
        self.forms[number as usize] = Form { stem: stem_number, is_in_text: true };
        number
    }

    /// Sums up the weights of each word.
    fn count(&mut self, mut occurrences: Vec<(u32, u16)>) {
        occurrences.sort_unstable_by_key(|&(word, _)| word);
        let same_word = occurrences.chunk_by(|one, other| one.0 == other.0);
        self.postings.extend(same_word.map(|same| {
            let sum = same.iter().fold(0_u16, |sum, &(_, weight)| sum.saturating_add(weight));
            (same[0].0, sum)
        }));
    }

    /// The buffer.
    pub(super) fn encode(mut self) -> Result<Vec<u8>, IndexTooLarge> {
        self.documents.sort_by(|one, other| (&one.id, one.place).cmp(&(&other.id, other.place)));
        let mut writer = Writer::new(self.postings.len() * 6 + self.tokens.len() * 3 + self.len() * 128);
        self.write_documents(&mut writer);
        let (words, word_places) = self.words.sorted();
        let tokens_of = |document: &DraftDocument| &self.tokens[document.tokens.clone()];
        writer.rows((Section::StreamStarts, Section::Streams), self.documents.iter(), |document, bytes| {
            for &token in tokens_of(document) {
                let token = match token {
                    Token::Word(word) => Token::Word(word_places[word as usize]),
                    Token::Whole(word) => Token::Whole(word_places[word as usize]),
                    Token::Gap => Token::Gap,
                };
                write_token(token, bytes);
            }
        });
        writer.rows((Section::WordStarts, Section::Words), words.iter(), |(word, _), bytes| {
            bytes.extend_from_slice(word.as_bytes());
        });
        let form_of = |number: u32| self.forms[number as usize];
        writer.column(
            Section::Stems,
            words.iter().map(|&(_, number)| word_places[form_of(number).stem as usize]),
        );
        writer.typos((0..).zip(words.iter().map(|&(word, _)| word)));
        self.write_postings(&mut writer, &word_places);
        writer.finish()
    }

    fn write_documents(&self, writer: &mut Writer) {
        let documents = &self.documents;
        let measures: Vec<_> = documents.iter().map(|document| (document.place, document.length)).collect();
        writer.measures(&measures);
        let (values, value_places) = self.values.sorted();
        writer.rows((Section::ValueStarts, Section::Values), values.iter(), |(value, _), bytes| {
            bytes.extend_from_slice(value.as_bytes());
        });
        for (index, section) in VALUE_SECTIONS.into_iter().enumerate() {
            writer.column(
                section,
                documents.iter().map(|document| value_places[document.values[index] as usize]),
            );
        }
        writer.rows((Section::IdStarts, Section::Ids), documents.iter(), |document, bytes| {
            bytes.extend_from_slice(document.id.as_bytes());
        });
        writer.rows((Section::TagStarts, Section::Tags), documents.iter(), |document, bytes| {
            bytes.extend(document.tags.iter().flat_map(|&tag| value_places[tag as usize].to_le_bytes()));
        });
        writer.rows((Section::PayloadStarts, Section::Payloads), documents.iter(), |document, bytes| {
            bytes.extend_from_slice(&document.payload);
        });
    }

    /// Turns the words of documents into the documents of words.
    fn write_postings(&self, writer: &mut Writer, word_places: &[u32]) {
        let mut ends = vec![0_u32; word_places.len() + 1];
        for &(word, _) in &self.postings {
            ends[word_places[word as usize] as usize + 1] += 1;
        }
        for word in 1..ends.len() {
            ends[word] += ends[word - 1];
        }
        let mut documents = vec![0_u32; self.postings.len()];
        let mut weights = vec![0_u16; self.postings.len()];
        for (number, document) in (0..).zip(&self.documents) {
            for &(word, weight) in &self.postings[document.postings.clone()] {
                let next = &mut ends[word_places[word as usize] as usize];
                documents[*next as usize] = number;
                weights[*next as usize] = weight;
                *next += 1;
            }
        }
        writer.column(Section::PostingDocuments, documents.into_iter());
        // Each has moved on from where its word begins to where it ends, which is where the next one begins.
        ends.pop();
        writer.column(Section::PostingStarts, std::iter::once(0).chain(ends));
        writer.section(Section::PostingWeights, |bytes| {
            bytes.extend(weights.into_iter().flat_map(u16::to_le_bytes));
        });
    }
}
