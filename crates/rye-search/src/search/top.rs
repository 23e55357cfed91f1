//! The first few of many, in order.

use std::cmp::Ordering;

/// Keeps the first `limit` of what it is given: a few in order, and many in room for twice as many.
#[derive(Debug)]
pub(super) struct Top<T, F> {
    kept: Vec<T>,
    limit: usize,
    compare: F,
    /// Whether `kept[limit - 1]` is the last that is kept, and what comes after it need not be looked at.
    is_cut: bool,
}

/// How many are a few.
const FEW: usize = 32;
/// For how many there is room before they are there.
const MAX_ROOM_AT_ONCE: usize = 64;

impl<T, F: Fn(&T, &T) -> Ordering> Top<T, F> {
    pub(super) fn new(limit: usize, compare: F) -> Self {
        let kept = Vec::with_capacity(limit.saturating_mul(2).min(MAX_ROOM_AT_ONCE));
        Self { kept, limit, compare, is_cut: false }
    }

    pub(super) fn push(&mut self, item: T) {
        let is_before = |last| (self.compare)(&item, last) == Ordering::Less;
        if self.limit == 0 || !self.last().is_none_or(is_before) {
            return;
        }
        if self.limit <= FEW {
            let at = self.kept.partition_point(|kept| (self.compare)(kept, &item) != Ordering::Greater);
            self.kept.insert(at, item);
            self.kept.truncate(self.limit);
            self.is_cut = self.kept.len() == self.limit;
            return;
        }
        self.kept.push(item);
        // Cutting only now and then makes it cheap for each item.
        if self.kept.len() >= self.limit.saturating_mul(2) {
            self.cut();
        }
    }

    /// The last of those that are kept, once what comes after it is not.
    #[inline]
    pub(super) fn last(&self) -> Option<&T> {
        self.kept.get(self.limit.wrapping_sub(1)).filter(|_| self.is_cut)
    }

    fn cut(&mut self) {
        if self.kept.len() >= self.limit {
            self.kept.select_nth_unstable_by(self.limit - 1, &self.compare);
            self.kept.truncate(self.limit);
            self.is_cut = true;
        }
    }

    /// What was kept, in order.
    pub(super) fn into_sorted(mut self) -> Vec<T> {
        self.kept.sort_unstable_by(&self.compare);
        self.kept.truncate(self.limit);
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_beginning_of_all_in_order(numbers in prop::collection::vec(0_u32..50, 0..500), limit in 0_usize..90) {
            let mut top = Top::new(limit, u32::cmp);
            for &number in &numbers {
                top.push(number);
            }
            let mut expect = numbers;
            expect.sort_unstable();
            expect.truncate(limit);
            prop_assert_eq!(top.into_sorted(), expect);
        }
    }
}
