//! Answers that are written by the thread that has them.
//!
//! On its way through the protocol's library an answer wakes up another thread, and passes three tasks there. Where standard
//! output is a pipe, whoever has an answer that a pipe takes as a whole writes it itself; what the library passes on after that
//! says no more than that the request was answered, and goes nowhere.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CallToolResult, JsonObject, JsonRpcResponse, MetaObject, ProtocolVersion, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::RequestContext;
use rmcp::transport::StdioWriter;
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use serde_json::Value;
use tokio::sync::Mutex;

use super::reply::Reply;

/// What a pipe takes as a whole or not at all.
const WHOLE: usize = 4096;
/// What stands in the place of an answer that was given.
const GIVEN: &str = "rye/answered";

/// Standard output, for whoever has an answer.
#[derive(Debug, Clone)]
pub(super) struct DirectOutput(Arc<Output>);

#[derive(Debug)]
struct Output {
    /// Our own way to the pipe, which does not block.
    pipe: OwnedFd,
    /// Whoever writes keeps this locked, until the last byte of a message.
    writer: Arc<Mutex<StdioWriter>>,
}

/// Where the answer to one request goes. It is given once: here, or by the library.
#[derive(Debug)]
pub(super) struct AnswerSlot {
    output: Option<DirectOutput>,
    id: RequestId,
    is_claimed: AtomicBool,
    is_given: AtomicBool,
}

/// An answer that can be given here.
#[derive(Debug, Clone)]
pub(super) struct DirectAnswer {
    slot: Arc<AnswerSlot>,
    is_legacy: bool,
}

impl DirectOutput {
    /// Standard output, if it is a pipe.
    pub(super) fn open(writer: &Arc<Mutex<StdioWriter>>) -> Option<Self> {
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let pipe = open("/proc/self/fd/1", flags, Mode::empty()).ok()?;
        let is_pipe = FileType::from_raw_mode(fstat(&pipe).ok()?.st_mode) == FileType::Fifo;
        is_pipe.then(|| Self(Arc::new(Output { pipe, writer: Arc::clone(writer) })))
    }

    /// Writes a line, unless it is long, or somebody else writes, or nobody reads.
    pub(super) fn write(&self, line: &[u8]) -> bool {
        line.len() <= WHOLE
            && self.0.writer.try_lock().is_ok_and(|_locked| {
                rustix::io::write(&self.0.pipe, line).is_ok_and(|written| written == line.len())
            })
    }
}

impl AnswerSlot {
    pub(super) fn new(output: Option<DirectOutput>, id: RequestId) -> Self {
        Self { output, id, is_claimed: AtomicBool::new(false), is_given: AtomicBool::new(false) }
    }

    pub(super) fn id(&self) -> &RequestId {
        &self.id
    }

    /// Whether the answer is being given.
    pub(super) fn is_claimed(&self) -> bool {
        self.is_claimed.load(Ordering::Acquire)
    }
}

impl DirectAnswer {
    /// The answer to a request, if it can be given here. Who wants to hear of progress hears all of it before.
    pub(super) fn to(context: &RequestContext<RoleServer>) -> Option<Self> {
        let slot = context.extensions.get::<Arc<AnswerSlot>>()?;
        if slot.output.is_none() || context.meta.get_progress_token().is_some() {
            return None;
        }
        let is_new = |version: ProtocolVersion| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str();
        Some(Self { slot: Arc::clone(slot), is_legacy: !context.protocol_version().is_some_and(is_new) })
    }

    /// The right to give the answer, which one has.
    pub(super) fn claim(&self) -> bool {
        !self.slot.is_claimed.swap(true, Ordering::AcqRel)
    }

    /// Gives the answer, if nobody else does and nothing stands in the way.
    pub(super) fn give(&self, reply: &mut Reply) {
        if !self.claim() {
            return;
        }
        // What is large is lent to the message.
        let structured = std::mem::take(&mut reply.structured);
        let result = CallToolResult::from(Reply { structured, ..reply.clone() });
        let mut result = ServerResult::from(CallToolResponse::from(result));
        if self.is_legacy {
            result.strip_result_type_for_legacy_peer();
        }
        let message = ServerJsonRpcMessage::response(result, self.slot.id.clone());
        let is_written = serde_json::to_vec(&message).is_ok_and(|mut line| {
            line.push(b'\n');
            self.slot.output.as_ref().is_some_and(|output| output.write(&line))
        });
        self.slot.is_given.store(is_written, Ordering::Release);
        if let ServerJsonRpcMessage::Response(JsonRpcResponse { result, .. }) = message
            && let ServerResult::CallToolResult(CallToolResult { structured_content, .. }) = result
            && let Some(Value::Object(structured)) = structured_content
        {
            reply.structured = structured;
        }
    }

    /// Whether it has been given here.
    pub(super) fn is_given(&self) -> bool {
        self.slot.is_given.load(Ordering::Acquire)
    }
}

/// What the library is told of an answer that was given.
pub(super) fn given() -> CallToolResult {
    let mut result = CallToolResult::success(Vec::new());
    result.meta = Some(MetaObject(JsonObject::from_iter([(GIVEN.to_owned(), true.into())])));
    result
}

/// Whether a message stands for an answer that was given. What a tool says never stands there.
pub(super) fn is_given(message: &ServerJsonRpcMessage) -> bool {
    match message {
        ServerJsonRpcMessage::Response(response) => match &response.result {
            ServerResult::CallToolResult(result) => {
                result.meta.as_ref().is_some_and(|meta| meta.0.contains_key(GIVEN))
            }
            _ => false,
        },
        _ => false,
    }
}
