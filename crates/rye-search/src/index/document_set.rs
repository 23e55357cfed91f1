//! A set of documents of one index.

/// Numbers of documents, such as those that are out of date.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentSet {
    words: Vec<u64>,
    count: usize,
}

impl DocumentSet {
    /// The empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self { words: Vec::new(), count: 0 }
    }

    /// Adds a document. Tells whether it was not there before.
    pub fn insert(&mut self, document: u32) -> bool {
        let (word, bit) = place(document);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.count += usize::from(is_new);
        is_new
    }

    /// Whether a document is in the set.
    #[must_use]
    pub fn contains(&self, document: u32) -> bool {
        let (word, bit) = place(document);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The documents in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().zip(0_u32..).flat_map(|(&word, position)| {
            (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| position * 64 + bit)
        })
    }
}

impl FromIterator<u32> for DocumentSet {
    fn from_iter<I: IntoIterator<Item = u32>>(documents: I) -> Self {
        let mut set = Self::new();
        for document in documents {
            set.insert(document);
        }
        set
    }
}

fn place(document: u32) -> (usize, u64) {
    ((document / 64) as usize, 1 << (document % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_kept_in_order() {
        let set: DocumentSet = [200, 3, 64, 3].into_iter().collect();
        assert_eq!((set.iter().collect::<Vec<_>>(), set.len()), (vec![3, 64, 200], 3));
        assert!(set.contains(64) && !set.contains(65) && !set.contains(u32::MAX));
        assert!(DocumentSet::new().is_empty());
    }
}
