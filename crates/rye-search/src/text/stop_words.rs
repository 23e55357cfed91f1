//! Words that say nothing about what is sought.

/// Sorted, so that it can be searched.
const STOP_WORDS: [&str; 34] = [
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "for", "from", "how", "i",
    "in", "into", "is", "it", "my", "of", "on", "or", "some", "that", "the", "this", "to", "want", "what",
    "which", "with", "your",
];

/// Whether a folded word may be missing from what is found, as long as another word of the query is there.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && is_stop_word("a") && is_stop_word("your") && !is_stop_word("file"));
    }
}
