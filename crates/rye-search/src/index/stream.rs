//! The words of a document in order, for phrases and for building an index from another one.
//!
//! Each word is a number of seven bits to the byte, lowest first: 0 between two texts, else one more than twice the
//! word's number, and one more again if it is a compound as a whole and so has no position of its own.

/// What stands in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    /// A word of the text.
    Word(u32),
    /// The parts before it, as one word.
    Whole(u32),
    /// The end of a text.
    Gap,
}

pub(crate) fn write_token(token: Token, stream: &mut Vec<u8>) {
    let mut code = match token {
        Token::Gap => 0,
        Token::Word(word) => u64::from(word) * 2 + 1,
        Token::Whole(word) => u64::from(word) * 2 + 2,
    };
    loop {
        let [low, ..] = (code & 0x7f).to_le_bytes();
        code >>= 7;
        if code == 0 {
            stream.push(low);
            return;
        }
        stream.push(low | 0x80);
    }
}

/// The tokens of a stream, up to its end or to what cannot be one.
pub(crate) fn read_tokens(stream: &[u8]) -> impl Iterator<Item = Token> + '_ {
    let mut bytes = stream.iter();
    std::iter::from_fn(move || {
        let mut code = 0_u64;
        for shift in (0..35).step_by(7) {
            let &byte = bytes.next()?;
            code |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return match code.checked_sub(1) {
                    None => Some(Token::Gap),
                    Some(code) => {
                        let word = u32::try_from(code / 2).ok()?;
                        Some(if code % 2 == 0 { Token::Word(word) } else { Token::Whole(word) })
                    }
                };
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn streams_round_trip(tokens in prop::collection::vec(prop_oneof![
            any::<u32>().prop_map(Token::Word), any::<u32>().prop_map(Token::Whole), Just(Token::Gap)
        ], 0..20)) {
            let mut stream = Vec::new();
            for &token in &tokens {
                write_token(token, &mut stream);
            }
            prop_assert_eq!(read_tokens(&stream).collect::<Vec<_>>(), tokens);
        }

        #[test]
        fn any_bytes_end(bytes in any::<Vec<u8>>()) {
            prop_assert!(read_tokens(&bytes).count() <= bytes.len());
        }
    }
}
