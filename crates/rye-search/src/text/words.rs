//! Cutting text into words.

use super::fold;

/// The longest word that is indexed, in bytes. What is longer is no word but data.
const MAX_WORD: usize = 64;
/// The most parts that are also indexed as one word.
const MAX_JOINED_PARTS: usize = 6;

/// A word as it stands between spaces or slashes: `readFile`, `node.js`, `utf-8`, or just `file`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Compound {
    /// Its parts, folded: `read`, `file`. Never empty.
    pub(crate) parts: Vec<String>,
    /// The parts in one, if there are several: `readfile`.
    pub(crate) whole: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// A character that is a word by itself, as in scripts without spaces.
    Single,
}

/// The words of `text`, in order.
pub(crate) fn compounds(text: &str) -> impl Iterator<Item = Compound> + '_ {
    text.split(|c| !is_inner(c)).filter_map(compound)
}

/// The parts of all words with one space between them: the same for `read_file`, `ReadFile` and `read file`.
pub(crate) fn key_of(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    let mut push = |part: &str| {
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(part);
    };
    for chunk in text.split(|c| !is_inner(c)) {
        match plain_word(chunk) {
            Some(word) => push(word),
            None => compound(chunk).unwrap_or_default().parts.iter().for_each(|part| push(part)),
        }
    }
    key
}

/// The text, if it is a word of one part and in the form in which it is compared.
pub(crate) fn plain_word(text: &str) -> Option<&str> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_plain && !text.is_empty() && text.len() <= MAX_WORD).then_some(text)
}

/// The text folded and without the characters that stand between the parts of a word.
pub(crate) fn squash(text: &str) -> String {
    fold(text).chars().filter(|c| !is_joiner(*c)).collect()
}

fn compound(chunk: &str) -> Option<Compound> {
    if let Some(word) = plain_word(chunk) {
        return Some(Compound { parts: vec![word.to_owned()], whole: None });
    }
    let chunk = ["'s", "’s"].iter().find_map(|genitive| chunk.strip_suffix(genitive)).unwrap_or(chunk);
    let mut parts = Vec::new();
    for piece in chunk.split(is_joiner).filter(|piece| !piece.is_empty()) {
        split_piece(piece, &mut parts);
    }
    let mut parts: Vec<String> = parts.into_iter().map(|part| fold(part).into_owned()).collect();
    parts.retain(|part| !part.is_empty() && part.len() <= MAX_WORD);
    let is_joined = (2..=MAX_JOINED_PARTS).contains(&parts.len());
    let whole = is_joined.then(|| parts.concat()).filter(|whole| whole.len() <= MAX_WORD);
    (!parts.is_empty()).then_some(Compound { parts, whole })
}

/// Cuts at changes of case and between letters and digits, but leaves no single letter alone: `OAuth` and `s3` stay.
fn split_piece<'a>(piece: &'a str, parts: &mut Vec<&'a str>) {
    if piece.bytes().all(|byte| byte.is_ascii_lowercase()) {
        parts.push(piece);
        return;
    }
    let classes: Vec<(usize, Class)> = piece.char_indices().map(|(at, c)| (at, class(c))).collect();
    let mut start = 0;
    for index in 1..classes.len() {
        let (at, current) = classes[index];
        let (_, previous) = classes[index - 1];
        let next = classes.get(index + 1).map(|&(_, class)| class);
        if begins_part(previous, current, next) && !leaves_letter_alone(&classes, start, index) {
            parts.push(&piece[classes[start].0..at]);
            start = index;
        }
    }
    parts.push(&piece[classes[start].0..]);
}

fn begins_part(previous: Class, current: Class, next: Option<Class>) -> bool {
    use Class::{Digit, Lower, Single, Upper};
    match (previous, current) {
        (Upper | Lower, Lower) | (Digit, Digit) => false,
        // The last capital of `HTTPServer` belongs to what follows.
        (Upper, Upper) => next == Some(Lower),
        (Lower, Upper) | (Digit, Lower | Upper) | (Lower | Upper, Digit) | (Single, _) | (_, Single) => true,
    }
}

/// Whether a cut at `index` would leave one letter before it or, at the end or before a digit, after it.
fn leaves_letter_alone(classes: &[(usize, Class)], start: usize, index: usize) -> bool {
    let is_letter = |class: Class| matches!(class, Class::Lower | Class::Upper);
    let class_at = |index: usize| classes.get(index).map(|&(_, class)| class);
    let before = index - start == 1 && class_at(start).is_some_and(is_letter);
    let letter_after = class_at(index).is_some_and(is_letter);
    let after = letter_after && !class_at(index + 1).is_some_and(is_letter);
    before || after
}

fn class(c: char) -> Class {
    if is_single(c) {
        Class::Single
    } else if c.is_numeric() {
        Class::Digit
    } else if c.is_uppercase() {
        Class::Upper
    } else {
        Class::Lower
    }
}

/// Han, Kana and the like, which are written without spaces.
fn is_single(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '_' | '-' | '.' | '\'' | '’')
}

/// Whether a character can stand inside a word. Marks that combine do, or accents would cut words apart.
fn is_inner(c: char) -> bool {
    c.is_alphanumeric()
        || is_joiner(c)
        || (!c.is_ascii() && unicode_normalization::char::is_combining_mark(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let shown: Vec<String> = compounds(text)
            .map(|compound| match &compound.whole {
                Some(whole) => format!("{}={whole}", compound.parts.join("+")),
                None => compound.parts.join("+"),
            })
            .collect();
        assert_eq!(shown, expect, "{text}");
    }

    #[test]
    fn names_are_cut_at_their_joints() {
        check("read_file", &["read+file=readfile"]);
        check("rye/core/python-script", &["rye", "core", "python+script=pythonscript"]);
        check("parseJSON HTTPServer", &["parse+json=parsejson", "http+server=httpserver"]);
        check("node.js utf-8", &["node+js=nodejs", "utf+8=utf8"]);
        check("sha256 ec2", &["sha+256=sha256", "ec+2=ec2"]);
        check("1.2.3", &["1+2+3=123"]);
    }

    #[test]
    fn single_letters_stay_with_their_neighbours() {
        check("OAuth2 eMail iOS", &["oauth+2=oauth2", "email", "ios"]);
        check("s3 k8s i18n x509 h264 3d", &["s3", "k8s", "i18n", "x509", "h264", "3d"]);
    }

    #[test]
    fn prose_is_cut_at_everything_else() {
        check("Reads a file. Then: \"stop\"!", &["reads", "a", "file", "then", "stop"]);
        check("the user's files", &["the", "user", "files"]);
        check("--- ... '' /", &[]);
        check("", &[]);
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_characters() {
        check("数据库", &["数+据+库=数据库"]);
        check("schlüssel Cafe\u{301}", &["schlussel", "cafe"]);
    }

    #[test]
    fn keys_are_the_same_for_all_spellings() {
        for text in ["read_file", "ReadFile", "read file", "Read-File", " read.file "] {
            assert_eq!(key_of(text), "read file");
        }
        assert_eq!(squash("read_F"), "readf");
    }
}
