//! The first few of many, in order.

use std::cmp::Ordering;

/// Keeps the first `limit` of what it is given, in room for a few more.
#[derive(Debug)]
pub(super) struct Top<T, F> {
    kept: Vec<T>,
    limit: usize,
    compare: F,
    /// Whether `kept[limit - 1]` is the last that is kept, and what comes after it need not be looked at.
    is_cut: bool,
}

impl<T, F: Fn(&T, &T) -> Ordering> Top<T, F> {
    pub(super) fn new(limit: usize, compare: F) -> Self {
        Self { kept: Vec::new(), limit, compare, is_cut: false }
    }

    pub(super) fn push(&mut self, item: T) {
        if self.limit == 0
            || (self.is_cut && (self.compare)(&item, &self.kept[self.limit - 1]) == Ordering::Greater)
        {
            return;
        }
        self.kept.push(item);
        // Cutting only now and then makes it cheap for each item.
        if self.kept.len() >= self.limit.saturating_mul(2).max(64) {
            self.cut();
        }
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
