//! One buffer from the documents of several, without cutting a text into words again.

use super::draft::VALUE_SECTIONS;
use super::writer::{IndexTooLarge, Writer};
use crate::index::{DocumentSet, Rows, Section, Token, U32s, View, read_tokens, write_token};

/// The documents of an index except for some.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) view: View<'a>,
    pub(super) except: &'a DocumentSet,
}

/// What has no place in the new buffer.
const NOWHERE: u32 = u32::MAX;

/// The buffer that would have been built from all these documents.
pub(super) fn merge(sources: &[Source<'_>]) -> Result<Vec<u8>, IndexTooLarge> {
    let merge = Merge::plan(sources);
    let capacity = sources.iter().map(|source| source.view.size()).sum();
    let mut writer = Writer::new(capacity);
    merge.write_documents(&mut writer);
    merge.write_words(&mut writer);
    merge.write_postings(&mut writer);
    writer.finish()
}

/// Where everything goes.
struct Merge<'s, 'a> {
    sources: &'s [Source<'a>],
    /// The documents in their new order, each as its source and its number there.
    documents: Vec<(usize, usize)>,
    /// For each source the new numbers of its documents.
    document_places: Vec<Vec<u32>>,
    values: Union,
    words: Union,
    /// For each source the words that stand in a text.
    in_text: Vec<Vec<bool>>,
}

/// Rows of several sources in one order, each row once.
struct Union {
    /// For each row the sources that have it, as their number and its number there. Rows end as `ends` says.
    members: Vec<(usize, usize)>,
    ends: Vec<usize>,
    /// For each source the new numbers of its rows.
    places: Vec<Vec<u32>>,
}

impl<'s, 'a> Merge<'s, 'a> {
    fn plan(sources: &'s [Source<'a>]) -> Self {
        let documents = order_documents(sources);
        let mut document_places: Vec<Vec<u32>> =
            sources.iter().map(|source| vec![NOWHERE; source.view.documents.len()]).collect();
        for (place, &(source, document)) in (0..).zip(&documents) {
            document_places[source][document] = place;
        }
        let values: Vec<_> = sources.iter().map(|source| (source.view.values, used_values(source))).collect();
        let values = Union::of(&values);
        let in_text: Vec<Vec<bool>> = sources.iter().map(words_in_text).collect();
        let words = sources.iter().zip(&in_text).zip(&document_places).map(|((source, in_text), places)| {
            let used = (0..in_text.len()).map(|word| in_text[word] || has_posting(source, word, places));
            (source.view.dictionary.words, used.collect())
        });
        let words = Union::of(&words.collect::<Vec<_>>());
        Self { sources, documents, document_places, values, words, in_text }
    }

    /// The documents with the views they are in.
    fn documents(&self) -> impl Iterator<Item = (usize, &View<'a>, usize)> {
        self.documents.iter().map(|&(source, document)| (source, &self.sources[source].view, document))
    }

    fn write_documents(&self, writer: &mut Writer) {
        let measures: Vec<_> = self
            .documents()
            .map(|(_, view, document)| (view.documents.place(document), view.documents.lengths.get(document)))
            .collect();
        writer.measures(&measures);
        self.write_union(writer, (Section::ValueStarts, Section::Values), &self.values, |view| view.values);
        for (index, section) in VALUE_SECTIONS.into_iter().enumerate() {
            writer.column(
                section,
                self.documents().map(|(source, view, document)| {
                    self.values.place(source, value_columns(view)[index].get(document))
                }),
            );
        }
        writer.rows((Section::IdStarts, Section::Ids), self.documents(), |(_, view, document), bytes| {
            bytes.extend_from_slice(view.documents.ids.get(document));
        });
        writer.rows(
            (Section::TagStarts, Section::Tags),
            self.documents(),
            |(source, view, document), bytes| {
                let tags = view.documents.tags(document).iter();
                bytes.extend(tags.flat_map(|tag| self.values.place(source, tag).to_le_bytes()));
            },
        );
        writer.rows(
            (Section::PayloadStarts, Section::Payloads),
            self.documents(),
            |(_, view, document), bytes| {
                bytes.extend_from_slice(view.documents.payloads.get(document));
            },
        );
        writer.rows(
            (Section::StreamStarts, Section::Streams),
            self.documents(),
            |(source, view, document), bytes| {
                for token in read_tokens(view.documents.streams.get(document)) {
                    let token = match token {
                        Token::Word(word) => Token::Word(self.words.place(source, word)),
                        Token::Whole(word) => Token::Whole(self.words.place(source, word)),
                        Token::Gap => Token::Gap,
                    };
                    write_token(token, bytes);
                }
            },
        );
    }

    fn write_words(&self, writer: &mut Writer) {
        self.write_union(writer, (Section::WordStarts, Section::Words), &self.words, |view| {
            view.dictionary.words
        });
        let words = || (0..).zip(self.words.rows());
        writer.column(
            Section::Stems,
            words().map(|(place, members)| {
                // Where the word does not stand in a text, it is there as a stem only: its own.
                let in_text = members.iter().find(|&&(source, word)| self.in_text[source][word]);
                in_text.map_or(place, |&(source, word)| {
                    self.words.place(source, self.sources[source].view.dictionary.stems.get(word))
                })
            }),
        );
        writer.typos(words().map(|(place, members)| {
            let (source, word) = members[0];
            (place, self.sources[source].view.dictionary.words.text(word))
        }));
    }

    fn write_postings(&self, writer: &mut Writer) {
        let mut starts = vec![0];
        let mut weights = Vec::new();
        writer.section(Section::PostingDocuments, |bytes| {
            let mut gathered: Vec<(u32, u16)> = Vec::new();
            for members in self.words.rows() {
                gathered.clear();
                for &(source, word) in members {
                    let postings = self.sources[source].view.dictionary.postings(word);
                    let places = &self.document_places[source];
                    gathered.extend(postings.documents.iter().enumerate().filter_map(|(index, document)| {
                        let place =
                            places.get(document as usize).copied().filter(|&place| place != NOWHERE)?;
                        Some((place, postings.weights.get(index)))
                    }));
                }
                if members.len() > 1 {
                    // Each source gives an ascending run, of which this sort makes use.
                    gathered.sort_by_key(|&(document, _)| document);
                }
                bytes.extend(gathered.iter().flat_map(|(document, _)| document.to_le_bytes()));
                weights.extend(gathered.iter().map(|&(_, weight)| weight));
                starts.push(u32::try_from(weights.len()).unwrap_or(u32::MAX));
            }
        });
        writer.column(Section::PostingStarts, starts.into_iter());
        writer.section(Section::PostingWeights, |bytes| {
            bytes.extend(weights.into_iter().flat_map(u16::to_le_bytes));
        });
    }

    fn write_union(
        &self,
        writer: &mut Writer,
        sections: (Section, Section),
        union: &Union,
        rows: impl Fn(&View<'a>) -> Rows<'a>,
    ) {
        writer.rows(sections, union.rows(), |members, bytes| {
            let (source, row) = members[0];
            bytes.extend_from_slice(rows(&self.sources[source].view).get(row));
        });
    }
}

