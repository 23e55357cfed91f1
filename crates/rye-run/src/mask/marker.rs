//! What is shown in place of a secret.

/// How often the character of the marker is repeated.
const REPETITIONS: usize = 3;

/// A text in place of a secret, made of a character that no form of any secret has.
///
/// Otherwise the marker, together with what stands beside it, could spell a secret: with `***` for a marker and a
/// secret `***password`, masking another secret in front of `password` would make that one appear.
pub(super) fn marker(forms: &[&[u8]]) -> String {
    let is_free = |character: &char| {
        let mut bytes = [0; 4];
        let bytes = character.encode_utf8(&mut bytes).as_bytes();
        !forms.iter().any(|form| form.windows(bytes.len()).any(|window| window == bytes))
    };
    let candidates = "*#•█".chars().chain('\u{2500}'..=char::MAX);
    let character = candidates.into_iter().find(is_free).unwrap_or('*');
    std::iter::repeat_n(character, REPETITIONS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_shares_no_character_with_a_secret() {
        for (forms, expect) in [
            (&[][..], "***"),
            (&["password"][..], "***"),
            (&["pass*word", "other"][..], "###"),
            (&["*#", "•"][..], "███"),
            (&["*#•█"][..], "───"),
        ] {
            let bytes: Vec<_> = forms.iter().map(|form| form.as_bytes()).collect();
            assert_eq!(marker(&bytes), expect, "{forms:?}");
        }
    }
}
