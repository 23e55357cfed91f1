//! Telling a client that a run goes on.

use std::convert::Infallible;
use std::pin::Pin;
use std::time::{Duration, Instant};

use lillux::process::Channel;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use rye_run::runner::{Progress, RunEvent};
use tokio::sync::watch;

use super::reply::beginning;

/// A client hears no more often than this, whatever the tool writes.
const PAUSE: Duration = Duration::from_millis(200);
/// A client hears no less often than this, although nothing happens, so that it does not take us for dead.
const BEAT: Duration = Duration::from_secs(5);
/// The longest line that is passed on.
const LONGEST: usize = 500;

/// What a run says while it goes on: the last whole line that it has written to standard error, or how far it is, if it
/// tells that.
#[derive(Debug)]
pub(super) struct ProgressLines {
    pending: Vec<u8>,
    /// Whether the run tells how far it is. What else it writes is not progress then.
    has_parts: bool,
    sender: watch::Sender<Said>,
}

/// What was said last.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Said {
    message: String,
    /// How much is done, and how much there is.
    parts: Option<(f64, Option<f64>)>,
}

impl From<String> for Said {
    fn from(message: String) -> Self {
        Self { message, parts: None }
    }
}

impl ProgressLines {
    pub(super) fn new() -> (Self, watch::Receiver<Said>) {
        let (sender, receiver) = watch::channel(Said::default());
        (Self { pending: Vec::new(), has_parts: false, sender }, receiver)
    }

    pub(super) fn take(&mut self, event: &RunEvent<'_>) {
        match event {
            RunEvent::Output { channel: Channel::Stderr, bytes } if !self.has_parts => self.take_bytes(bytes),
            RunEvent::Progress(Progress { done, total, message }) => {
                let message = beginning(message, LONGEST).to_owned();
                self.has_parts = true;
                self.sender.send_replace(Said { message, parts: Some((*done, *total)) });
            }
            _ => {}
        }
    }

    fn take_bytes(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        let Some(end) = self.pending.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')) else {
            let surplus = self.pending.len().saturating_sub(2 * LONGEST);
            self.pending.drain(..surplus);
            return;
        };
        let whole = String::from_utf8_lossy(&self.pending[..end]);
        let is_other = |line: &&str| !line.trim().is_empty() && Progress::read(line).is_none();
        if let Some(line) = whole.split(['\n', '\r']).rev().find(is_other) {
            let message = beginning(line.trim(), LONGEST).to_owned();
            self.sender.send_replace(Said { message, parts: None });
        }
        self.pending.drain(..=end);
    }
}

/// Tells a client about a run, if it has asked for that.
pub(super) struct Reporter {
    client: Option<(Peer<RoleServer>, ProgressToken)>,
    /// What is being told. It gives whether the client is still there.
    telling: Option<Pin<Box<dyn Future<Output = bool> + Send>>>,
    lines: watch::Receiver<Said>,
    told: Said,
    begin: Instant,
    counter: Counter,
}

impl Reporter {
    pub(super) fn new(context: &RequestContext<RoleServer>, lines: watch::Receiver<Said>) -> Self {
        let client = context.meta.get_progress_token().map(|token| (context.peer.clone(), token));
        let (told, counter) = (Said::default(), Counter::default());
        Self { client, telling: None, lines, told, begin: Instant::now(), counter }
    }

    /// Does so for as long as it is waited for.
    pub(super) async fn go_on(&mut self) -> Infallible {
        let mut is_over = false;
        while self.client.is_some() {
            let said = tokio::select! {
                changed = self.lines.changed(), if !is_over => {
                    is_over = changed.is_err();
                    if is_over {
                        continue;
                    }
                    Some(self.lines.borrow_and_update().clone())
                }
                () = tokio::time::sleep(BEAT) => None,
            };
            self.tell(said).await;
            tokio::time::sleep(PAUSE).await;
        }
        std::future::pending().await
    }

