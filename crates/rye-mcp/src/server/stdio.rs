//! Messages on standard input and output, one in each line.
//!
//! This is the library's transport but for nine things: plain runs are none of its business (see [`short_way`](super::short_way)), a message keeps its text (see
//! [`sent_parameters`](super::sent_parameters)), a call is read in a shorter way (see [`call_message`](super::call_message)),
//! and may be answered in one (see [`direct_answer`](super::direct_answer)), what cannot be read is answered, a request with the
//! id of one that is not answered yet is refused, a notification that comes before anything else does not end the server, the end
//! of the input ends the calls that are at work, and whoever does not read its answers is not listened to.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, GetExtensions as _, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::async_rw::{JsonRpcMessageCodec, JsonRpcMessageCodecError};
use rmcp::transport::{StdioReader, StdioWriter, Transport, stdio_pipes};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;
use tokio_util::bytes::BytesMut;
use tokio_util::codec::Decoder as _;
use tokio_util::sync::CancellationToken;

use super::backlog::Backlog;
use super::call_message::read_call;
use super::direct_answer::{AnswerSlot, DirectOutput, is_given};
use super::handler::Shared;
use super::outlet::Outlet;
use super::refusal::Refusal;
use super::sent_parameters::SentMessage;
use super::session_state::SessionState;
use super::short_call::ShortCall;
use super::short_way::{HandedOver, ShortWay};

/// The longest message that is read.
const LONGEST: usize = 16 * 1024 * 1024;
/// So much is kept of both ends of one that is longer: the name of a request is there.
const EDGE: usize = 1024;
/// How long calls may go on after the end of the input, so that whoever sends a few messages and closes has answers.
const PATIENCE: Duration = Duration::from_secs(1);

/// The transport.
pub(super) struct Stdio {
    reader: BufReader<StdioReader>,
    writer: Arc<Mutex<StdioWriter>>,
    /// What those write to who have an answer, if that is possible.
    output: Option<DirectOutput>,
    line: Vec<u8>,
    /// The end of what was read of a line that is too long. Then `line` has its beginning.
    tail: Option<Vec<u8>>,
    /// Whether a request was received.
    is_open: bool,
    /// The requests that were neither answered nor cancelled.
    at_work: HashMap<RequestId, Arc<AnswerSlot>>,
    /// Requests that were cancelled. As long as one of them is worked on, the library may still take its answer for that to
    /// another one with its id.
    given_up: HashMap<RequestId, Arc<AnswerSlot>>,
    /// A request that waits until the library knows that another one with its id was answered.
    held: Option<(ClientJsonRpcMessage, Arc<AnswerSlot>)>,
    /// What the client has agreed on with the library.
    session: SessionState,
    short_way: ShortWay,
    /// Calls that came by the short way, and are for the library after all.
    handed_over: UnboundedReceiver<HandedOver>,
    closing: CancellationToken,
    backlog: Backlog,
    /// When nothing is waited for any more, once the input has ended.
    end: Option<Instant>,
}

/// A line that was read.
enum Line {
    Whole,
    TooLong {
        /// Its end.
        tail: Vec<u8>,
    },
    /// A call that came by the short way.
    HandedOver(HandedOver),
    End,
}

impl Stdio {
    /// Takes standard input and output. The server is closed a while after the input has ended.
    pub(super) fn new(server: &Arc<Shared>) -> Self {
        let (reader, writer) = stdio_pipes();
        let writer = Arc::new(Mutex::new(writer));
        let (output, backlog) = (DirectOutput::open(&writer), server.places.backlog().clone());
        let outlet = Outlet { direct: output.clone(), writer: Arc::clone(&writer), backlog: backlog.clone() };
        let (library, handed_over) = unbounded_channel();
        Self {
            reader: BufReader::with_capacity(64 * 1024, reader),
            output,
            writer,
            session: SessionState::default(),
            short_way: ShortWay::new(Arc::clone(server), outlet, library),
            handed_over,
            line: Vec::new(),
            tail: None,
            is_open: false,
            at_work: HashMap::new(),
            given_up: HashMap::new(),
            held: None,
            closing: server.closing.clone(),
            backlog,
            end: None,
        }
    }

