//! HTTP requests against servers on this machine.

mod broken;
mod limits;
mod proxy;
mod redirects;
mod requests;
mod retries;
mod server;
mod tls;

use lillux::http::{HttpClient, HttpClientOptions, HttpError, HttpMethod, HttpOutcome, HttpRequest};

fn client() -> HttpClient {
    HttpClient::new(HttpClientOptions::default()).unwrap()
}

fn get(url: &str) -> HttpRequest {
    HttpRequest::new(HttpMethod::Get, url).unwrap()
}

fn send(request: &HttpRequest) -> Result<HttpOutcome, HttpError> {
    client().send(request, None)
}

fn text(outcome: &HttpOutcome) -> &str {
    str::from_utf8(&outcome.body.bytes).unwrap()
}

/// An error with all its causes, as a person would see it.
fn whole(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