impl Union {
    /// The union of those rows that are used.
    fn of(sources: &[(Rows<'_>, Vec<bool>)]) -> Self {
        let mut places: Vec<Vec<u32>> = sources.iter().map(|(rows, _)| vec![NOWHERE; rows.len()]).collect();
        let mut cursors = vec![0; sources.len()];
        let (mut members, mut ends): (Vec<(usize, usize)>, Vec<usize>) = (Vec::new(), Vec::new());
        loop {
            let mut smallest: Option<&[u8]> = None;
            let first = members.len();
            for (source, (rows, used)) in sources.iter().enumerate() {
                let cursor: &mut usize = &mut cursors[source];
                *cursor += used[*cursor..].iter().take_while(|is_used| !**is_used).count();
                if *cursor == used.len() {
                    continue;
                }
                let row = rows.get(*cursor);
                if smallest.is_none_or(|smallest| row < smallest) {
                    members.truncate(first);
                    smallest = Some(row);
                }
                if smallest == Some(row) {
                    members.push((source, *cursor));
                }
            }
            if smallest.is_none() {
                return Self { members, ends, places };
            }
            let place = u32::try_from(ends.len()).unwrap_or(NOWHERE);
            for &(source, row) in &members[first..] {
                places[source][row] = place;
                cursors[source] = row + 1;
            }
            ends.push(members.len());
        }
    }

    fn rows(&self) -> impl Iterator<Item = &[(usize, usize)]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.members[start..end])
    }

    fn place(&self, source: usize, row: u32) -> u32 {
        self.places[source].get(row as usize).copied().unwrap_or_default()
    }
}

fn order_documents(sources: &[Source<'_>]) -> Vec<(usize, usize)> {
    let mut cursors = vec![0; sources.len()];
    let mut documents = Vec::with_capacity(sources.iter().map(|source| source.view.documents.len()).sum());
    loop {
        let mut smallest = None;
        for (number, source) in sources.iter().enumerate() {
            let cursor = &mut cursors[number];
            while u32::try_from(*cursor).is_ok_and(|document| source.except.contains(document)) {
                *cursor += 1;
            }
            if *cursor >= source.view.documents.len() {
                continue;
            }
            let key = source.view.documents.key(*cursor);
            if smallest.is_none_or(|(smallest, _)| key < smallest) {
                smallest = Some((key, number));
            }
        }
        let Some((_, source)) = smallest else {
            return documents;
        };
        documents.push((source, cursors[source]));
        cursors[source] += 1;
    }
}

fn kept<'s>(source: &'s Source<'_>) -> impl Iterator<Item = usize> + 's {
    let documents = 0..u32::try_from(source.view.documents.len()).unwrap_or(u32::MAX);
    documents.filter(|&document| !source.except.contains(document)).map(|document| document as usize)
}

fn value_columns<'a>(view: &View<'a>) -> [U32s<'a>; VALUE_SECTIONS.len()] {
    let documents = &view.documents;
    [
        documents.names,
        documents.name_keys,
        documents.stem_keys,
        documents.categories,
        documents.executors,
        documents.versions,
    ]
}

fn used_values(source: &Source<'_>) -> Vec<bool> {
    let mut used = vec![false; source.view.values.len()];
    let columns = value_columns(&source.view);
    for document in kept(source) {
        let own = columns.iter().map(|column| column.get(document));
        for value in own.chain(source.view.documents.tags(document).iter()) {
            if let Some(used) = used.get_mut(value as usize) {
                *used = true;
            }
        }
    }
    used
}

fn words_in_text(source: &Source<'_>) -> Vec<bool> {
    let mut used = vec![false; source.view.dictionary.words.len()];
    for document in kept(source) {
        for token in read_tokens(source.view.documents.streams.get(document)) {
            if let Token::Word(word) | Token::Whole(word) = token
                && let Some(used) = used.get_mut(word as usize)
            {
                *used = true;
            }
        }
    }
    used
}

fn has_posting(source: &Source<'_>, word: usize, places: &[u32]) -> bool {
    let mut documents = source.view.dictionary.postings(word).documents.iter();
    documents.any(|document| places.get(document as usize).is_some_and(|&place| place != NOWHERE))
}
