//! One request from its first message to the last byte of its answer.

use std::time::{Instant, SystemTime};

use reqwest::Response;
use reqwest::header;

use super::address::HttpUrl;
use super::classify::{cause, classify};
use super::error::HttpErrorKind;
use super::redirect::{Hop, is_redirect};
use super::request::{HttpRequest, Rules};
use super::response::{HttpEnding, HttpOutcome};
use super::retry::{is_transient, retry_after};
use super::transport::Transport;
use crate::capture::{Capture, Collector, Room};

/// The state of a request that is on its way.
#[derive(Debug)]
pub(super) struct Exchange<'a> {
    transport: &'a Transport,
    rules: &'a Rules,
    hop: Hop,
    begun: Instant,
    attempts: u32,
    redirects: Vec<HttpUrl>,
}

impl<'a> Exchange<'a> {
    pub(super) fn new(transport: &'a Transport, request: &'a HttpRequest, begun: Instant) -> Self {
        let hop = request.first_hop();
        Self { transport, rules: request.rules(), hop, begun, attempts: 1, redirects: Vec::new() }
    }

    /// Gives the outcome without its body, which goes to `body`.
    pub(super) async fn run(mut self, body: &mut Collector) -> Result<HttpOutcome, HttpErrorKind> {
        let mut response = self.answer().await?;
        while let Some(next) = self.next_hop(&response)? {
            let left = std::mem::replace(&mut self.hop, next);
            self.redirects.push(left.url);
            response = self.answer().await?;
        }
        let ending = read_body(&mut response, body).await?;
        Ok(HttpOutcome {
            status: response.status().as_u16(),
            url: self.hop.url,
            headers: std::mem::take(response.headers_mut()).into(),
            body: Capture::default(),
            ending,
            attempts: self.attempts,
            redirects: self.redirects,
            duration: self.begun.elapsed(),
        })
    }

    /// The answer to the current hop, after as many tries as the request allows.
    async fn answer(&mut self) -> Result<Response, HttpErrorKind> {
        loop {
            let answer = self.attempt().await;
            let asked = match &answer {
                Ok(response) if is_transient(response.status()) => {
                    let field = response.headers().get(header::RETRY_AFTER);
                    field.and_then(|field| retry_after(field, SystemTime::now()))
                }
                Err(HttpErrorKind::Dns { .. } | HttpErrorKind::Connect { .. }) => None,
                Ok(_) | Err(_) => return answer,
            };
            let Some(pause) = self.rules.retry.pause(self.hop.method, self.attempts, asked) else {
                return answer;
            };
            if pause >= self.rules.timeout.saturating_sub(self.begun.elapsed()) {
                return answer;
            }
            // The connection of an answer that nobody reads is given back before the wait, not after it.
            drop(answer);
            tokio::time::sleep(pause).await;
            self.attempts += 1;
        }
    }

    async fn attempt(&self) -> Result<Response, HttpErrorKind> {
        let Hop { method, url, user_info, headers, body } = &self.hop;
        let client = self.transport.client(url)?;
        let request = client
            .request((*method).into(), url.with_user_info(user_info.as_ref()))
            .headers(headers.to_map())
            .body(body.clone());
        request.send().await.map_err(|error| classify(&error))
    }

    fn next_hop(&self, response: &Response) -> Result<Option<Hop>, HttpErrorKind> {
        let location = response.headers().get(header::LOCATION).filter(|_| is_redirect(response.status()));
        let (Some(location), limit @ 1..) = (location, self.rules.max_redirects) else {
            return Ok(None);
        };
        if self.redirects.len() == limit {
            let chain = self.redirects.iter().chain([&self.hop.url]).cloned().collect();
            return Err(HttpErrorKind::TooManyRedirects { limit, chain });
        }
        Ok(Some(self.hop.redirected(response.status(), location)?))
    }
}

async fn read_body(response: &mut Response, body: &mut Collector) -> Result<HttpEnding, HttpErrorKind> {
    let mut received = 0;
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                received += chunk.len() as u64;
                if body.push(&chunk)? == Room::Exceeded {
                    return Ok(HttpEnding::LimitExceeded);
                }
            }
            Ok(None) => return Ok(HttpEnding::Complete),
            Err(error) => return Err(HttpErrorKind::BodyRead { received, source: cause(&error) }),
        }
    }
}
