//! A document as it stands in an index.

use rye_item::{InvalidId, ItemId, ItemKind, Space};

use super::View;

/// A document of an index, borrowed from its buffer.
#[derive(Debug, Clone, Copy)]
pub struct DocumentView<'a> {
    view: View<'a>,
    number: u32,
}

impl<'a> DocumentView<'a> {
    pub(crate) fn new(view: &View<'a>, number: u32) -> Self {
        Self { view: *view, number }
    }

    /// Its number within its index.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &'a str {
        self.view.documents.ids.text(self.number as usize)
    }

    /// Its id, as what was put in.
    ///
    /// # Errors
    /// If somebody else wrote the index, and the id is none.
    pub fn item_id(&self) -> Result<ItemId, InvalidId> {
        ItemId::new(self.id())
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> ItemKind {
        self.view.documents.place(self.number as usize).kind()
    }

    /// Where it lives.
    #[must_use]
    pub fn space(&self) -> Space {
        self.view.documents.place(self.number as usize).space()
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.view.value(self.view.documents.names.get(self.number as usize))
    }

    /// Its category.
    #[must_use]
    pub fn category(&self) -> Option<&'a str> {
        self.optional(self.view.documents.categories.get(self.number as usize))
    }

    /// Who executes it.
    #[must_use]
    pub fn executor(&self) -> Option<&'a str> {
        self.optional(self.view.documents.executors.get(self.number as usize))
    }

    /// Its version.
    #[must_use]
    pub fn version(&self) -> Option<&'a str> {
        self.optional(self.view.documents.versions.get(self.number as usize))
    }

    /// Its tags.
    pub fn tags(&self) -> impl Iterator<Item = &'a str> {
        let view = self.view;
        view.documents.tags(self.number as usize).iter().map(move |tag| view.value(tag))
    }

    /// The bytes that were put in with it.
    #[must_use]
    pub fn payload(&self) -> &'a [u8] {
        self.view.documents.payloads.get(self.number as usize)
    }

    /// What is not there is kept as an empty text.
    fn optional(&self, value: u32) -> Option<&'a str> {
        Some(self.view.value(value)).filter(|text| !text.is_empty())
    }
}
