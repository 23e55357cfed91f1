//! Answers that are on their way.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use tokio::sync::watch;

/// How many requests are being answered.
#[derive(Clone)]
pub(super) struct Answers(watch::Sender<usize>);

/// A request that is being answered, for as long as it is.
pub(super) struct Answering(watch::Sender<usize>);

/// The body of an answer.
struct AnsweringBody {
    body: Body,
    _answering: Answering,
}

impl Default for Answers {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl Answers {
    /// Begins to answer a request.
    pub(super) fn begin(&self) -> Answering {
        self.0.send_modify(|count| *count += 1);
        Answering(self.0.clone())
    }

    /// Waits until nothing is being answered.
    pub(super) async fn are_out(&self) {
        // The sender is here, so there is no end of this.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Answering {
    /// Goes with the answer until all of it is out, or nobody wants it.
    pub(super) fn go_with(self, response: Response) -> Response {
        response.map(|body| Body::new(AnsweringBody { body, _answering: self }))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl HttpBody for AnsweringBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
