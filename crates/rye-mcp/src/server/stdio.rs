//! Messages on standard input and output, one in each line.
//!
//! This is the library's transport but for six things: a message keeps its text (see
//! [`sent_parameters`](super::sent_parameters)), a call is read in a shorter way (see [`call_message`](super::call_message)),
//! what cannot be read is answered, a notification that comes before anything else does not end the server, the end of the
//! input ends the calls that are at work, and whoever does not read its answers is not listened to.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, GetExtensions as _, ServerJsonRpcMessage};
use rmcp::transport::async_rw::{JsonRpcMessageCodec, JsonRpcMessageCodecError};
use rmcp::transport::{StdioReader, StdioWriter, Transport, stdio_pipes};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex, watch};
use tokio_util::bytes::BytesMut;
use tokio_util::codec::Decoder as _;
use tokio_util::sync::CancellationToken;

use super::call_message::read_call;
use super::refusal::Refusal;
use super::sent_parameters::SentMessage;

/// The longest message that is read.
const LONGEST: usize = 16 * 1024 * 1024;
/// So many messages may wait to be written before nothing more is read.
const WAITING: usize = 64;
/// How long calls may go on after the end of the input, so that whoever sends a few messages and closes has answers.
const PATIENCE: Duration = Duration::from_secs(1);

/// The transport.
pub(super) struct Stdio {
    reader: BufReader<StdioReader>,
    writer: Arc<Mutex<StdioWriter>>,
    line: Vec<u8>,
    /// Whether the rest of the line is passed over, because it is too long.
    is_too_long: bool,
    /// Whether a request was received.
    is_open: bool,
    closing: CancellationToken,
    /// How many messages wait to be written.
    waiting: watch::Sender<usize>,
}

/// A message that waits to be written, for as long as it does.
struct Waiting(watch::Sender<usize>);

/// A line that was read.
enum Line {
    Whole,
    TooLong,
    End,
}

impl Stdio {
    /// Takes standard input and output. `closing` is cancelled a while after the input has ended.
    pub(super) fn new(closing: CancellationToken) -> Self {
        let (reader, writer) = stdio_pipes();
        Self {
            reader: BufReader::with_capacity(64 * 1024, reader),
            writer: Arc::new(Mutex::new(writer)),
            line: Vec::new(),
            is_too_long: false,
            is_open: false,
            closing,
            waiting: watch::Sender::new(0),
        }
    }

    /// Reads a line. Whoever gives up waiting loses nothing: what was read stays.
    async fn read_line(&mut self) -> io::Result<Line> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(Line::End);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let count = end.map_or(available.len(), |end| end + 1);
            if !self.is_too_long {
                self.line.extend_from_slice(&available[..count]);
            }
            self.reader.consume(count);
            if self.line.len() > LONGEST {
                self.line = Vec::new();
                self.is_too_long = true;
            }
            if end.is_some() {
                let was_too_long = std::mem::take(&mut self.is_too_long);
                return Ok(if was_too_long { Line::TooLong } else { Line::Whole });
            }
        }
    }

    /// Reads a message out of a line. What is no message has an error for the sender, or is passed over.
    fn read_message(&mut self) -> Result<Option<ClientJsonRpcMessage>, Box<Refusal>> {
        let text = Bytes::from(std::mem::take(&mut self.line));
        if text.trim_ascii().is_empty() {
            return Ok(None);
        }
        let Some(mut message) = read_call(&text).map_or_else(|| read_any(&text), |call| Ok(Some(call)))?
        else {
            return Ok(None);
        };
        match &mut message {
            ClientJsonRpcMessage::Request(request) => {
                self.is_open = true;
                request.request.extensions_mut().insert(SentMessage(text));
            }
            // Nobody has said hello yet, so there is nothing that this could be about.
            _ if !self.is_open => return Ok(None),
            _ => {}
        }
        Ok(Some(message))
    }

    async fn refuse(&mut self, refusal: Box<Refusal>) -> io::Result<()> {
        tracing::warn!("a message was refused: {}", refusal.reason());
        write(&self.writer, &refusal.into_message()).await
    }
}

impl Waiting {
    fn begin(waiting: &watch::Sender<usize>) -> Self {
        waiting.send_modify(|waiting| *waiting += 1);
        Self(waiting.clone())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.send_modify(|waiting| *waiting -= 1);
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        let waiting = Waiting::begin(&self.waiting);
        async move {
            let written = write(&writer, &message).await;
            drop(waiting);
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // The sender is here, so there is no end of this.
            let _ = self.waiting.subscribe().wait_for(|waiting| *waiting < WAITING).await;
            let refused = match self.read_line().await {
                Ok(Line::Whole) => match self.read_message() {
                    Ok(Some(message)) => return Some(message),
                    Ok(None) => continue,
                    Err(error) => error,
                },
                Ok(Line::TooLong) => Box::new(Refusal::too_long(LONGEST)),
                Ok(Line::End) | Err(_) => {
                    let closing = self.closing.clone();
                    tokio::spawn(async move {
                        tokio::time::sleep(PATIENCE).await;
                        closing.cancel();
                    });
                    return None;
                }
            };
            self.refuse(refused).await.ok()?;
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
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
