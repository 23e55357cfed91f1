//! Standard output, for answers that the library does not write.

use std::sync::Arc;

use rmcp::model::RequestId;
use rmcp::transport::StdioWriter;
use serde::Serialize;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Mutex;

use super::backlog::Backlog;
use super::direct_answer::DirectOutput;
use super::reply::{Reply, ReplyResult};

/// Where answers go, in the older form of the protocol.
#[derive(Debug, Clone)]
pub(super) struct Outlet {
    pub(super) direct: Option<DirectOutput>,
    pub(super) writer: Arc<Mutex<StdioWriter>>,
    pub(super) backlog: Backlog,
}

#[derive(Serialize)]
struct Message<'a> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    result: ReplyResult<'a>,
}

impl Outlet {
    /// Answers a request: at once, if nothing stands in the way, and otherwise as soon as it goes.
    pub(super) fn answer(&self, id: &RequestId, reply: &Reply) {
        let message = Message { jsonrpc: "2.0", id, result: ReplyResult::from(reply) };
        match serde_json::to_vec(&message) {
            Ok(mut line) => {
                line.push(b'\n');
                self.write(line);
            }
            Err(error) => tracing::error!("an answer cannot be written: {error}"),
        }
    }

    fn write(&self, line: Vec<u8>) {
        if self.direct.as_ref().is_some_and(|direct| direct.write(&line)) {
            return;
        }
        let (writer, waiting) = (Arc::clone(&self.writer), self.backlog.begin());
        tokio::spawn(async move {
            let mut writer = writer.lock().await;
            let written = async {
                writer.write_all(&line).await?;
                writer.flush().await
            };
            if let Err(error) = written.await {
                tracing::error!("an answer cannot be told: {error}");
            }
            drop(waiting);
        });
    }
}
