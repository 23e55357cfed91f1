//! What a server may say to us without being asked.
#![expect(deprecated, reason = "servers of the older protocol still send log messages")]

use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, Implementation, InitializeRequestParams, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RoleClient};

/// Something that a server says while it works.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ClientEvent {
    /// How far it is.
    Progress {
        /// How much is done.
        done: f64,
        /// How much there is.
        total: Option<f64>,
        /// What it is doing.
        message: Option<String>,
    },
    /// A line of its log.
    Log {
        /// How serious it is.
        level: String,
        /// What it says.
        message: String,
    },
}

/// Who is told.
pub(super) type Listener = Arc<dyn Fn(ClientEvent) + Send + Sync>;

/// Our side of a session. It offers a server nothing: no files, no questions to people, no models.
#[derive(Clone)]
pub(super) struct Handler {
    pub(super) listener: Listener,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> InitializeRequestParams {
        let ours = Implementation::new("rye", env!("CARGO_PKG_VERSION"));
        InitializeRequestParams::new(ClientCapabilities::default(), ours)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        (self.listener)(ClientEvent::Progress {
            done: params.progress,
            total: params.total,
            message: params.message,
        });
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let level = serde_json::to_value(params.level).ok();
        let level = level.as_ref().and_then(|level| level.as_str()).unwrap_or("info").to_owned();
        let message = match params.data {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        (self.listener)(ClientEvent::Log { level, message });
    }
}
