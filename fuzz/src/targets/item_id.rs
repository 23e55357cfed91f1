//! Ids of items.

use std::path::{Component, Path};

use rye_item::{ItemId, ItemKind, ItemRef};

pub(crate) fn item_id(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let json = serde_json::to_string(&text).expect("a text can be written");
    let by_serde = serde_json::from_str::<ItemId>(&json).ok();
    match ItemId::new(text.as_ref()) {
        Ok(id) => {
            assert_eq!(id.as_str(), text);
            assert_eq!(id.to_string().parse(), Ok(id.clone()));
            assert!(Path::new(id.as_str()).components().all(|part| matches!(part, Component::Normal(_))));
            assert_eq!(
                id.parent().map_or(id.stem().to_owned(), |parent| format!("{parent}/{}", id.stem())),
                text
            );
            assert_eq!(id.is_bare(), id.parent().is_none());
            assert_eq!(ItemRef::new(ItemKind::Tool, id.clone()).to_string(), format!("tool:{id}"));
            assert_eq!(by_serde, Some(id));
        }
        Err(error) => {
            let shown = format!("{error}: {}", error.kind());
            assert!(!shown.contains(char::is_control), "{shown:?}");
            assert_eq!(by_serde, None);
        }
    }
}
