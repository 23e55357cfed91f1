//! What holds for the metadata of any file.

use rye_metadata::{ExtractError, ExtractErrorKind, Extraction, Extractor, ItemPath, Position};

/// Extracts the metadata of `bytes`, and checks what does not depend on the language.
pub(super) fn check(extractor: &Extractor, path: &str, bytes: &[u8]) -> Result<Extraction, ExtractError> {
    let extract = |bytes: &[u8]| extractor.extract(ItemPath::new(path), bytes);
    let result = extract(bytes);
    match &result {
        Ok(extraction) => check_extraction(extraction, bytes),
        Err(error) => check_error(error, bytes),
    }
    // How a file is stored says nothing about it. Doing this again also shows that the result is always the same.
    if !bytes.starts_with(b"\xef\xbb\xbf") && !bytes.contains(&b'\r') {
        assert_eq!(extract(&stored_elsewhere(bytes)), result, "with a byte order mark and CRLF");
    }
    result
}

fn check_extraction(extraction: &Extraction, bytes: &[u8]) {
    let json = serde_json::to_string(&extraction.metadata).expect("metadata can be written as JSON");
    let value: serde_json::Value = serde_json::from_str(&json).expect("what was written can be read");
    assert_eq!(value.to_string(), json);
    for problem in &extraction.problems {
        assert!(!problem.message.is_empty(), "{problem:?}");
        check_position(problem.position, bytes);
    }
}

fn check_error(error: &ExtractError, bytes: &[u8]) {
    assert!(!error.kind.to_string().is_empty());
    match &error.kind {
        ExtractErrorKind::NotUtf8 { position } | ExtractErrorKind::Nul { position } => {
            check_position(Some(*position), bytes);
        }
        ExtractErrorKind::Syntax { position, .. } | ExtractErrorKind::TooComplex { position, .. } => {
            check_position(*position, bytes);
        }
        _ => {}
    }
}

/// A place is in the text, or right behind it.
fn check_position(position: Option<Position>, bytes: &[u8]) {
    let Some(Position { line, column }) = position else { return };
    let ends = bytes.iter().filter(|&&byte| byte == b'\n' || byte == b'\r').count();
    assert!((1..=ends + 1).contains(&(line as usize)), "line {line} of {}", ends + 1);
    assert!((1..=bytes.len() + 1).contains(&(column as usize)), "column {column} in {} bytes", bytes.len());
}

fn stored_elsewhere(bytes: &[u8]) -> Vec<u8> {
    let lines: Vec<_> = bytes.split(|&byte| byte == b'\n').collect();
    [&b"\xef\xbb\xbf"[..], &lines.join(&b"\r\n"[..])].concat()
}
