//! How far two words are apart.

/// The longest word that is compared, in characters.
const MAX_LETTERS: usize = 40;

/// The cost of making each beginning of a word from nothing.
const FIRST_ROW: [u8; MAX_LETTERS + 1] = {
    let mut row = [0; MAX_LETTERS + 1];
    let mut column = 0;
    while column < MAX_LETTERS {
        row[column + 1] = row[column] + 1;
        column += 1;
    }
    row
};

/// The characters of a word, and which letters are among them.
#[derive(Debug, Clone)]
pub(crate) struct Letters {
    chars: [char; MAX_LETTERS],
    count: usize,
    signature: u32,
}

impl Letters {
    /// The characters of `word`, unless it is too long to be compared.
    pub(crate) fn of(word: &str) -> Option<Self> {
        let mut found = Self { chars: ['\0'; MAX_LETTERS], count: 0, signature: 0 };
        for letter in word.chars() {
            *found.chars.get_mut(found.count)? = letter;
            found.count += 1;
            found.signature |= bit(letter);
        }
        Some(found)
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// One bit for each letter that occurs. One edit changes two bits at most.
    pub(crate) fn signature(&self) -> u32 {
        self.signature
    }

    /// Whether `word` is not ruled out by its length or by its letters, which is quicker to tell than the distance.
    pub(crate) fn may_be_near(&self, word: &str, limit: usize) -> bool {
        if word.len() > (self.count + limit) * 4
            || (word.is_ascii() && word.len().abs_diff(self.count) > limit)
        {
            return false;
        }
        let signature = word.chars().fold(0, |signature, letter| signature | bit(letter));
        (signature ^ self.signature).count_ones() as usize <= 2 * limit
    }

    fn as_slice(&self) -> &[char] {
        &self.chars[..self.count]
    }
}

fn bit(letter: char) -> u32 {
    1 << (u32::from(letter) % 32)
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two words, if at most `limit`.
pub(crate) fn edit_distance(one: &Letters, other: &Letters, limit: usize) -> Option<usize> {
    if one.count.abs_diff(other.count) > limit
        || (one.signature ^ other.signature).count_ones() as usize > 2 * limit
    {
        return None;
    }
    let (one, other) = (one.as_slice(), other.as_slice());
    // Further from the diagonal than the limit, every path is too long.
    let too_much = u8::try_from(limit).map_or(u8::MAX, |limit| limit.saturating_add(1));
    let mut before_last = [too_much; MAX_LETTERS + 1];
    let mut last = FIRST_ROW;
    for row in 1..=one.len() {
        let mut current = [too_much; MAX_LETTERS + 1];
        let first = row.saturating_sub(limit).max(1);
        if row <= limit {
            current[0] = FIRST_ROW[row];
        }
        let mut best = current[0];
        for column in first..=(row + limit).min(other.len()) {
            let replaced = last[column - 1] + u8::from(one[row - 1] != other[column - 1]);
            let mut cost = replaced.min(last[column] + 1).min(current[column - 1] + 1);
            let is_swap = row > 1
                && column > 1
                && one[row - 1] == other[column - 2]
                && one[row - 2] == other[column - 1];
            if is_swap {
                cost = cost.min(before_last[column - 2] + 1);
            }
            current[column] = cost;
            best = best.min(cost);
        }
        if best >= too_much {
            return None;
        }
        before_last = last;
        last = current;
    }
    Some(usize::from(last[other.len()])).filter(|&distance| distance <= limit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(one: &str, other: &str, expect: Option<usize>) {
        let (one, other) = (Letters::of(one).unwrap(), Letters::of(other).unwrap());
        assert_eq!(edit_distance(&one, &other, 2), expect);
        assert_eq!(edit_distance(&other, &one, 2), expect);
    }

    #[test]
    fn each_slip_counts_once() {
        check("commit", "commit", Some(0));
        check("comit", "commit", Some(1));
        check("commmit", "commit", Some(1));
        check("cimmit", "commit", Some(1));
        check("ocmmit", "commit", Some(1));
        check("kuberentes", "kubernetes", Some(1));
        check("postgers", "postgres", Some(1));
        check("kubernets", "kubernetse", Some(1));
        check("", "ab", Some(2));
        check("abc", "xyz", None);
        check("", "", Some(0));
        assert!(Letters::of(&"x".repeat(41)).is_none());
    }

    /// The distance by its definition.
    fn by_definition(one: &[char], other: &[char]) -> usize {
        let ([rest @ .., last], [other_rest @ .., other_last]) = (one, other) else {
            return one.len().max(other.len());
        };
        let replaced = by_definition(rest, other_rest) + usize::from(last != other_last);
        let shorter = by_definition(rest, other).min(by_definition(one, other_rest)) + 1;
        let mut best = replaced.min(shorter);
        if let ([rest @ .., a, b], [other_rest @ .., c, d]) = (one, other)
            && (a, b) == (d, c)
        {
            best = best.min(by_definition(rest, other_rest) + 1);
        }
        best
    }

    proptest! {
        #[test]
        fn distances_are_what_they_are_defined_to_be(one in "[a-d]{0,6}", other in "[a-d]{0,6}", limit in 0_usize..4) {
            let (letters, other_letters) = (Letters::of(&one).unwrap(), Letters::of(&other).unwrap());
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            let distance = Some(by_definition(&chars(&one), &chars(&other))).filter(|&distance| distance <= limit);
            prop_assert_eq!(edit_distance(&letters, &other_letters, limit), distance);
            prop_assert!(distance.is_none() || letters.may_be_near(&other, limit));
        }

        #[test]
        fn one_edit_is_one_apart(word in "[a-f]{3,12}", at in any::<prop::sample::Index>(), letter in "[a-f]") {
            let mut edited: Vec<char> = word.chars().collect();
            edited[at.index(word.len())] = letter.chars().next().unwrap();
            let edited: String = edited.into_iter().collect();
            let distance = edit_distance(&Letters::of(&word).unwrap(), &Letters::of(&edited).unwrap(), 1);
            prop_assert_eq!(distance, Some(usize::from(word != edited)));
        }
    }
}
