//! Programs by others that do the same as this crate.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A program that reads one JSON request and writes one JSON reply.
pub(crate) struct Peer {
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Peer {
    /// The Python package `cryptography`.
    pub(crate) fn python() -> Self {
        Self::new(workspace().join(".deps/venv/bin/python"), "ed25519.py", None)
    }

    /// Ruby's `openssl`.
    pub(crate) fn ruby() -> Self {
        Self::new("ruby".into(), "ed25519.rb", None)
    }

    /// The npm package `age-encryption`.
    pub(crate) fn node() -> Self {
        let modules = workspace().join(".deps/node/node_modules");
        assert!(modules.is_dir(), "`{}` is missing: run `cargo xtask setup`", modules.display());
        Self::new("node".into(), "age.mjs", Some(modules))
    }

    fn new(program: PathBuf, script: &str, argument: Option<PathBuf>) -> Self {
        let script = workspace().join("tests/peers").join(script);
        Self { program, arguments: [Some(script), argument].into_iter().flatten().map(Into::into).collect() }
    }

    #[expect(clippy::disallowed_methods, reason = "what is tested here is keys and envelopes, not processes")]
    pub(crate) fn ask(&self, request: &Value) -> Value {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("cannot start `{}` ({error}): run `cargo xtask setup`", self.program.display())
            });
        // A program that misses a package ends before it reads; what it says about that is shown below.
        let _ = child.stdin.take().unwrap().write_all(request.to_string().as_bytes());
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "`{}` failed; if it misses a package, run `cargo xtask setup`\n{}",
            self.program.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// Writes bytes as JSON holds them.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Reads bytes as JSON holds them.
pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { panic!("`{text}` is not hex") };
    pairs.iter().map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}
