//! Archives whose makers mean harm.

use serde_json::{Value, json};

use super::archives::{EXTRACT, LIST};
use super::{call, link, names, python, refusal};
use crate::space::TestSpace;

/// Makes `h.tar` of members: name, type, target of a link, content.
fn tar(space: &TestSpace, members: &str) {
    python(
        space,
        &format!(
            "import io, tarfile\n\
             FILE, LINK, HARD, FOLDER, CHAR, BLOCK, FIFO = b'0', b'2', b'1', b'5', b'3', b'4', b'6'\n\
             with tarfile.open('h.tar', 'w') as archive:\n\
             \x20   for name, kind, target, data in [{members}]:\n\
             \x20       entry = tarfile.TarInfo(name); entry.type = kind; entry.linkname = target; entry.size = len(data)\n\
             \x20       archive.addfile(entry, io.BytesIO(data))"
        ),
    );
}

/// Makes `h.zip` of members: name, mode, content.
fn zip(space: &TestSpace, members: &str) {
    python(
        space,
        &format!(
            "import zipfile\nwith zipfile.ZipFile('h.zip', 'w', zipfile.ZIP_DEFLATED) as archive:\n\
             \x20   for name, mode, data in [{members}]:\n\
             \x20       entry = zipfile.ZipInfo(name); entry.filename = name; entry.external_attr = mode << 16\n\
             \x20       entry.compress_type = zipfile.ZIP_DEFLATED; archive.writestr(entry, data)"
        ),
    );
}

fn refused(space: &TestSpace, archive: &str, expect: &str) {
    let said = refusal(space, EXTRACT, &json!({ "path": archive, "to": "in/deep" }));
    assert!(said.contains(expect), "{archive}: {said}");
    assert!(!space.path("project/in").exists(), "{said}: something was written");
    let listed = call(space, LIST, &json!({ "path": archive }));
    assert_ne!(listed["problems"], json!([]), "{archive}: {said}");
}

#[test]
fn names_that_lead_out() {
    let space = TestSpace::with_bundle();
    let good = "('good', FILE, '', b'x'), ";
    for name in ["../evil", "a/../../evil", "a/../..", "./../evil"] {
        tar(&space, &format!("{good}('{name}', FILE, '', b'x')"));
        refused(&space, "h.tar", "leads out of it");
        zip(&space, &format!("('good', 0o644, b'x'), ('{name}', 0o644, b'x')"));
        refused(&space, "h.zip", "leads out of it");
    }
    let absolute = space.path("elsewhere/evil").display().to_string();
    tar(&space, &format!("{good}('{absolute}', FILE, '', b'x')"));
    refused(&space, "h.tar", "an absolute name");
    zip(&space, &format!("('{absolute}', 0o644, b'x')"));
    refused(&space, "h.zip", "an absolute name");
    zip(&space, "('C:/evil', 0o644, b'x')");
    refused(&space, "h.zip", "an absolute name");
    tar(&space, "('..\\\\\\\\evil', FILE, '', b'x')");
    refused(&space, "h.tar", "not allowed");
    assert_eq!(names(&space, "elsewhere"), Vec::<String>::new());
}

#[test]
fn links_and_what_is_written_through_them() {
    let space = TestSpace::with_bundle();
    let outside = space.path("elsewhere").display().to_string();
    for target in [outside.as_str(), "../..", "../../../elsewhere", "x/../../.."] {
        tar(&space, &format!("('x', LINK, '{target}', b''), ('x/evil', FILE, '', b'x')"));
        refused(&space, "h.tar", "a link that leads out");
        tar(&space, &format!("('x', HARD, '{target}', b''), ('y', FILE, '', b'x')"));
        refused(&space, "h.tar", "a link that leads out");
        zip(&space, &format!("('x', 0o120777, b'{target}'), ('x/evil', 0o644, b'x')"));
        refused(&space, "h.zip", "a link that leads out");
    }
    // A link that stays inside is not made, so nothing is written through it either.
    tar(&space, "('d/', FOLDER, '', b''), ('x', LINK, 'd', b''), ('x/file', FILE, '', b'x')");
    call(&space, EXTRACT, &json!({ "path": "h.tar", "to": "made" }));
    assert!(space.path("project/made/x/file").exists() && !space.path("project/made/x").is_symlink());
    // Links that were there before.
    space.folder("project/there");
    link(&space, &outside, "project/there/x");
    tar(&space, "('x/evil', FILE, '', b'x')");
    let said = refusal(&space, EXTRACT, &json!({ "path": "h.tar", "to": "there", "overwrite": true }));
    assert!(said.contains("leads out of the project"), "{said}");
    let said = refusal(&space, EXTRACT, &json!({ "path": "h.tar", "to": "there/x" }));
    assert!(said.contains("leads out of the project"), "{said}");
    assert_eq!(names(&space, "elsewhere"), Vec::<String>::new());
}

