//! Inputs that are made to hurt whoever reads them, too large to be kept in files.

use std::fmt::Write as _;

use crate::corpus::Seed;

/// How long the long ones are.
const LENGTH: usize = 64 * 1024;

/// What is nested, or tempts a parser to recurse or to go back, when it is repeated.
const REPEATED: [&str; 40] = [
    "[", "(", "{", "]", ")", "}", "<", "\"", "'", "`", "\\", "-", "- ", ": ", "? ", "a: ", "&a ", "*a ", "!",
    "#", "> ", "* ", "a.", "a<", "a=>", "${", "{a:", "{\"a\":", "[[", "!x ", "-(", "NOT ", "tag:(", "not ",
    "lambda:", "if a:\n ", "f'{", "\n", "a ", "é",
];

/// What is opened and closed again.
const NESTED: [(&str, &str); 8] = [
    ("[", "]"),
    ("(", ")"),
    ("{", "}"),
    ("{\"a\":", "}"),
    ("{a: ", "}"),
    ("x = [", "]"),
    ("/*", "*/"),
    ("NOT (", ")"),
];

/// Inputs for every target.
#[must_use]
pub fn inputs() -> Vec<Seed> {
    let repeated = REPEATED.map(|part| (format!("64 KB of {part:?}"), part.repeat(LENGTH / part.len())));
    let nested = NESTED.map(|(open, close)| {
        let depth = LENGTH / (open.len() + close.len());
        (format!("deep {open:?}"), format!("{}1{}", open.repeat(depth), close.repeat(depth)))
    });
    let texts = repeated.into_iter().chain(nested).map(|(name, text)| (name, text.into_bytes()));
    let plain: [(&str, &[u8]); 8] = [
        ("nothing", b""),
        ("a byte order mark", b"\xef\xbb\xbf"),
        ("two byte order marks", b"\xef\xbb\xbf\xef\xbb\xbfa: 1\n"),
        ("line ends of all kinds", b"a: 1\r\nb: 2\rc: 3\n\r\n"),
        ("a NUL", b"a: \0\n"),
        ("a byte that is never UTF-8", b"a: \xff\n"),
        ("a character that is cut off", b"a: \xf0\x9f\x92"),
        ("half of a surrogate pair", b"\"\xed\xa0\x80 \\ud800\""),
    ];
    let plain = plain.map(|(name, bytes)| (name.to_owned(), bytes.to_vec()));
    let bombs = [("a bomb of aliases", alias_bomb()), ("many keys", many_keys())]
        .map(|(name, text)| (name.to_owned(), text));
    texts.chain(plain).chain(bombs).map(|(name, bytes)| Seed { name, bytes }).collect()
}

/// A few lines of YAML that stand for nine to the power of twelve values.
fn alias_bomb() -> Vec<u8> {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let aliases = format!("*a{}, ", level - 1).repeat(9);
        let _ = writeln!(text, "a{level}: &a{level} [{aliases}]");
    }
    text.into_bytes()
}

fn many_keys() -> Vec<u8> {
    let mut text = String::new();
    for number in 0..4_000 {
        let _ = writeln!(text, "key{number}: {number}");
    }
    text.into_bytes()
}
