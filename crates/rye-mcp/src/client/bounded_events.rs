//! The events of a reply, none of which is longer than is read.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use futures_core::stream::BoxStream;
use http_body::{Body, Frame};
use reqwest::Response;
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::{Sse, SseStream};

use super::http_post::RequestError;

/// The events of a reply, to a request if one was asked. In place of an event that is too long comes an error that answers
/// the request, and nothing after it. The library would take an error or the end of the stream for a connection that broke,
/// and connect again.
pub(super) fn bounded_events(
    response: Response,
    limit: usize,
    asked: Option<RequestId>,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let body = BoundedBody { body: response.into(), size: EventSize::new(limit) };
    Box::pin(BoundedEvents { events: Some(SseStream::new(body)), asked })
}

/// Whether an answer is the one that stands for an event that was too long. A server that gives it by itself is believed.
pub(super) fn is_too_long(error: &ErrorData) -> bool {
    error.code == TOO_LONG
}

/// No server has a reason to use this number: it is reserved, and nothing is meant by it.
const TOO_LONG: ErrorCode = ErrorCode(-32768);

struct BoundedEvents {
    /// There are none after one that was too long: with the body its connection is dropped.
    events: Option<SseStream<BoundedBody>>,
    asked: Option<RequestId>,
}

/// A body that fails once an event in it is too long.
struct BoundedBody {
    body: reqwest::Body,
    size: EventSize,
}

/// How much has come of an event.
#[derive(Debug)]
struct EventSize {
    limit: usize,
    /// What its lines have that are whole.
    lines: usize,
    /// What the line has that is not.
    line: usize,
    /// Whether that line is a comment, of which nothing is kept.
    is_comment: bool,
    /// Whether the line before ended with a carriage return, to which a line feed may belong.
    is_after_return: bool,
}

impl Stream for BoundedEvents {
    type Item = Result<Sse, SseError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(events) = &mut self.events else { return Poll::Pending };
        let event = ready!(Pin::new(events).poll_next(context));
        Poll::Ready(match event {
            Some(Err(error)) if is_bound(&error) => {
                self.events = None;
                Some(self.asked.take().and_then(too_long_answer).ok_or(error))
            }
            other => other,
        })
    }
}

impl Body for BoundedBody {
    type Data = Bytes;
    type Error = RequestError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, RequestError>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        Poll::Ready(frame.map(|frame| {
            let frame = frame.map_err(RequestError::Http)?;
            match frame.data_ref() {
                Some(bytes) if !self.size.admits(bytes) => Err(RequestError::TooLong),
                _ => Ok(frame),
            }
        }))
    }
}

impl EventSize {
    fn new(limit: usize) -> Self {
        Self { limit, lines: 0, line: 0, is_comment: false, is_after_return: false }
    }

    /// Counts what has come. Returns whether it may go on.
    fn admits(&mut self, bytes: &[u8]) -> bool {
        bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')).all(|part| self.admits_part(part))
    }

    /// The same for a line, or what has come of it.
    fn admits_part(&mut self, part: &[u8]) -> bool {
        let was_after_return = std::mem::replace(&mut self.is_after_return, part.ends_with(b"\r"));
        if was_after_return && part == b"\n" {
            return true;
        }
        if self.line == 0 {
            self.is_comment = part.starts_with(b":");
        }
        let is_whole = part.ends_with(b"\n") || part.ends_with(b"\r");
        self.line += part.len() - usize::from(is_whole);
        let is_short = self.lines + self.line <= self.limit;
        if is_whole {
            self.end_line();
        }
        is_short
    }

    fn end_line(&mut self) {
        match std::mem::take(&mut self.line) {
            0 => self.lines = 0,
            length if !self.is_comment => self.lines += length + 1,
            _ => {}
        }
    }
}

/// Whether the stream has ended because of us.
fn is_bound(error: &SseError) -> bool {
    match error {
        SseError::Body(error) => matches!(error.downcast_ref(), Some(RequestError::TooLong)),
        _ => false,
    }
}

/// An event that says that the answer to a request was too long.
fn too_long_answer(asked: RequestId) -> Option<Sse> {
    let error = ErrorData::new(TOO_LONG, "the answer is too long", None);
    let answer = serde_json::to_string(&ServerJsonRpcMessage::error(error, Some(asked)));
    answer.ok().map(|answer| Sse::default().data(answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(limit: usize, parts: &[&str], expect: bool) {
        let mut size = EventSize::new(limit);
        let admitted = parts.iter().all(|part| size.admits(part.as_bytes()));
        assert_eq!(admitted, expect, "{limit} {parts:?}");
    }

    #[test]
    fn an_event_is_counted_from_one_empty_line_to_the_next() {
        check(7, &["data: x"], true);
        check(6, &["data: x"], false);
        check(6, &["dat", "a: x"], false);
        for end in ["\n", "\r", "\r\n"] {
            check(15, &["data: a", end, "data: b"], true);
            check(14, &["data: a", end, "data: b"], false);
            check(14, &[&format!("data: a{end}data: b")], false);
            check(8, &["data: a", end, end, "data: b", end, end], true);
            check(8, &[&format!("data: a{end}{end}data: b")], true);
        }
        check(8, &["data: a\r", "\n", "\r\ndata: b"], true);
    }

    #[test]
    fn comments_count_only_while_they_are_read() {
        check(7, &["data: a\n", ": more\n"], false);
        check(20, &[": one\n: two\n: three\n: four\ndata: a\n\n"], true);
        check(20, &["data: a\n: one\n: two\ndata: b\n"], true);
        check(14, &["data: a\n: one\n: two\ndata: b\n"], false);
        check(20, &[": a comment that has no end"], false);
    }
}
