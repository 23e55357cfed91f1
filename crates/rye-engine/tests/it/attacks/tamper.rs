//! One byte changed, at every place of everything that is signed.

use std::collections::BTreeMap;

use lillux::clock::{Clock as _, SystemClock};
use rye_engine::{Engine, TargetSpace};
use rye_item::ItemKind;
use rye_metadata::SignatureComment;
use rye_trust::{
    FileTrust as _, KeyFolder, Keyring, Lock, Manifest, OwnSignatures, SignedDocument, Statement,
};

use super::ground::{Ground, execute, node, outcome, python};
use super::keys::hash_mark;
use crate::chance::Chance;

/// A signed file, and the tool that does not run without it.
struct Signed {
    /// Below the ground.
    path: &'static str,
    tool: &'static str,
    form: Form,
}

/// How it is signed.
#[derive(Clone, Copy)]
enum Form {
    Line,
    Manifest {
        folder: &'static str,
    },
    Lock {
        id: &'static str,
    },
    /// By a manifest that lists it with its digest.
    Listed {
        manifest: &'static str,
        folder: &'static str,
        name: &'static str,
    },
}

const SIGNED: &[Signed] = &[
    Signed { path: "project/.ai/tools/t/tool.py", tool: "t/tool", form: Form::Line },
    Signed { path: "project/.ai/tools/t/node.js", tool: "t/node", form: Form::Line },
    Signed { path: "project/.ai/tools/t/plain.yaml", tool: "t/plain", form: Form::Line },
    Signed { path: "project/.ai/tools/t/script.sh", tool: "t/script", form: Form::Line },
    Signed { path: "project/.ai/tools/t/runtime.yaml", tool: "t/custom", form: Form::Line },
    Signed { path: "project/.ai/tools/t/custom.own", tool: "t/custom", form: Form::Line },
    Signed { path: "project/.ai/tools/rye/core/extractors/own.yaml", tool: "t/custom", form: Form::Line },
    Signed {
        path: "project/.ai/tools/j/data.json",
        tool: "j/data",
        form: Form::Listed {
            manifest: "project/.ai/tools/j/.rye-manifest.json",
            folder: "j",
            name: "data.json",
        },
    },
    Signed {
        path: "project/.ai/tools/j/.rye-manifest.json",
        tool: "j/data",
        form: Form::Manifest { folder: "j" },
    },
    Signed {
        path: "project/.ai/tools/p/lib.py",
        tool: "p/tool",
        form: Form::Listed {
            manifest: "project/.ai/tools/p/.rye-manifest.json",
            folder: "p",
            name: "lib.py",
        },
    },
    Signed {
        path: "project/.ai/tools/p/.rye-manifest.json",
        tool: "p/tool",
        form: Form::Manifest { folder: "p" },
    },
    Signed {
        path: "project/.ai/locks/t/locked@1.0.0.lock.json",
        tool: "t/locked",
        form: Form::Lock { id: "t/locked" },
    },
];

