//! Many threads search while files change.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use rye_engine::{Lifetime, LoadRequest};
use rye_item::ItemKind;

use crate::tree::{Tree, everything, ids, tool};

#[test]
fn what_does_not_change_is_always_found() {
    let tree = Tree::new();
    let mut stable = Vec::new();
    for number in 0..20 {
        tree.write(&format!("project/.ai/tools/stable/t{number:02}.sh"), tool("Plays the oboe"));
        stable.push(format!("stable/t{number:02}"));
    }
    let engine = tree.engine_with_cache(Lifetime::Long);
    let (done, searches) = (AtomicBool::new(false), AtomicUsize::new(0));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    assert_eq!(ids(&engine, "oboe"), stable);
                    let (kind, id) = (ItemKind::Tool, "stable/t07".to_owned());
                    let loaded = engine.load(&LoadRequest { kind, id, from: None, to: None }).unwrap();
                    assert_eq!(loaded.item.metadata.description.as_deref(), Some("Plays the oboe"));
                    searches.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for number in 0..150 {
            let name = format!("project/.ai/tools/f{}/v{}.sh", number % 3, number % 7);
            tree.write(&name, tool(&format!("viol{number}")));
            // Whoever has made a change sees it, whatever the others do.
            assert_eq!(ids(&engine, &format!("viol{number}")), [format!("f{}/v{}", number % 3, number % 7)]);
            match number % 5 {
                0 => fs::remove_file(tree.path(&name)).unwrap(),
                1 => fs::remove_dir_all(tree.path(format!("project/.ai/tools/f{}", number % 3))).unwrap(),
                _ => {}
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(everything(&engine), everything(&tree.engine(Lifetime::Short)));
    eprintln!("{} searches beside 150 changes: {:?}", searches.into_inner(), start.elapsed());
}
