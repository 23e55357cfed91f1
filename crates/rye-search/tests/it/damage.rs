//! A buffer that is not what was written is an error, and nothing worse.

use proptest::prelude::*;
use rye_search::{Collection, Index, IndexBuilder, OpenIndexErrorKind, SearchRequest};

use crate::corpus::{NONE, build, documents, query};

/// Does everything that can be done with an index.
fn use_all(bytes: &[u8], query: &str) {
    let Ok(index) = Index::open(bytes) else {
        return;
    };
    for document in index.documents() {
        let _ = (document.id(), document.item_id(), document.kind(), document.space(), document.name());
        let _ = (document.category(), document.executor(), document.version(), document.payload());
        assert!(document.tags().count() <= bytes.len());
    }
    let mut collection = Collection::new();
    collection.add(&index, &NONE);
    let _ = collection.search(&SearchRequest::new(query));
    let mut builder = IndexBuilder::new();
    builder.keep(&index, &NONE);
    let _ = builder.finish();
}

/// Makes the checksum right again, as somebody would who means harm.
fn forge(bytes: &mut [u8]) {
    if bytes.len() > 16 {
        let checksum = crc32fast::hash(&bytes[16..]);
        bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
    }
}

#[test]
fn other_files_are_told_apart() {
    let kind = |bytes: &[u8]| Index::open(bytes.to_vec()).map(drop).map_err(|error| error.kind().clone());
    let bytes = build(&[]);
    assert_eq!(kind(&bytes), Ok(()));
    assert_eq!(kind(b""), Err(OpenIndexErrorKind::NotAnIndex));
    assert_eq!(kind(b"something else"), Err(OpenIndexErrorKind::NotAnIndex));
    let mut newer = bytes.clone();
    newer[8] = 200;
    assert_eq!(kind(&newer), Err(OpenIndexErrorKind::OtherVersion { found: 200 }));
    assert_eq!(kind(&bytes[..bytes.len() - 1]), Err(OpenIndexErrorKind::Damaged));
    let mut forged = bytes.clone();
    forged[16] = 255;
    forged[23] = 255;
    forge(&mut forged);
    assert_eq!(kind(&forged), Err(OpenIndexErrorKind::Inconsistent));
}

proptest! {
    #[test]
    fn a_flipped_bit_is_found(documents in documents(1..6), at: prop::sample::Index, bit in 0_u8..8) {
        let mut bytes = build(&documents);
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        prop_assert!(Index::open(bytes).is_err());
    }

    #[test]
    fn a_lost_end_is_found(documents in documents(1..6), end: prop::sample::Index) {
        let bytes = build(&documents);
        let end = end.index(bytes.len());
        prop_assert!(Index::open(&bytes[..end]).is_err());
    }

    #[test]
    fn random_bytes_do_no_harm(bytes: Vec<u8>, query in query()) {
        use_all(&bytes, &query);
    }

    #[test]
    fn a_forged_index_does_no_harm(
        documents in documents(1..10),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        query in query(),
    ) {
        let mut bytes = build(&documents);
        for (at, value) in changes {
            let at = at.index(bytes.len() - 16) + 16;
            bytes[at] = value;
        }
        forge(&mut bytes);
        use_all(&bytes, &query);
    }

    #[test]
    fn a_forged_body_does_no_harm(
        documents in documents(1..10),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..60),
        query in query(),
    ) {
        // The table of sections stays right, so that what is in the sections is read.
        let mut bytes = build(&documents);
        for (at, value) in changes {
            let at = at.index(bytes.len() - 600) + 600;
            bytes[at] = value;
        }
        forge(&mut bytes);
        use_all(&bytes, &query);
    }
}
