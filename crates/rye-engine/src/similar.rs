//! Ids that look like one that does not exist.

use rye_item::ItemId;
use strsim::osa_distance;

/// The few ids that are most like `wanted`, the most likely first.
pub(crate) fn similar_ids(wanted: &ItemId, mut ids: Vec<ItemId>) -> Vec<ItemId> {
    const MOST: usize = 3;
    ids.sort_unstable();
    ids.dedup();
    let mut ranked: Vec<_> = ids.into_iter().filter_map(|id| Some((distance(wanted, &id)?, id))).collect();
    ranked.sort();
    ranked.into_iter().take(MOST).map(|(_, id)| id).collect()
}

/// How far an id is from the wanted one; nothing if it is too far to be meant.
fn distance(wanted: &ItemId, id: &ItemId) -> Option<usize> {
    let whole = osa_distance(wanted.as_str(), id.as_str());
    let stem = osa_distance(wanted.stem(), id.stem());
    let near = |distance: usize, text: &str| distance <= text.len() / 4 + 1;
    if near(whole, wanted.as_str()) {
        Some(whole)
    } else if wanted.stem() == id.stem() || (near(stem, wanted.stem()) && wanted.stem().len() > 2) {
        Some(stem + 2)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_wrong_folders_are_found() {
        let check = |wanted: &str, ids: &[&str], expect: &[&str]| {
            let id = |text: &&str| ItemId::new(*text).unwrap();
            let found = similar_ids(&id(&wanted), ids.iter().map(id).collect());
            assert_eq!(found, expect.iter().map(id).collect::<Vec<_>>(), "{wanted}");
        };
        let ids = ["rye/file/read", "rye/file/write", "rye/git/status", "my/read", "x"];
        check("rye/file/raed", &ids, &["rye/file/read", "my/read", "rye/file/write"]);
        check("read", &ids, &["my/read", "rye/file/read"]);
        check("file/status", &ids, &["rye/git/status"]);
        check("zzz", &ids, &[]);
    }
}
