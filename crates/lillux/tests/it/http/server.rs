//! A server of Python's standard library that lives as long as its test.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

pub(crate) struct Server {
    child: Child,
    base: String,
    folder: TempDir,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::launch(&[])
    }

    /// Serves TLS with the PEM texts of a certificate chain and its key.
    pub(crate) fn start_tls(chain: &str, key: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = [folder.path().join("chain.pem"), folder.path().join("key.pem")];
        std::fs::write(&paths[0], chain).unwrap();
        std::fs::write(&paths[1], key).unwrap();
        Self::launch(&[&paths[0], &paths[1]])
    }

    #[expect(clippy::disallowed_methods, reason = "the server must not depend on the code under test")]
    fn launch(tls: &[&Path]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/http/server.py");
        let mut child = Command::new("python3")
            .arg(script)
            .arg(folder.path())
            .args(tls)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut base = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut base).unwrap();
        assert!(base.starts_with("http"), "the server said where it is");
        Self { child, base: base.trim().to_owned(), folder }
    }

    /// The URL of `path` on this server.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// The same under another name, which makes it another origin.
    pub(crate) fn other_origin(&self, path: &str) -> String {
        self.url(path).replace("127.0.0.1", "localhost")
    }

    /// The folder whose files it serves.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