#[test]
fn devices_and_the_like() {
    let space = TestSpace::with_bundle();
    for kind in ["CHAR", "BLOCK", "FIFO"] {
        tar(&space, &format!("('good', FILE, '', b'x'), ('dev', {kind}, '', b'')"));
        refused(&space, "h.tar", "no file, folder or link");
    }
    zip(&space, "('dev', 0o020666, b'')");
    refused(&space, "h.zip", "no file, folder or link");
}

#[test]
fn places_that_are_not_written() {
    let space = TestSpace::with_bundle();
    for name in [".git/hooks/pre-commit", ".ai/state/x", ".ai/locks/x"] {
        tar(&space, &format!("('good', FILE, '', b'x'), ('{name}', FILE, '', b'x')"));
        let said = refusal(&space, EXTRACT, &json!({ "path": "h.tar", "to": "." }));
        assert!(said.contains("belongs to"), "{said}");
        assert_eq!(call(&space, LIST, &json!({ "path": "h.tar" }))["problems"], json!([said]));
    }
    let said = refusal(&space, EXTRACT, &json!({ "path": "h.tar", "to": "../elsewhere" }));
    assert!(said.contains(".."), "{said}");
    tar(&space, "('a', FILE, '', b'x'), ('./a', FILE, '', b'y')");
    refused(&space, "h.tar", "twice");
    for order in
        ["('a', FILE, '', b'x'), ('a/b', FILE, '', b'y')", "('a/b', FILE, '', b'x'), ('a', FILE, '', b'y')"]
    {
        tar(&space, order);
        refused(&space, "h.tar", "of another kind");
    }
    assert_eq!(names(&space, "project"), [".ai", "h.tar"]);
}

#[test]
fn what_could_not_be_replaced_is_known_before_anything_is() {
    let space = TestSpace::with_bundle();
    space.write("project/in/keep", "old");
    space.write("project/in/file", "old");
    space.write("project/in/folder/x", "old");
    for (last, expect) in
        [("file/x", "not a folder"), ("folder", "not a regular file"), ("file/", "not a folder")]
    {
        let kind = if last.ends_with('/') { "FOLDER" } else { "FILE" };
        tar(&space, &format!("('keep', FILE, '', b'new'), ('{last}', {kind}, '', b'')"));
        let params = json!({ "path": "h.tar", "to": "in", "overwrite": true });
        let said = refusal(&space, EXTRACT, &params);
        assert!(said.contains(expect), "{last}: {said}");
        assert_eq!(space.read("project/in/keep"), "old", "{last}");
    }
}

#[test]
fn bombs() {
    let space = TestSpace::with_bundle();
    python(
        &space,
        r"
import bz2, gzip, io, lzma, tarfile, zipfile
zeros = bytes(1 << 24)
with zipfile.ZipFile('bomb.zip', 'w', zipfile.ZIP_DEFLATED) as archive:
    with archive.open('zeros', 'w', force_zip64=True) as out:
        for _ in range(8): out.write(zeros)
head = tarfile.TarInfo('zeros'); head.size = 1 << 40
for name, pack in (('bomb.tar.gz', gzip.open), ('bomb.tar.bz2', bz2.open), ('bomb.tar.xz', lzma.open)):
    with pack(name, 'wb') as out:
        out.write(head.tobuf())
        for _ in range(8): out.write(zeros)
# A name as long as the stream: what is not a file is bounded too.
long = tarfile.TarInfo('././@LongLink'); long.type = b'L'; long.size = 1 << 33
with gzip.open('name.tar.gz', 'wb') as out:
    out.write(long.tobuf(tarfile.GNU_FORMAT))
    for _ in range(16): out.write(zeros)
# One member that is listed many times.
with zipfile.ZipFile('many.zip', 'w') as archive:
    for number in range(20): archive.writestr(f'{number}', b'')
# The list of members says less than is in it.
with zipfile.ZipFile('lie.zip', 'w', zipfile.ZIP_DEFLATED) as archive: archive.writestr('a', zeros[:100000])
data = bytearray(open('lie.zip', 'rb').read()); at = data.rfind(b'PK\x01\x02'); data[at + 24:at + 28] = (10).to_bytes(4, 'little')
open('lie.zip', 'wb').write(data)
",
    );
    let said = |params: Value| refusal(&space, EXTRACT, &params);
    assert!(said(json!({ "path": "bomb.zip", "to": "o" })).contains("200 times as large"));
    assert!(
        said(json!({ "path": "bomb.zip", "to": "o", "max_ratio": 100_000, "max_bytes": 1000 }))
            .contains("larger than 1000 bytes")
    );
    for archive in ["bomb.tar.gz", "bomb.tar.bz2", "bomb.tar.xz"] {
        assert!(
            said(json!({ "path": archive, "to": "o" })).contains("larger than 1073741824 bytes"),
            "{archive}"
        );
    }
    said(json!({ "path": "name.tar.gz", "to": "o" }));
    assert!(
        said(json!({ "path": "many.zip", "to": "o", "max_members": 10 })).contains("more than 10 members")
    );
    said(json!({ "path": "lie.zip", "to": "o" }));
    assert!(names(&space, "project").iter().all(|name| name != "o") || names(&space, "project/o").is_empty());
}
