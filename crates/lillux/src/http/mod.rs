//! Sending one HTTP request and keeping what comes back within a bound.
//!
//! A request states everything that may happen on its way: how long it may take in all, how many redirects
//! are followed, how much of the answer is kept, and whether it is tried again. A status of 400 or above is an
//! outcome like any other; an error means that there is no answer to show.
//!
//! The client speaks HTTP/1.1 and hands out bodies as the server sent them: it never asks for compression and
//! never decompresses, so a limit on the answer is a limit on what travels. It uses no proxy unless its options
//! say so, keeps no cookies, and never sends credentials to an origin that the caller did not name.
//!
//! ```
//! use lillux::http::{HttpClient, HttpClientOptions, HttpErrorKind, HttpMethod, HttpRequest, Retry};
//! use std::time::Duration;
//!
//! let client = HttpClient::new(HttpClientOptions::default())?;
//! let request = HttpRequest::new(HttpMethod::Get, "http://127.0.0.1:1/")?
//!     .header("accept", "application/json")?
//!     .timeout(Duration::from_secs(5))
//!     .retry(Retry::Idempotent { max: 1, backoff: Duration::from_millis(1) });
//!
//! let error = client.send(&request, None).expect_err("nothing listens on port 1");
//! assert!(matches!(error.kind(), HttpErrorKind::Connect { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod address;
mod classify;
mod client;
mod error;
mod exchange;
mod headers;
mod method;
mod name_lookup;
mod redirect;
mod request;
mod response;
mod retry;
mod tls;
mod transport;

pub use address::{HttpUrl, InvalidUrl};
pub use client::{HttpClient, HttpClientOptions, ProxyPolicy};
pub use error::{HttpClientError, HttpClientErrorKind, HttpError, HttpErrorKind};
pub use headers::{HttpHeaders, InvalidHeader};
pub use method::{HttpMethod, ParseMethodError};
pub use name_lookup::SystemResolver;
pub use redirect::RedirectRefusal;
pub use request::HttpRequest;
pub use response::{HttpEnding, HttpOutcome};
pub use retry::Retry;
pub use tls::{TlsConfigError, TlsRoots};
