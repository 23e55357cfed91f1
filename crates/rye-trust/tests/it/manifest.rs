//! What a manifest lists.

use lillux::Digest;
use rye_item::{ItemKind, Space};
use rye_trust::{DependencyRules, Manifest, ManifestChanges, ManifestError, NameCollision};

use crate::world::{World, rules};

fn paths(manifest: &Manifest) -> Vec<&str> {
    manifest.files().keys().map(String::as_str).collect()
}

fn texts(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|&path| path.to_owned()).collect()
}

#[test]
fn it_lists_what_the_rules_name_and_nobody_has_signed() {
    let world = World::with_anchor();
    world.write("pkg/x.txt", "");
    world.write("pkg/__pycache__/y.py", "");
    world.write("pkg/sub/.rye-manifest.json", "{}");
    std::os::unix::fs::symlink("lib/a.py", world.tools("pkg/link.py")).unwrap();
    let draft = world.build_manifest("pkg", None);
    assert_eq!(paths(&draft.manifest), ["data.json", "lib/a.py"]);
    assert_eq!(draft.manifest.files()["lib/a.py"], Digest::of(b"good = 1\n"));
    assert_eq!(draft.changes.added, ["data.json", "lib/a.py"]);
    let left_out: Vec<_> = draft.left_out.iter().map(|left_out| &*left_out.path).collect();
    assert_eq!(left_out, ["__pycache__", "link.py"]);
}

#[test]
fn it_says_what_has_changed() {
    let world = World::with_anchor();
    let before = world.build_manifest("pkg", None).manifest;
    assert!(world.build_manifest("pkg", Some(&before)).changes.is_empty());
    world.write("pkg/new.py", "");
    world.write("pkg/lib/a.py", "other");
    std::fs::remove_file(world.tools("pkg/data.json")).unwrap();
    let draft = world.build_manifest("pkg", Some(&before));
    let expect = ManifestChanges {
        added: texts(&["new.py"]),
        changed: texts(&["lib/a.py"]),
        gone: texts(&["data.json"]),
    };
    assert_eq!(draft.changes, expect);
    world.sign("pkg/new.py");
    let next = world.build_manifest("pkg", Some(&draft.manifest));
    assert_eq!(next.changes.gone, ["new.py"]);
}

#[test]
fn other_rules_keep_what_they_do_not_name() {
    let world = World::with_anchor();
    let before = world.build_manifest("pkg", None).manifest;
    world.write("pkg/data.json", "changed");
    world.write("pkg/b.rb", "");
    let rules = DependencyRules { extensions: vec!["rb".to_owned()], ..rules() };
    let spaces = world.spaces();
    let root = spaces.get(Space::Project).unwrap();
    let draft = Manifest::build(root, ItemKind::Tool, "pkg", &rules, &world.trust(), Some(&before)).unwrap();
    assert_eq!(paths(&draft.manifest), ["b.rb", "data.json", "lib/a.py"]);
    // It does not vouch for a change that it was not asked about.
    assert_eq!(draft.manifest.files()["data.json"], Digest::of(b"{}\n"));
    assert_eq!(draft.changes.added, ["b.rb"]);
}

#[test]
fn names_that_collide_elsewhere_are_an_error() {
    let world = World::with_anchor();
    world.write("pkg/Lib/b.py", "");
    let spaces = world.spaces();
    let root = spaces.get(Space::Project).unwrap();
    let built = Manifest::build(root, ItemKind::Tool, "pkg", &rules(), &world.trust(), None);
    let Err(ManifestError::Collision(collision)) = built else { panic!("{built:?}") };
    assert_eq!(collision, NameCollision { one: "Lib".to_owned(), other: "lib".to_owned() });
}

#[test]
fn one_entry_is_added_to_what_is_there() {
    let world = World::with_anchor();
    let before = world.build_manifest("pkg", None).manifest;
    let draft = Manifest::with_entries(Some(&before), &[("new.json".to_owned(), Digest::of(b"1"))]).unwrap();
    assert_eq!(paths(&draft.manifest), ["data.json", "lib/a.py", "new.json"]);
    assert_eq!(draft.changes.added, ["new.json"]);
    let again =
        Manifest::with_entries(Some(&draft.manifest), &[("new.json".to_owned(), Digest::of(b"2"))]).unwrap();
    assert_eq!(again.changes.changed, ["new.json"]);
    assert!(Manifest::with_entries(Some(&before), &[("DATA.json".to_owned(), Digest::of(b"1"))]).is_err());
}

#[test]
fn a_signed_manifest_can_be_read_back() {
    let world = World::with_anchor();
    let manifest = world.build_manifest("pkg", None).manifest;
    let bytes = std::fs::read(world.tools("pkg/.rye-manifest.json")).unwrap();
    assert_eq!(Manifest::open(&bytes, ItemKind::Tool, "pkg", &world.keyring).unwrap(), manifest);
    for (kind, folder) in [(ItemKind::Tool, ""), (ItemKind::Tool, "pkg/lib"), (ItemKind::Knowledge, "pkg")] {
        assert!(Manifest::open(&bytes, kind, folder, &world.keyring).is_err());
    }
}
