//! The ways in which a secret may be spelled in an output.

use std::fmt::Write as _;

use base64ct::{Base64Unpadded, Base64UrlUnpadded, Encoding};
use zeroize::Zeroizing;

/// One way to spell a secret.
pub(super) struct Form {
    bytes: Zeroizing<Vec<u8>>,
    /// For each beginning of the form, how long a shorter beginning it ends with.
    borders: Vec<usize>,
}

/// All ways to spell a secret, without repetition.
pub(super) fn forms(secret: &str) -> Vec<Form> {
    let mut spellings = vec![
        Zeroizing::new(secret.to_owned()),
        json(secret, NonAscii::Kept),
        json(secret, NonAscii::Escaped),
        percent(secret),
    ];
    for preceding in 0..3 {
        spellings.push(base64::<Base64Unpadded>(secret, preceding));
        spellings.push(base64::<Base64UrlUnpadded>(secret, preceding));
    }
    spellings.sort_unstable_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
    spellings.dedup();
    spellings.into_iter().map(|spelling| Form::new(spelling.as_bytes())).collect()
}

impl Form {
    fn new(bytes: &[u8]) -> Self {
        let mut form =
            Self { bytes: Zeroizing::new(bytes.to_vec()), borders: Vec::with_capacity(bytes.len()) };
        let mut matched = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            matched = if at == 0 { 0 } else { form.step(matched, byte) };
            form.borders.push(matched);
        }
        form
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many bytes at the end of `output` are a beginning of this form, though not all of it.
    pub(super) fn begun_by(&self, output: &[u8]) -> usize {
        let longest = self.bytes.len() - 1;
        let tail = &output[output.len().saturating_sub(longest)..];
        tail.iter().fold(0, |matched, &byte| self.step(matched, byte))
    }

    /// How many bytes of the form are matched after one more byte, if `matched` were before it.
    fn step(&self, mut matched: usize, byte: u8) -> usize {
        while matched > 0 && self.bytes[matched] != byte {
            matched = self.borders[matched - 1];
        }
        matched + usize::from(self.bytes[matched] == byte)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NonAscii {
    Kept,
    Escaped,
}

/// The inside of a JSON string.
fn json(secret: &str, non_ascii: NonAscii) -> Zeroizing<String> {
    // No byte takes more than six, so the buffer never grows and leaves no copies behind.
    let mut text = Zeroizing::new(String::with_capacity(6 * secret.len()));
    for character in secret.chars() {
        let escaped = match character {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            _ => "",
        };
        if !escaped.is_empty() {
            text.push_str(escaped);
        } else if character < ' ' || (non_ascii == NonAscii::Escaped && !character.is_ascii()) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(*text, "\\u{unit:04x}");
            }
        } else {
            text.push(character);
        }
    }
    text
}

fn percent(secret: &str) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(3 * secret.len()));
    for byte in secret.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(*text, "%{byte:02X}");
        }
    }
    text
}

/// The characters that the secret alone decides, when `preceding` bytes stand before it in its group of three.
fn base64<E: Encoding>(secret: &str, preceding: usize) -> Zeroizing<String> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(preceding + secret.len()));
    bytes.resize(preceding, 0);
    bytes.extend_from_slice(secret.as_bytes());
    let text = Zeroizing::new(E::encode_string(&bytes));
    // A character holds six bits of the eight that a byte has.
    let first = (8 * preceding).div_ceil(6);
    let end = 8 * bytes.len() / 6;
    Zeroizing::new(text[first..end].to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spellings(secret: &str) -> Vec<String> {
        forms(secret).iter().map(|form| String::from_utf8(form.bytes().to_vec()).unwrap()).collect()
    }

    #[test]
    fn a_plain_secret_has_itself_and_three_places_in_base64() {
        assert_eq!(
            spellings("password"),
            ["Bhc3N3b3Jk", "cGFzc3dvcm", "password", "wYXNzd29yZ"].map(String::from)
        );
    }

    #[test]
    fn what_json_and_urls_escape_is_known() {
        let all = spellings("a\"b\\c\n\u{1b}ü😀/+");
        for expect in [
            r#"a\"b\\c\n\u001bü😀/+"#,
            r#"a\"b\\c\n\u001b\u00fc\ud83d\ude00/+"#,
            "a%22b%5Cc%0A%1B%C3%BC%F0%9F%98%80%2F%2B",
        ] {
            assert!(all.iter().any(|form| form == expect), "{expect} is not in {all:?}");
        }
    }

    proptest! {
        #[test]
        fn json_is_escaped_as_serde_json_does(secret in any::<String>()) {
            let expect = serde_json::to_string(&secret).unwrap();
            prop_assert_eq!(format!("\"{}\"", *json(&secret, NonAscii::Kept)), expect);
        }

        #[test]
        fn escaped_json_says_the_same(secret in any::<String>()) {
            let text = json(&secret, NonAscii::Escaped);
            prop_assert!(text.is_ascii());
            prop_assert_eq!(serde_json::from_str::<String>(&format!("\"{}\"", *text)).unwrap(), secret);
        }

        #[test]
        fn base64_is_found_in_the_middle_of_anything(
            secret in ".{8,20}", before in any::<Vec<u8>>(), after in any::<Vec<u8>>()
        ) {
            let all = [before, secret.clone().into_bytes(), after].concat();
            for text in [Base64Unpadded::encode_string(&all), Base64UrlUnpadded::encode_string(&all)] {
                prop_assert!(spellings(&secret).iter().any(|form| form.len() >= 10 && text.contains(form)));
            }
        }

        #[test]
        fn the_longest_beginning_at_the_end_is_found(form in "[ab]{1,8}", output in "[ab]{0,20}") {
            let expect = (0..form.len()).rev().find(|&count| output.ends_with(&form[..count]));
            prop_assert_eq!(Some(Form::new(form.as_bytes()).begun_by(output.as_bytes())), expect);
        }
    }
}
