//! What is put into an index.

use rye_item::{ItemId, ItemKind, Space};

/// An item as it is searched for.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The id. Its parts are searched as words, too.
    pub id: ItemId,
    /// The kind.
    pub kind: ItemKind,
    /// Where the item lives.
    pub space: Space,
    /// What the item is called; often the last part of its id.
    pub name: String,
    /// The category, a path as `rye/core`.
    pub category: Option<String>,
    /// Who executes it.
    pub executor: Option<String>,
    /// The version.
    pub version: Option<String>,
    /// The tags.
    pub tags: Vec<String>,
    /// The texts that are searched, and how much a word in each of them counts.
    ///
    /// The id, the name, the tags and the category are searched with [default weights](WeightedText::DEFAULTS), each
    /// unless there is a text here for a field of that name.
    pub fields: Vec<WeightedText>,
    /// Bytes that are kept with the document and given back with it.
    pub payload: Vec<u8>,
}

/// A text, and how much a word in it counts.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedText {
    /// What the text is: `description`, `name` and so on. It is not searched.
    pub field: String,
    /// The text.
    pub text: String,
    /// How many plain occurrences one occurrence in this text is worth, from 0 to [`WeightedText::MAX_WEIGHT`].
    pub weight: f32,
}

impl Document {
    /// A document that has nothing but what every item has. Its name is the last part of its id.
    #[must_use]
    pub fn new(kind: ItemKind, space: Space, id: ItemId) -> Self {
        let name = id.stem().to_owned();
        let (category, executor, version) = (None, None, None);
        let (tags, fields, payload) = (Vec::new(), Vec::new(), Vec::new());
        Self { id, kind, space, name, category, executor, version, tags, fields, payload }
    }

    /// Every text that is searched, with its weight in [units](UNITS_PER_WEIGHT).
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, u16)> {
        let own = WeightedText::DEFAULTS
            .into_iter()
            .filter(|(field, _)| self.fields.iter().all(|f| f.field != *field));
        let own = own.flat_map(|(field, weight)| {
            let texts: Vec<&str> = match field {
                "id" => vec![self.id.as_str()],
                "name" => vec![&self.name],
                "tags" => self.tags.iter().map(String::as_str).collect(),
                _ => self.category.as_deref().into_iter().collect(),
            };
            texts.into_iter().map(move |text| (text, units(weight)))
        });
        own.chain(self.fields.iter().map(|field| (field.text.as_str(), units(field.weight))))
    }
}

impl WeightedText {
    /// The most that a word can count.
    pub const MAX_WEIGHT: f32 = 255.0;

    /// What is searched in any case, and how much a word in it counts.
    pub const DEFAULTS: [(&'static str, f32); 4] =
        [("id", 2.0), ("name", 4.0), ("tags", 2.5), ("category", 1.0)];

    /// A text with its weight.
    #[must_use]
    pub fn new(field: impl Into<String>, text: impl Into<String>, weight: f32) -> Self {
        Self { field: field.into(), text: text.into(), weight }
    }
}

/// Weights are kept as whole numbers of this fraction, so that sums do not depend on their order.
pub(crate) const UNITS_PER_WEIGHT: f32 = 16.0;

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is between 0 and 4080, or not a number"
)]
fn units(weight: f32) -> u16 {
    (weight.clamp(0.0, WeightedText::MAX_WEIGHT) * UNITS_PER_WEIGHT).round() as u16
}