    /// Reads a line. Whoever gives up waiting loses nothing: what was read stays.
    async fn read_line(&mut self) -> io::Result<Line> {
        loop {
            let available = tokio::select! {
                biased;
                Some(call) = self.handed_over.recv() => return Ok(Line::HandedOver(call)),
                available = self.reader.fill_buf() => available?,
            };
            if available.is_empty() {
                if self.line.is_empty() || self.tail.is_some() {
                    return Ok(Line::End);
                }
                // What stands before the end is a line, too.
                self.line.push(b'\n');
                return Ok(Line::Whole);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let count = end.map_or(available.len(), |end| end + 1);
            match &mut self.tail {
                None => self.line.extend_from_slice(&available[..count]),
                Some(tail) => {
                    tail.extend_from_slice(&available[..count]);
                    tail.drain(..tail.len().saturating_sub(EDGE));
                }
            }
            self.reader.consume(count);
            if self.line.len() > LONGEST {
                self.tail = Some(self.line[self.line.len() - EDGE..].to_vec());
                self.line.truncate(EDGE);
                self.line.shrink_to_fit();
            }
            if end.is_some() {
                let tail = self.tail.take();
                return Ok(tail.map_or(Line::Whole, |tail| Line::TooLong { tail }));
            }
        }
    }

    /// Reads a message out of a line. What is no message has an error for the sender, or is passed over.
    fn read_message(&mut self) -> Result<Option<ClientJsonRpcMessage>, Box<Refusal>> {
        let text = Bytes::from(std::mem::take(&mut self.line));
        if text.trim_ascii().is_empty() {
            return Ok(None);
        }
        if self.session.is_plain()
            && let Some(call) = ShortCall::read(&text)
        {
            // Otherwise the library has to hear of another request with its id first.
            let is_free = !self.at_work.contains_key(&call.id) && !self.is_given_up(&call.id);
            if is_free && !self.short_way.has(&call.id) && self.short_way.take(call, &text) {
                return Ok(None);
            }
        }
        self.read_for_library(text)
    }

    /// Whether a request with this id was cancelled, and is still worked on.
    fn is_given_up(&self, id: &RequestId) -> bool {
        self.given_up.get(id).is_some_and(is_worked_on)
    }

    /// Reads a message that the library gets.
    fn read_for_library(&mut self, text: Bytes) -> Result<Option<ClientJsonRpcMessage>, Box<Refusal>> {
        let Some(mut message) = read_call(&text).map_or_else(|| read_any(&text), |call| Ok(Some(call)))?
        else {
            return Ok(None);
        };
        self.session.hear(&message);
        match &mut message {
            ClientJsonRpcMessage::Request(request) => {
                self.is_open = true;
                if self.short_way.has(&request.id) {
                    return Err(Box::new(Refusal::in_use(request.id.clone())));
                }
                let slot = Arc::new(AnswerSlot::new(self.output.clone(), request.id.clone()));
                let extensions = request.request.extensions_mut();
                extensions.insert(SentMessage(text));
                extensions.insert(Arc::clone(&slot));
                let is_given_up = self.is_given_up(&request.id);
                match self.at_work.entry(request.id.clone()) {
                    Entry::Vacant(_) if is_given_up => {
                        return Err(Box::new(Refusal::in_use(request.id.clone())));
                    }
                    Entry::Vacant(entry) => drop(entry.insert(slot)),
                    // Its answer is on its way, or even there, and the library is about to hear of that.
                    Entry::Occupied(entry) if entry.get().is_claimed() => {
                        self.held = Some((message, slot));
                        return Ok(None);
                    }
                    // The library would take the answer to one of the two for that to the other.
                    Entry::Occupied(_) => return Err(Box::new(Refusal::in_use(request.id.clone()))),
                }
            }
            // Nobody has said hello yet, so there is nothing that this could be about.
            _ if !self.is_open => return Ok(None),
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    if self.short_way.cancel(id) {
                        return Ok(None);
                    }
                    let Entry::Occupied(entry) = self.at_work.entry(id.clone()) else {
                        return Ok(Some(message));
                    };
                    // What is being answered cannot be cancelled any more.
                    if entry.get().is_claimed() {
                        return Ok(None);
                    }
                    self.given_up.retain(|_, slot| is_worked_on(slot));
                    self.given_up.extend([entry.remove_entry()]);
                }
            }
            _ => {}
        }
        Ok(Some(message))
    }

    /// Gives the request that was held back, if its id is free by now. If not, the library comes again when it has heard of
    /// the answer to the other one.
    async fn let_go(&mut self) -> ClientJsonRpcMessage {
        match self.held.take_if(|(_, slot)| !self.at_work.contains_key(slot.id())) {
            Some((message, slot)) => {
                self.at_work.insert(slot.id().clone(), slot);
                message
            }
            None => pending().await,
        }
    }

    /// Answers what is no message. Whoever waits for the next message gives up waiting at any time, so the answer is written by
    /// a task of its own: it would be lost otherwise, or cut off in the middle of its line.
    fn refuse(&mut self, refusal: Refusal) {
        tracing::warn!("a message was refused: {}", refusal.reason());
        let answer = self.write(refusal.into_message());
        tokio::spawn(async move {
            if let Err(error) = answer.await {
                tracing::error!("a refusal cannot be told: {error}");
            }
        });
    }

    fn write(&self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let sending =
            (!is_given(&message)).then(|| (Arc::clone(&self.writer), self.backlog.begin(), message));
        async move {
            let Some((writer, waiting, message)) = sending else { return Ok(()) };
            let written = write(&writer, &message).await;
            drop(waiting);
            written
        }
    }

    /// Takes a call that came by the short way.
    fn take_over(&mut self, call: HandedOver) -> Result<Option<ClientJsonRpcMessage>, Box<Refusal>> {
        call.take().map_or(Ok(None), |text| self.read_for_library(text))
    }

    /// Ends the calls that are at work in a while. What waits to be written has as long.
    fn wind_up(&mut self) -> impl Future<Output = ()> + use<> {
        let closing = &self.closing;
        let end = *self.end.get_or_insert_with(|| {
            let end = Instant::now() + PATIENCE;
            let closing = closing.clone();
            tokio::spawn(async move {
                tokio::time::sleep_until(end).await;
                closing.cancel();
            });
            end
        });
        let (short_way, backlog) = (self.short_way.clone(), self.backlog.clone());
        async move {
            short_way.is_idle(end).await;
            // Whoever does not read until then does not want to know.
            let _ = tokio::time::timeout_at(end, backlog.is_empty()).await;
        }
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = answered {
            self.at_work.remove(id);
        }
        self.session.say(&message);
        self.write(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.held.is_some() {
                return Some(self.let_go().await);
            }
            self.backlog.has_room().await;
            let read = match self.read_line().await {
                Ok(Line::Whole) => self.read_message(),
                Ok(Line::HandedOver(call)) => self.take_over(call),
                Ok(Line::TooLong { tail }) => {
                    let head = std::mem::take(&mut self.line);
                    Err(Box::new(Refusal::too_long(LONGEST, &head, &tail)))
                }
                Ok(Line::End) | Err(_) => {
                    let winding_up = self.wind_up();
                    tokio::select! {
                        biased;
                        Some(call) = self.handed_over.recv() => self.take_over(call),
                        () = winding_up => return None,
                    }
                }
            };
            match read {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(refusal) => self.refuse(*refusal),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Whether whoever answers a request still has it.
fn is_worked_on(slot: &Arc<AnswerSlot>) -> bool {
    Arc::strong_count(slot) > 1
}

/// Reads a message of any kind. There is none if it can be passed over.
fn read_any(text: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Box<Refusal>> {
    let mut codec = JsonRpcMessageCodec::<ClientJsonRpcMessage>::new();
    let decoded = codec.decode(&mut BytesMut::from(text));
    decoded.map_err(|error| {
        Box::new(match error {
            JsonRpcMessageCodecError::Serde(error) => Refusal::of(text, &error),
            error => Refusal::not_json(&error),
        })
    })
}

async fn write(writer: &Mutex<StdioWriter>, message: &ServerJsonRpcMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut writer = writer.lock().await;
    writer.write_all(&line).await?;
    writer.flush().await
}
