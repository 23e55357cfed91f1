//! Indexes that somebody else wrote.

use std::ops::Range;
use std::sync::LazyLock;

use rye_item::{ItemId, ItemKind, Space};
use rye_search::{Collection, DocumentSet, Index, IndexBuilder, SearchRequest, Sort};

use super::sample_index;

/// What the layout of the buffer says: where the version and the checksum are, and what is summed.
const VERSION: Range<usize> = 0..12;
const CHECKSUM: Range<usize> = 12..16;

/// How many bytes make one change of the sample index.
const CHANGE: usize = 8;

static SAMPLE: LazyLock<Vec<u8>> = LazyLock::new(sample_index::bytes);

/// The bytes are an index; the same with a true checksum; and a list of changes to an index that is in order.
pub(crate) fn index(bytes: &[u8]) {
    open_and_search(bytes.to_vec());
    if bytes.len() >= CHECKSUM.end {
        open_and_search(sealed(bytes.to_vec()));
    }
    open_and_search(sealed(changed(bytes)));
}

fn open_and_search(bytes: Vec<u8>) {
    let length = bytes.len();
    let index = match Index::open(bytes) {
        Ok(index) => index,
        Err(error) => {
            assert!(!error.kind().to_string().is_empty());
            return;
        }
    };
    assert_eq!(index.as_bytes().len(), length);
    for document in index.documents() {
        let texts = [document.id().len(), document.name().len(), document.tags().map(str::len).sum()];
        assert!(texts.into_iter().all(|text| text <= length));
        let _ = (document.category(), document.executor(), document.version(), document.payload());
        if let Ok(id) = document.item_id() {
            let _ = index.find(document.kind(), &id, document.space());
        }
    }
    let id = ItemId::new("rye/file/read").expect("it is an id");
    let _ = index.find(ItemKind::Tool, &id, Space::System);
    search(&index);
    merge(&index);
}

fn search(index: &Index<Vec<u8>>) {
    let hidden: DocumentSet = [0, 2].into_iter().collect();
    let mut collection = Collection::new();
    collection.add(index, &hidden);
    for (query, sort) in [
        ("", Sort::Id),
        ("read", Sort::Score),
        ("raed OR pyhton", Sort::Score),
        ("\"text file\" -write", Sort::Version),
        ("r* tag:f* category:rye version:1.*", Sort::Name),
        ("kind:tool nothing", Sort::Score),
    ] {
        let request = SearchRequest { sort, ..SearchRequest::new(query) };
        let results = collection.search(&request);
        assert!(results.hits.len() <= request.limit);
        for hit in &results.hits {
            assert!(collection.document(hit.index, hit.document).is_some(), "{hit:?}");
        }
    }
}

/// What is kept of any index makes an index that can be opened.
fn merge(index: &Index<Vec<u8>>) {
    let except: DocumentSet = [1].into_iter().collect();
    let mut builder = IndexBuilder::new();
    builder.keep(index, &except);
    if let Ok(bytes) = builder.finish() {
        let merged = Index::open(bytes).expect("it was just built");
        assert!(merged.len() <= index.len());
    }
}

/// The sample with some bytes written over: where (two bytes), how many (one), and which (five).
fn changed(changes: &[u8]) -> Vec<u8> {
    let mut bytes = SAMPLE.clone();
    for change in changes.chunks_exact(CHANGE) {
        let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len();
        let count = 1 + usize::from(change[2]) % (CHANGE - 3);
        for (byte, new) in bytes[place..].iter_mut().zip(&change[3..3 + count]) {
            *byte = *new;
        }
    }
    bytes
}

/// The bytes as if they had been written so.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes[VERSION].copy_from_slice(&SAMPLE[VERSION]);
    let checksum = crc32fast::hash(&bytes[CHECKSUM.end..]);
    bytes[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_changed_is_an_index() {
        assert_eq!(sealed(changed(&[])), *SAMPLE);
        assert!(Index::open(sealed(SAMPLE.clone())).is_ok());
    }
}
