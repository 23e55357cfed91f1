//! The end of what a server writes to its standard error.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Reads a stream to its end, and keeps the last of it.
#[derive(Debug)]
pub(super) struct StderrTail {
    kept: Arc<Mutex<VecDeque<u8>>>,
    reader: Option<JoinHandle<()>>,
}

/// So much is kept.
const KEPT: usize = 4096;

impl StderrTail {
    pub(super) fn read(stream: OwnedFd) -> std::io::Result<Self> {
        let kept = Arc::new(Mutex::new(VecDeque::with_capacity(KEPT)));
        let shared = Arc::clone(&kept);
        let mut stream = File::from(stream);
        let reader = std::thread::Builder::new().name("mcp-stderr".to_owned()).stack_size(64 * 1024);
        let reader = reader.spawn(move || {
            let mut buffer = [0; 4096];
            // What cannot be read is not there to be shown.
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(&buffer[..count]);
                let excess = kept.len().saturating_sub(KEPT);
                kept.drain(..excess);
            }
        })?;
        Ok(Self { kept, reader: Some(reader) })
    }

    /// What is left of it, once nobody writes any more.
    pub(super) fn finish(mut self) -> String {
        if let Some(reader) = self.reader.take() {
            // A reader that panicked has left what it had.
            let _ = reader.join();
        }
        self.so_far()
    }

    /// The end of what has been written so far.
    pub(super) fn so_far(&self) -> String {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(kept.make_contiguous()).trim_end().to_owned()
    }
}
