//! Finding out which form of the protocol a server speaks, without waiting for one that does not answer.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;

/// How a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Beginning {
    /// With the newest form of the protocol, and with a handshake if the server does not know it.
    #[default]
    Probe,
    /// With a handshake.
    Handshake,
    /// With the newest form of the protocol.
    Newest,
}

/// What became of the question for the newest form of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum ProbeAnswer {
    /// It was answered in time, or not asked.
    InTime,
    /// It was not answered.
    Never,
    /// It was answered when nobody waited any more.
    Late,
}

/// What a transport notes about the question.
#[derive(Debug, Clone, Default)]
pub(super) struct ProbeNote(Arc<AtomicU8>);

/// A transport in which the question for the newest form of the protocol has an answer after a while: that there is no
/// such method, if the server says nothing. The real answer, if it still comes, is left out.
pub(super) struct Probing<T> {
    inner: T,
    state: State,
    note: ProbeNote,
    patience: Duration,
}

enum State {
    Waiting,
    Asked { id: RequestId, until: Instant },
    GivenUp { id: RequestId },
    Done,
}

/// A server that takes longer than this to answer the question has not understood it, or has not started yet.
pub(super) const PROBE: Duration = Duration::from_millis(1500);
/// The same for a server of which is known that it understands.
pub(super) const LONG_PROBE: Duration = Duration::from_secs(30);

impl ProbeNote {
    pub(super) fn get(&self) -> ProbeAnswer {
        match self.0.load(Ordering::Acquire) {
            0 => ProbeAnswer::InTime,
            1 => ProbeAnswer::Never,
            _ => ProbeAnswer::Late,
        }
    }

    fn set(&self, answer: ProbeAnswer) {
        self.0.store(answer as u8, Ordering::Release);
    }
}

impl<T> Probing<T> {
    pub(super) fn new(inner: T, patience: Duration) -> (Self, ProbeNote) {
        let note = ProbeNote::default();
        (Self { inner, state: State::Waiting, note: note.clone(), patience }, note)
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Probing<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let (State::Waiting, JsonRpcMessage::Request(request)) = (&self.state, &item) {
            self.state = match &request.request {
                ClientRequest::DiscoverRequest(_) => {
                    State::Asked { id: request.id.clone(), until: Instant::now() + self.patience }
                }
                _ => State::Done,
            };
        }
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let message = match &self.state {
                State::Asked { id, until } => {
                    let waited = tokio::time::timeout_at((*until).into(), self.inner.receive()).await;
                    let Ok(message) = waited else {
                        let silence = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no answer", None);
                        let id = id.clone();
                        self.note.set(ProbeAnswer::Never);
                        self.state = State::GivenUp { id: id.clone() };
                        return Some(JsonRpcMessage::error(silence, Some(id)));
                    };
                    message
                }
                _ => self.inner.receive().await,
            };
            match (&self.state, message.as_ref().and_then(answered)) {
                (State::Asked { id, .. }, Some(answered)) if answered == id => self.state = State::Done,
                (State::GivenUp { id }, Some(answered)) if answered == id => {
                    if matches!(message, Some(JsonRpcMessage::Response(_))) {
                        self.note.set(ProbeAnswer::Late);
                    }
                    self.state = State::Done;
                    continue;
                }
                _ => {}
            }
            return message;
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}

/// The request that a message answers.
fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}
