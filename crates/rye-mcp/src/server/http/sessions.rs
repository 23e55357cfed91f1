//! The sessions of the older protocol: the library's, but for two things. It is said when they begin and end, and the end of a
//! session ends what was asked for in it, since nobody can come back for the answer. The library would wait for a while.

use std::sync::Arc;

use futures_core::Stream;
use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use rmcp::transport::{Transport, WorkerTransport};

type LocalTransport = WorkerTransport<LocalSessionWorker>;

/// The sessions that there are.
#[derive(Default)]
pub(super) struct Sessions(LocalSessionManager);

/// The messages of one session.
pub(super) struct SessionTransport {
    inner: LocalTransport,
    /// The requests that are not answered yet.
    open: Vec<RequestId>,
}

impl Sessions {
    pub(super) fn shared() -> Arc<Self> {
        Arc::default()
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, inner) = self.0.create_session().await?;
        tracing::info!("a session begins");
        Ok((id, SessionTransport { inner, open: Vec::new() }))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.0.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.0.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.0.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.0.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.0.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.0.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.0.resume(id, last_event_id).await
    }
}

impl SessionTransport {
    fn close_request(&mut self, id: Option<&RequestId>) {
        self.open.retain(|open| Some(open) != id);
    }

    /// Notes which requests a message opens or closes.
    fn note(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Request(request) => self.open.push(request.id.clone()),
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification {
                    self.close_request(cancelled.params.request_id.as_ref());
                }
            }
            ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => {}
        }
    }
}

impl Transport<RoleServer> for SessionTransport {
    type Error = <LocalTransport as Transport<RoleServer>>::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match &message {
            ServerJsonRpcMessage::Response(answer) => self.close_request(Some(&answer.id)),
            ServerJsonRpcMessage::Error(answer) => self.close_request(answer.id.as_ref()),
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => {}
        }
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        if let Some(message) = self.inner.receive().await {
            self.note(&message);
            return Some(message);
        }
        self.open.pop().map(cancellation)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

impl Drop for SessionTransport {
    fn drop(&mut self) {
        tracing::info!("a session ends");
    }
}

fn cancellation(id: RequestId) -> ClientJsonRpcMessage {
    let params = CancelledNotificationParam::new(Some(id), Some("the session is over".to_owned()));
    let notification = CancelledNotification::new(params);
    ClientJsonRpcMessage::notification(ClientNotification::CancelledNotification(notification))
}
