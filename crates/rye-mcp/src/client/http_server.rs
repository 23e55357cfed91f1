//! A server that is reached by HTTP.

use std::error::Error;
use std::sync::Arc;

use lillux::http::{SystemResolver, TlsRoots};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::error::ClientErrorKind;
use super::http_post::Failure;
use super::oauth::{AuthorizedClient, Authorizer};
use super::server_config::Variables;
use super::watched_output::MAX_MESSAGE;

pub(super) const USER_AGENT: &str = concat!("rye/", env!("CARGO_PKG_VERSION"));

/// The connection to a server. It is made when the first message is sent.
pub(super) fn transport(
    url: &str,
    headers: &Variables,
    authorizer: Option<Arc<Authorizer>>,
) -> Result<StreamableHttpClientTransport<AuthorizedClient>, ClientErrorKind> {
    let client = AuthorizedClient::new(http_client(url, headers)?, authorizer);
    let config = StreamableHttpClientTransportConfig::with_uri(url).max_sse_event_size(MAX_MESSAGE);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// What sends requests to a server.
pub(super) fn http_client(url: &str, headers: &Variables) -> Result<reqwest::Client, ClientErrorKind> {
    let is_secure = url.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"));
    let tls = if is_secure { TlsRoots::Platform.client_config()? } else { TlsRoots::nobody()? };
    let client = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(USER_AGENT)
        .tcp_nodelay(true)
        .no_proxy()
        .dns_resolver(SystemResolver)
        // Whoever redirects us would get what is in the headers.
        .redirect(Policy::none())
        .default_headers(header_map(headers)?);
    client.build().map_err(|error| ClientErrorKind::Http { reason: error.to_string() })
}

/// What a transport says went wrong, with all causes: its library keeps those of the HTTP client to itself.
pub(super) fn reason(error: &(dyn Error + 'static)) -> String {
    match error.downcast_ref::<Failure>() {
        Some(Failure::Client(error)) => with_sources(error),
        _ => with_sources(error),
    }
}

pub(super) fn with_sources(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", with_sources(source)),
        None => error.to_string(),
    }
}

fn header_map(headers: &Variables) -> Result<HeaderMap, ClientErrorKind> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let wrong =
            |reason: String| ClientErrorKind::Http { reason: format!("the header `{name}`: {reason}") };
        let key: HeaderName = name.parse().map_err(|_| wrong("is no name".to_owned()))?;
        let mut value: HeaderValue =
            value.parse().map_err(|_| wrong("has a value that cannot be sent".to_owned()))?;
        value.set_sensitive(true);
        map.insert(key, value);
    }
    Ok(map)
}