    /// Tells what was said last, if the run was over before that was told. The answer can go out after this.
    pub(super) async fn finish(mut self) {
        self.await_told().await;
        let last = self.lines.borrow().clone();
        if last != self.told {
            self.tell(Some(last)).await;
        }
    }

    async fn tell(&mut self, said: Option<Said>) {
        let Some((peer, token)) = &self.client else { return };
        if let Some(said) = &said {
            self.told.clone_from(said);
        }
        let seconds = self.begin.elapsed().as_secs_f64();
        let Some((value, total, message)) = self.counter.next(said, seconds) else { return };
        let mut told = ProgressNotificationParam::new(token.clone(), value);
        told.total = total;
        told.message = Some(message).filter(|message| !message.is_empty());
        let peer = peer.clone();
        self.telling = Some(Box::pin(async move { peer.notify_progress(told).await.is_ok() }));
        self.await_told().await;
    }

    /// Waits until what is being told has gone out. Whoever gives up waiting can do so again.
    async fn await_told(&mut self) {
        if let Some(telling) = &mut self.telling {
            if !telling.await {
                self.client = None;
            }
            self.telling = None;
        }
    }
}

/// The numbers that a client sees, each of which has to be larger than the one before. They are seconds, until the run
/// tells by itself how far it is.
#[derive(Debug, Default)]
struct Counter {
    last: Option<f64>,
    /// Whether the run tells how far it is.
    has_parts: bool,
}

impl Counter {
    fn next(&mut self, said: Option<Said>, seconds: f64) -> Option<(f64, Option<f64>, String)> {
        let is_more = |value: f64| self.last.is_none_or(|last| value > last);
        let told = match said {
            Some(Said { message, parts: Some((done, total)) }) if is_more(done) => {
                self.has_parts = true;
                (done, total, message)
            }
            // Seconds among the parts would look like parts.
            _ if self.has_parts => return None,
            Some(Said { message, parts }) => (seconds, None, in_words(&message, parts)),
            None => (seconds, None, format!("running for {seconds:.0} s")),
        };
        self.last = Some(told.0);
        Some(told)
    }
}

/// Parts of which the number cannot be told.
fn in_words(message: &str, parts: Option<(f64, Option<f64>)>) -> String {
    match parts {
        None => message.to_owned(),
        Some((done, None)) => format!("{done} {message}").trim_end().to_owned(),
        Some((done, Some(total))) => format!("{done}/{total} {message}").trim_end().to_owned(),
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
            assert_eq!(*receiver.borrow(), Said { message: expect.to_owned(), parts: None });
        };
        check("10 %", "");
        check(" done\n20", "10 % done");
        check(" %\r30 %\r", "30 %");
        check("\n \n", "30 %");
    }

    #[test]
    fn a_line_does_not_hide_how_far_a_run_is() {
        let (mut lines, receiver) = ProgressLines::new();
        lines.take(&RunEvent::Progress(Progress { done: 4.0, total: Some(4.0), message: "" }));
        lines.take(&RunEvent::Output { channel: Channel::Stderr, bytes: b"finished\n" });
        assert_eq!(receiver.borrow().parts, Some((4.0, Some(4.0))));
    }

    #[test]
    fn numbers_only_grow() {
        let mut counter = Counter::default();
        let line = |text: &str| Some(Said { message: text.to_owned(), parts: None });
        let parts = |done| Some(Said { message: "copying".to_owned(), parts: Some((done, Some(9.0))) });
        assert_eq!(counter.next(line("begins"), 0.5), Some((0.5, None, "begins".to_owned())));
        assert_eq!(counter.next(parts(0.0), 0.7), Some((0.7, None, "0/9 copying".to_owned())));
        assert_eq!(counter.next(parts(1.0), 0.8), Some((1.0, Some(9.0), "copying".to_owned())));
        assert_eq!(counter.next(parts(1.0), 5.0), None);
        assert_eq!(counter.next(line("a line"), 6.0), None);
        assert_eq!(counter.next(None, 7.0), None);
        assert_eq!(counter.next(parts(2.0), 8.0), Some((2.0, Some(9.0), "copying".to_owned())));
    }
}
