//! What a client and the protocol's library have agreed on, as far as their messages show.

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ProtocolVersion, RequestId,
    ServerJsonRpcMessage, ServerResult,
};

/// How far a session has come.
#[derive(Debug, Default)]
pub(super) enum SessionState {
    /// Nobody has said hello, or it is a session in which a call may need more than an answer.
    #[default]
    Other,
    /// A client that has plain sessions has said hello.
    Greeted(RequestId),
    /// It was answered.
    Answered,
    /// The client has confirmed that.
    Plain,
}

impl SessionState {
    /// Whether this is a session of the older form of the protocol, with a client that expects answers to calls and
    /// nothing else.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Self::Plain)
    }

    /// Notes what the client has said.
    pub(super) fn hear(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Request(request) => {
                if let ClientRequest::InitializeRequest(hello) = &request.request {
                    let knows_tasks = hello.params.capabilities.supports_tasks();
                    *self = if knows_tasks { Self::Other } else { Self::Greeted(request.id.clone()) };
                }
            }
            ClientJsonRpcMessage::Notification(notification)
                if matches!(notification.notification, ClientNotification::InitializedNotification(_))
                    && matches!(self, Self::Answered) =>
            {
                *self = Self::Plain;
            }
            _ => {}
        }
    }

    /// Notes what the library has answered.
    pub(super) fn say(&mut self, message: &ServerJsonRpcMessage) {
        if let (Self::Greeted(id), ServerJsonRpcMessage::Response(response)) = (&*self, message)
            && *id == response.id
        {
            *self = match &response.result {
                ServerResult::InitializeResult(about)
                    if about.protocol_version.as_str() < ProtocolVersion::V_2026_07_28.as_str() =>
                {
                    Self::Answered
                }
                _ => Self::Other,
            };
        }
    }
}
