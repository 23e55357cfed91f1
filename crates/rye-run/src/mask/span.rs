//! Stretches of output that belong to secrets.

/// A stretch of bytes, from `start` up to but not including `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Adds a span to a list in which none touch, and which is in order. No span in it ends behind the new one.
pub(super) fn merge(spans: &mut Vec<Span>, mut new: Span) {
    while let Some(last) = spans.pop_if(|last| last.end >= new.start) {
        new.start = new.start.min(last.start);
    }
    spans.push(new);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_that_overlap_or_touch_become_one() {
        let check = |found: &[(usize, usize)], expect: &[(usize, usize)]| {
            let mut spans = Vec::new();
            for &(start, end) in found {
                merge(&mut spans, Span { start, end });
            }
            let spans: Vec<_> = spans.iter().map(|span| (span.start, span.end)).collect();
            assert_eq!(spans, expect, "{found:?}");
        };
        check(&[], &[]);
        check(&[(1, 3), (5, 7)], &[(1, 3), (5, 7)]);
        check(&[(1, 3), (3, 7)], &[(1, 7)]);
        check(&[(1, 5), (3, 7)], &[(1, 7)]);
        check(&[(1, 3), (5, 7), (2, 8)], &[(1, 8)]);
        check(&[(1, 3), (5, 7), (4, 7)], &[(1, 3), (4, 7)]);
    }
}
