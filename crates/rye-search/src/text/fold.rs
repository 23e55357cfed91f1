//! One spelling for what differs only in case, width or accents.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The text in lower case, with compatibility forms resolved and accents taken off.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        return Cow::Owned(
            text.nfkd().filter(|&c| !is_combining_mark(c)).flat_map(char::to_lowercase).collect(),
        );
    }
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    Cow::Borrowed(text)
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn case_width_and_accents_are_one() {
        for (text, expect) in [
            ("plain", "plain"),
            ("HTTP", "http"),
            ("Größe", "große"),
            ("Café", "cafe"),
            ("ｗｉｄｅ", "wide"),
            ("ﬁle", "file"),
        ] {
            assert_eq!(fold(text), expect);
        }
        assert_eq!(fold("Cafe\u{301}"), fold("CAFÉ"));
    }
}
