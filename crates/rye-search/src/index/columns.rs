//! Arrays inside of a byte buffer. Reading beyond the end gives zero or nothing, never a panic.

/// Numbers of 32 bits, little-endian.
#[derive(Debug, Clone, Copy)]
pub(crate) struct U32s<'a>(&'a [[u8; 4]]);

/// Numbers of 16 bits, little-endian.
#[derive(Debug, Clone, Copy)]
pub(crate) struct U16s<'a>(&'a [[u8; 2]]);

/// Byte strings of different lengths, one after the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    starts: U32s<'a>,
    bytes: &'a [u8],
}

impl<'a> U32s<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes.as_chunks().0)
    }

    pub(crate) fn len(self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(self, index: usize) -> u32 {
        self.at(index).unwrap_or_default()
    }

    pub(crate) fn at(self, index: usize) -> Option<u32> {
        self.0.get(index).map(|&bytes| u32::from_le_bytes(bytes))
    }

    /// The numbers from `start` to `end`.
    pub(crate) fn slice(self, start: usize, end: usize) -> Self {
        Self(self.0.get(start..end).unwrap_or_default())
    }

    pub(crate) fn iter(self) -> impl ExactSizeIterator<Item = u32> + 'a {
        self.0.iter().map(|&bytes| u32::from_le_bytes(bytes))
    }

    /// Whether they are these.
    pub(crate) fn is(self, numbers: &[u32]) -> bool {
        // Without an end at the first that is different, several are compared at a time.
        let different = self.iter().zip(numbers).fold(0, |different, (one, other)| different | (one ^ other));
        self.len() == numbers.len() && different == 0
    }

    /// Whether they ascend from zero to `end`, as the starts of rows do.
    pub(crate) fn are_starts(self, end: usize) -> bool {
        let ascend = self.0.windows(2).all(|pair| u32::from_le_bytes(pair[0]) <= u32::from_le_bytes(pair[1]));
        ascend && self.0.last().is_some_and(|&last| u32::from_le_bytes(last) as usize == end)
    }

    /// Where `number` is, or would be, in ascending numbers.
    pub(crate) fn binary_search(self, number: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&number, |&bytes| u32::from_le_bytes(bytes))
    }
}

impl<'a> U16s<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes.as_chunks().0)
    }

    pub(crate) fn len(self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(self, index: usize) -> u16 {
        self.0.get(index).map_or(0, |&bytes| u16::from_le_bytes(bytes))
    }

    /// The numbers from `start` to `end`.
    pub(crate) fn slice(self, start: usize, end: usize) -> Self {
        Self(self.0.get(start..end).unwrap_or_default())
    }

    pub(crate) fn iter(self) -> impl ExactSizeIterator<Item = u16> + 'a {
        self.0.iter().map(|&bytes| u16::from_le_bytes(bytes))
    }
}

impl<'a> Rows<'a> {
    pub(crate) fn new(starts: &'a [u8], bytes: &'a [u8]) -> Self {
        Self { starts: U32s::new(starts), bytes }
    }

    pub(crate) fn len(self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether the rows lie one after the other and fill their bytes, so that no two share any.
    pub(crate) fn are_disjoint(self) -> bool {
        self.starts.are_starts(self.bytes.len())
    }

    /// How many bytes the rows have in all.
    pub(crate) fn size(self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn get(self, index: usize) -> &'a [u8] {
        let Some(&[start, end]) = self.starts.0.get(index..).and_then(<[_]>::first_chunk) else {
            return &[];
        };
        let range = u32::from_le_bytes(start) as usize..u32::from_le_bytes(end) as usize;
        self.bytes.get(range).unwrap_or_default()
    }

    /// The row as text, which is empty if it is none.
    pub(crate) fn text(self, index: usize) -> &'a str {
        std::str::from_utf8(self.get(index)).unwrap_or_default()
    }

    /// How many rows, of rows in ascending order, come before those for which `is_before` does not hold.
    pub(crate) fn partition_point(self, is_before: impl Fn(&'a [u8]) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(self.get(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Where `row` is in rows in ascending order.
    pub(crate) fn find(self, row: &[u8]) -> Option<usize> {
        let at = self.partition_point(|other| other < row);
        (at < self.len() && self.get(at) == row).then_some(at)
    }

    /// The rows that begin with `prefix`, of rows in ascending order.
    pub(crate) fn with_prefix(self, prefix: &[u8]) -> std::ops::Range<usize> {
        let start = self.partition_point(|row| row < prefix);
        if start == self.len() || !self.get(start).starts_with(prefix) {
            return start..start;
        }
        let end = self.partition_point(|row| row < prefix || row.starts_with(prefix));
        start..end.max(start)
    }
}