/// A ground in which every tool of [`SIGNED`] runs and leaves the marker.
fn ground() -> Ground {
    let ground = Ground::trusted();
    let marker = ground.marker().display().to_string();
    let yaml = |kind: &str, config: &str| {
        format!(
            "version: \"1.0.0\"\ntool_type: {kind}\nexecutor_id: rye/core/primitives/execute\n\
             description: \"A tool\"\nconfig: {config}\n"
        )
    };
    ground.write("project/.ai/tools/t/tool.py", python(&ground.python_touch()));
    ground.write("project/.ai/tools/t/node.js", node(&ground.node_touch()));
    let config = format!("{{command: /bin/touch, args: [\"{marker}\"]}}");
    ground.write("project/.ai/tools/t/plain.yaml", yaml("tool", &config));
    ground.write("project/.ai/tools/t/script.sh", ground.shell_marker());
    ground.write("project/.ai/tools/t/locked.sh", ground.shell_marker());
    ground.write(
        "project/.ai/tools/t/runtime.yaml",
        yaml("runtime", "{command: /bin/bash, args: [\"{tool_path}\"]}"),
    );
    let custom = ground.shell_marker().replace("rye/core/runtimes/bash/bash", "t/runtime");
    ground.write("project/.ai/tools/t/custom.own", custom);
    let extractor = rye_bundle::bundle();
    let extractor = extractor.get("tools/rye/core/extractors/shell.yaml").unwrap();
    let extractor = String::from_utf8(extractor.bytes.to_vec()).unwrap().replace("[sh, bash]", "[own]");
    ground.write("project/.ai/tools/rye/core/extractors/own.yaml", extractor);
    ground.write(
        "project/.ai/tools/j/data.json",
        format!(
            "{{\"version\": \"1.0.0\", \"tool_type\": \"tool\", \"executor_id\": \"rye/core/primitives/execute\", \
             \"description\": \"A tool\", \"config\": {{\"command\": \"/bin/touch\", \"args\": [{marker:?}]}}}}\n"
        ),
    );
    ground.write("project/.ai/tools/p/__init__.py", "");
    ground.write("project/.ai/tools/p/lib.py", format!("def answer():\n    {}\n", ground.python_touch()));
    ground.write("project/.ai/tools/p/tool.py", python("import lib\nlib.answer()"));
    ground.sign("rye/core/extractors/own");
    ground.sign("**");
    ground.engine().lock("t/locked", TargetSpace::Project, &ground.key).unwrap();
    let engine = ground.engine();
    for signed in SIGNED {
        let outcome = outcome(&engine, signed.tool, &[]);
        assert!(outcome.is_success(), "{}: {}", signed.tool, outcome.errors_tail());
        ground.assert_marked();
    }
    ground
}

/// Whether a file with these bytes would be accepted, by the functions that decide about it everywhere.
fn is_accepted(ground: &Ground, keyring: &Keyring, signed: &Signed, bytes: &[u8]) -> bool {
    let item = signed.path.strip_prefix("project/.ai/tools/").unwrap_or(signed.path);
    match signed.form {
        Form::Line => {
            let slashes = SignatureComment { prefix: "//".to_owned(), ..hash_mark() };
            let comments = [
                ("py", hash_mark()),
                ("yaml", hash_mark()),
                ("sh", hash_mark()),
                ("own", hash_mark()),
                ("js", slashes),
            ];
            let comments: BTreeMap<_, _> = comments.map(|(name, comment)| (name.to_owned(), comment)).into();
            OwnSignatures::new(keyring, comments).is_signed(ItemKind::Tool, item, bytes)
        }
        Form::Manifest { folder } => Manifest::open(bytes, ItemKind::Tool, folder, keyring).is_ok(),
        Form::Lock { id } => SignedDocument::<Lock>::parse(bytes)
            .and_then(|document| {
                document.open(&Statement::Lock { kind: ItemKind::Tool, id }, keyring).map(|_| ())
            })
            .is_ok(),
        Form::Listed { manifest, folder, name } => {
            let manifest = Manifest::open(&ground.read(manifest), ItemKind::Tool, folder, keyring).unwrap();
            manifest.files()[name] == lillux::Digest::of(bytes)
        }
    }
}

/// Bytes to put in the place of another: its neighbours, its other case, and those that mean something.
fn replacements(byte: u8) -> impl Iterator<Item = u8> {
    let all = [
        byte ^ 1,
        byte ^ 2,
        byte ^ 0x20,
        byte ^ 0x80,
        !byte,
        b'0',
        b'9',
        b'a',
        b'f',
        b'F',
        b'/',
        b'+',
        b'-',
        b':',
        b' ',
        b'\n',
        b'\r',
        b'\t',
        0,
        b'#',
        b'"',
        b'\'',
        b'\\',
        b'.',
    ];
    all.into_iter().filter(move |other| *other != byte)
}

