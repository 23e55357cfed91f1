//! Archives as other programs make them.

use serde_json::{Value, json};

use super::{call, names, python, refusal};
use crate::space::TestSpace;

pub(super) const LIST: &str = "rye/archive/list";
pub(super) const EXTRACT: &str = "rye/archive/extract";

/// Archives of all formats with the same files in them.
const MAKE: &str = r"
import io, random, tarfile, zipfile
files = [('top.txt', b'top\n', 0o644), ('dir/run.sh', b'#!/bin/sh\necho ran\n', 0o4755), ('dir/deep/big', bytes(random.Random(1).choices(b'abcdefgh', k=300000)) * 10, 0o600)]
with zipfile.ZipFile('a.zip', 'w', zipfile.ZIP_DEFLATED) as archive:
    archive.writestr('empty/', b'')
    for name, data, mode in files:
        entry = zipfile.ZipInfo(name); entry.external_attr = (0o100000 | mode) << 16; entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, data)
for name, mode in (('a.tar', 'w'), ('a.tar.gz', 'w:gz'), ('a.tar.bz2', 'w:bz2'), ('a.tar.xz', 'w:xz')):
    with tarfile.open(name, mode) as archive:
        folder = tarfile.TarInfo('empty'); folder.type = tarfile.DIRTYPE; folder.mode = 0; archive.addfile(folder)
        for file, data, bits in files:
            entry = tarfile.TarInfo(file); entry.size, entry.mode = len(data), bits
            archive.addfile(entry, io.BytesIO(data))
";

#[test]
fn every_format_is_unpacked() {
    let space = TestSpace::with_bundle();
    python(&space, MAKE);
    for archive in ["a.zip", "a.tar", "a.tar.gz", "a.tar.bz2", "a.tar.xz"] {
        let listed = call(&space, LIST, &json!({ "path": archive }));
        assert_eq!((&listed["problems"], &listed["truncated"]), (&json!([]), &json!(false)), "{archive}");
        assert_eq!(
            listed["members"][1],
            json!({ "name": "top.txt", "type": "file", "size": 4 }),
            "{archive}"
        );
        let to = format!("out/{archive}");
        let params = json!({ "path": archive, "to": to });
        let answer = call(&space, EXTRACT, &params);
        let files: Vec<_> =
            ["top.txt", "dir/run.sh", "dir/deep/big"].iter().map(|name| format!("{to}/{name}")).collect();
        assert_eq!(
            answer,
            json!({ "to": to, "files": files, "count": 3, "bytes": 3_000_023, "skipped": [] })
        );
        assert_eq!(names(&space, &format!("project/{to}")), ["dir", "empty", "top.txt"]);
        assert_eq!(space.shell(&format!("{to}/dir/run.sh; find {to} -perm /7000")), "ran\n");
        let said = refusal(&space, EXTRACT, &params);
        assert_eq!(said, format!("`{to}/top.txt` is there already; set `overwrite` to replace it"));
        space.write(&format!("project/{to}/top.txt"), "changed");
        call(&space, EXTRACT, &json!({ "path": archive, "to": to, "overwrite": true }));
        assert_eq!(space.read(&format!("project/{to}/top.txt")), "top\n");
    }
    let cut = call(&space, LIST, &json!({ "path": "a.zip", "limit": 1 }));
    assert_eq!((cut["members"].as_array().unwrap().len(), &cut["truncated"]), (1, &json!(true)));
}

#[test]
fn second_names_and_links_inside() {
    let space = TestSpace::with_bundle();
    python(
        &space,
        "import io, tarfile\nwith tarfile.open('l.tar', 'w') as archive:\n\
         \x20   file = tarfile.TarInfo('d/a'); file.size = 2; archive.addfile(file, io.BytesIO(b'hi'))\n\
         \x20   hard = tarfile.TarInfo('b'); hard.type = tarfile.LNKTYPE; hard.linkname = 'd/a'; archive.addfile(hard)\n\
         \x20   soft = tarfile.TarInfo('d/s'); soft.type = tarfile.SYMTYPE; soft.linkname = '../b'; archive.addfile(soft)",
    );
    let answer = call(&space, EXTRACT, &json!({ "path": "l.tar", "to": "." }));
    assert_eq!(answer["files"], json!(["d/a", "b"]));
    assert_eq!(answer["skipped"], json!([{ "name": "d/s", "reason": "a link to ../b" }]));
    assert_eq!((space.read("project/b").as_str(), names(&space, "project/d").len()), ("hi", 1));
}

#[test]
fn what_is_no_archive_is_told() {
    let space = TestSpace::with_bundle();
    python(&space, MAKE);
    space.write("project/text.zip", "hello");
    space.write("project/empty.tar", "");
    for (cut, at) in [("a.zip", 2000), ("a.tar", 1_000_000), ("a.tar.gz", 300), ("a.tar.xz", 300)] {
        let bytes = std::fs::read(space.path(format!("project/{cut}"))).unwrap();
        space.write(&format!("project/cut_{cut}"), &bytes[..at]);
    }
    let mut damaged = std::fs::read(space.path("project/a.tar.gz")).unwrap();
    let end = damaged.len() - 12;
    damaged[end] ^= 0xff;
    space.write("project/damaged.tar.gz", damaged);
    for archive in
        ["text.zip", "empty.tar", "cut_a.zip", "cut_a.tar", "cut_a.tar.gz", "cut_a.tar.xz", "damaged.tar.gz"]
    {
        let said = refusal(&space, EXTRACT, &json!({ "path": archive, "to": "out" }));
        assert!(
            said.contains("damaged") || said.contains("not a zip file") || said.contains("shorter"),
            "{archive}: {said}"
        );
        assert!(!space.path("project/out/top.txt").exists(), "{archive}");
    }
    let _: Value = call(&space, LIST, &json!({ "path": "cut_a.tar" }));
}

#[test]
fn names_that_are_not_utf_8_are_shown() {
    let space = TestSpace::with_bundle();
    let make = r"
import io, tarfile
with tarfile.open('a.tar', 'w', format=tarfile.GNU_FORMAT) as archive:
    for name in ('a', 'b\udcff'):
        entry = tarfile.TarInfo(name); entry.size = 1
        archive.addfile(entry, io.BytesIO(b'x'))
";
    python(&space, make);
    let listed = call(&space, LIST, &json!({ "path": "a.tar" }));
    let file = |name: &str| json!({ "name": name, "type": "file", "size": 1 });
    assert_eq!(listed["members"], json!([file("a"), file(r"b\xff")]));
    assert_eq!(listed["escaped"], json!([r"b\xff"]));
    let unpacked = call(&space, EXTRACT, &json!({ "path": "a.tar", "to": "out" }));
    assert_eq!(
        (&unpacked["files"], &unpacked["escaped"]),
        (&json!(["out/a", r"out/b\xff"]), &json!([r"out/b\xff"]))
    );
}
