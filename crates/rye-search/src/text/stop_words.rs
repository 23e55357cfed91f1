//! Words that say nothing about what is sought.

/// Sorted, so that it can be searched.
const STOP_WORDS: [&str; 34] = [
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "for", "from", "how", "i",
    "in", "into", "is", "it", "my", "of", "on", "or", "some", "that", "the", "this", "to", "want", "what",
    "which", "with", "your",
];

/// How long the longest of them is, in bytes.
const LONGEST: usize = 5;

/// Whether a folded word may be missing from what is found, as long as another word of the query is there.
pub(crate) fn is_stop_word(word: &str) -> bool {
    word.len() <= LONGEST && STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert_eq!(STOP_WORDS.iter().map(|word| word.len()).max(), Some(LONGEST));
        assert!(is_stop_word("the") && is_stop_word("a") && is_stop_word("your") && !is_stop_word("file"));
    }
}