#[test]
fn no_changed_byte_is_accepted() {
    let ground = ground();
    let keyring = KeyFolder::at(&ground.path("home/.ai")).keyring().unwrap();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut count = 0;
    for signed in SIGNED {
        let bytes = ground.read(signed.path);
        assert!(is_accepted(&ground, &keyring, signed, &bytes), "{}", signed.path);
        let part = bytes.len().div_ceil(threads);
        count += std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|number| {
                    let (ground, keyring, mut bytes) = (&ground, &keyring, bytes.clone());
                    scope.spawn(move || {
                        let mut count = 0;
                        for at in number * part..((number + 1) * part).min(bytes.len()) {
                            let good = bytes[at];
                            for other in replacements(good) {
                                bytes[at] = other;
                                let accepted = is_accepted(ground, keyring, signed, &bytes);
                                assert!(!accepted, "{}: {other:#x} for {good:#x} at {at}", signed.path);
                                count += 1;
                            }
                            bytes[at] = good;
                        }
                        count
                    })
                })
                .collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).sum::<usize>()
        });
    }
    assert!(count >= 100_000, "only {count} changes");
}

/// The same through everything that stands between a call and a process: no changed file runs, nor does anything with it.
#[test]
fn no_changed_byte_runs() {
    let ground = ground();
    let engine = ground.engine();
    let mut chance = Chance::new(4);
    for signed in SIGNED {
        let good = ground.read(signed.path);
        for _ in 0..40 {
            let at = chance.below(good.len());
            let other: Vec<u8> = replacements(good[at]).collect();
            let mut bytes = good.clone();
            bytes[at] = other[chance.below(other.len())];
            ground.write(signed.path, &bytes);
            let ran = execute(&engine, signed.tool, &[]);
            assert!(ran.is_err(), "{}: {:#x} at {at}", signed.path, bytes[at]);
            ground.assert_unmarked();
        }
        // A byte more or less at either end.
        for bytes in
            [&good[1..], &good[..good.len() - 1], &[&good[..], b"\n"].concat(), &[b"\n", &good[..]].concat()]
        {
            ground.write(signed.path, bytes);
            assert!(execute(&engine, signed.tool, &[]).is_err(), "{}", signed.path);
            ground.assert_unmarked();
        }
        ground.write(signed.path, &good);
        outcome(&engine, signed.tool, &[]);
        ground.assert_marked();
    }
}

/// The keys that count after a change of their file, or none if the file is refused.
fn trusted(ground: &Ground) -> Option<Vec<[u8; 32]>> {
    let keyring = KeyFolder::at(&ground.path("home/.ai")).keyring().ok()?;
    Some(keyring.trusted().map(|(_, key)| *key.key.as_bytes()).collect())
}

/// A changed file never brings in another key. What it says about the owner is not signed, and decides nothing.
#[test]
fn a_changed_key_file_trusts_nobody_else() {
    let ground = ground();
    let id = ground.key.public_key().id();
    let path = format!("home/.ai/keys/trusted/{id}.toml");
    let good = ground.read(&path);
    let own = trusted(&ground).unwrap();
    for at in 0..good.len() {
        for other in replacements(good[at]) {
            let mut bytes = good.clone();
            bytes[at] = other;
            ground.write(&path, &bytes);
            if let Some(keys) = trusted(&ground) {
                assert_eq!(keys, own, "{other:#x} at {at}");
            }
        }
    }
}

/// A changed list never forgets a key, unless what was changed is the key itself: the list is not signed, and whoever
/// can write to it can also write to the keys that count.
#[test]
fn a_changed_list_of_revoked_keys_forgets_none() {
    let ground = ground();
    let keys = KeyFolder::at(&ground.path("home/.ai"));
    let id = ground.key.public_key().id();
    keys.revoke(id, Some("lost"), SystemClock.now()).unwrap();
    let path = "home/.ai/keys/revoked.toml";
    let good = ground.read(path);
    let text = String::from_utf8(good.clone()).unwrap();
    let start = text.find(&id.to_string()).unwrap();
    let name = start..start + id.to_string().len();
    let engine: Engine = ground.engine();
    for at in (0..good.len()).filter(|at| !name.contains(at)) {
        for other in replacements(good[at]) {
            let mut bytes = good.clone();
            bytes[at] = other;
            ground.write(path, &bytes);
            if let Ok(keyring) = keys.keyring() {
                let is_revoked = keyring.revoked().any(|(revoked, _)| revoked == id);
                assert!(is_revoked, "{other:#x} at {at}: {}", String::from_utf8_lossy(&bytes));
            }
        }
        assert!(execute(&engine, "t/script", &[]).is_err());
    }
    ground.assert_unmarked();
}
