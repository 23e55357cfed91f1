//! What a server may say to us without being asked.
#![expect(deprecated, reason = "servers of the older protocol still send log messages")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::ClientHandler;
use rmcp::model::{
    ElicitRequestParams, ElicitResult, ErrorData, Implementation, InitializeRequestParams,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::questions::Questions;

/// Something that happens while a server works.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ClientEvent {
    /// It has gone on for as long as the caller has said.
    GoesOn,
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

/// Our side of a session. It offers a server no files and no models, and answers to questions only if the operator has
/// decided so.
#[derive(Debug, Clone)]
pub(super) struct Handler {
    pub(super) questions: Questions,
    routes: Arc<Routes>,
}

/// Who waits for an answer, and what a server has said about its tools.
#[derive(Debug, Default)]
struct Routes {
    calls: Mutex<HashMap<ProgressToken, UnboundedSender<ClientEvent>>>,
    changes: AtomicU64,
}

/// What a server says while a call goes on.
#[derive(Debug)]
pub(super) struct Route {
    routes: Arc<Routes>,
    token: ProgressToken,
    pub(super) events: UnboundedReceiver<ClientEvent>,
}

impl Handler {
    pub(super) fn new(questions: Questions) -> Self {
        Self { questions, routes: Arc::default() }
    }

    /// Passes on what is said about a call, and what is said to nobody in particular.
    pub(super) fn route(&self, token: ProgressToken) -> Route {
        let (sender, events) = unbounded_channel();
        self.routes.calls().insert(token.clone(), sender);
        Route { routes: Arc::clone(&self.routes), token, events }
    }

    /// How often the server has said that its tools have changed.
    pub(super) fn changes(&self) -> u64 {
        self.routes.changes.load(Ordering::Acquire)
    }
}

impl Routes {
    fn calls(&self) -> MutexGuard<'_, HashMap<ProgressToken, UnboundedSender<ClientEvent>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Route {
    /// Passes on what has arrived.
    pub(super) fn tell_rest(&mut self, events: &mut dyn FnMut(ClientEvent)) {
        while let Ok(event) = self.events.try_recv() {
            events(event);
        }
    }
}

impl Drop for Route {
    fn drop(&mut self) {
        self.routes.calls().remove(&self.token);
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> InitializeRequestParams {
        let ours = Implementation::new("rye", env!("CARGO_PKG_VERSION"));
        InitializeRequestParams::new(self.questions.capabilities(), ours)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        asked: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.questions.answer(&asked))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        if let Some(call) = self.routes.calls().get(&params.progress_token) {
            // A call that is over does not listen any more.
            let _ = call.send(ClientEvent::Progress {
                done: params.progress,
                total: params.total,
                message: params.message,
            });
        }
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
        for call in self.routes.calls().values() {
            let _ = call.send(ClientEvent::Log { level: level.clone(), message: message.clone() });
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.routes.changes.fetch_add(1, Ordering::AcqRel);
    }
}
