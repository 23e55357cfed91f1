//! Telling a client that a run goes on.

use std::time::{Duration, Instant};

use lillux::process::Channel;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use rye_run::runner::RunEvent;
use tokio::sync::watch;

use super::reply::beginning;

/// A client hears no more often than this, whatever the tool writes.
const PAUSE: Duration = Duration::from_millis(200);
/// A client hears no less often than this, although nothing happens, so that it does not take us for dead.
const BEAT: Duration = Duration::from_secs(5);
/// The longest line that is passed on.
const LONGEST: usize = 500;

/// What a run says while it goes on: the last whole line that it has written to standard error.
#[derive(Debug)]
pub(super) struct ProgressLines {
    pending: Vec<u8>,
    sender: watch::Sender<String>,
}

impl ProgressLines {
    pub(super) fn new() -> (Self, watch::Receiver<String>) {
        let (sender, receiver) = watch::channel(String::new());
        (Self { pending: Vec::new(), sender }, receiver)
    }

    pub(super) fn take(&mut self, event: &RunEvent<'_>) {
        let RunEvent::Output { channel: Channel::Stderr, bytes } = event else { return };
        self.pending.extend_from_slice(bytes);
        let Some(end) = self.pending.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')) else {
            let surplus = self.pending.len().saturating_sub(2 * LONGEST);
            self.pending.drain(..surplus);
            return;
        };
        let whole = String::from_utf8_lossy(&self.pending[..end]);
        if let Some(line) = whole.split(['\n', '\r']).rev().find(|line| !line.trim().is_empty()) {
            let line = beginning(line.trim(), LONGEST).to_owned();
            self.sender.send_replace(line);
        }
        self.pending.drain(..=end);
    }
}

/// Tells the client about a run, until it is dropped.
pub(super) async fn report(peer: Peer<RoleServer>, token: ProgressToken, mut lines: watch::Receiver<String>) {
    let begin = Instant::now();
    let mut is_over = false;
    loop {
        let line = tokio::select! {
            changed = lines.changed(), if !is_over => {
                is_over = changed.is_err();
                if is_over {
                    continue;
                }
                Some(lines.borrow_and_update().clone())
            }
            () = tokio::time::sleep(BEAT) => None,
        };
        let seconds = begin.elapsed().as_secs_f64();
        let message = line.unwrap_or_else(|| format!("running for {seconds:.0} s"));
        let told = ProgressNotificationParam::new(token.clone(), seconds).with_message(message);
        if peer.notify_progress(told).await.is_err() {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_whole_line_is_told() {
        let (mut lines, receiver) = ProgressLines::new();
        let mut check = |written: &str, expect: &str| {
            lines.take(&RunEvent::Output { channel: Channel::Stderr, bytes: written.as_bytes() });
            assert_eq!(*receiver.borrow(), expect);
        };
        check("10 %", "");
        check(" done\n20", "10 % done");
        check(" %\r30 %\r", "30 %");
        check("\n \n", "30 %");
    }
}
