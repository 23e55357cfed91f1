//! Numbers for texts, in the order in which they are first seen.

use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Interner {
    numbers: HashMap<Box<str>, u32>,
}

impl Interner {
    pub(super) fn get(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// The number of `text`, a new one if it has none yet.
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        if let Some(number) = self.get(text) {
            return number;
        }
        let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(text.into(), number);
        number
    }

    /// The texts in ascending order, and for each number the place of its text in them.
    pub(super) fn sorted(&self) -> (Vec<(&str, u32)>, Vec<u32>) {
        let mut texts: Vec<(&str, u32)> =
            self.numbers.iter().map(|(text, &number)| (&**text, number)).collect();
        texts.sort_unstable();
        let mut places = vec![0; texts.len()];
        for (place, &(_, number)) in (0..).zip(&texts) {
            places[number as usize] = place;
        }
        (texts, places)
    }
}
