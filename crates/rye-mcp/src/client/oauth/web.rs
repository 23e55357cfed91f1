//! The requests of a login: small, bounded, without redirects, and in the clear only on this machine.

use std::time::Duration;

use lillux::http::{SystemResolver, TlsRoots};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde::de::DeserializeOwned;
use url::{Host, Url};
use zeroize::Zeroizing;

use super::super::http_server::{USER_AGENT, with_sources};
use super::error::OAuthError;
use super::secret_text::SecretText;

/// Whom a login may speak to, and how.
#[derive(Debug, Clone)]
pub(super) struct Web {
    client: Client,
    /// Only a server on this machine may name addresses on this machine that are spoken to in the clear: any other would
    /// have us ask for what only we can reach.
    is_local: bool,
}

/// What somebody answered.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) body: Zeroizing<Vec<u8>>,
}

/// No description, and no answer with a token, is longer.
const LONGEST: usize = 256 * 1024;
/// No answer takes longer.
const PATIENCE: Duration = Duration::from_secs(20);

impl Web {
    /// What the login at a server may use.
    pub(super) fn for_server(server: &str) -> Result<Self, OAuthError> {
        let client = Client::builder()
            .tls_backend_preconfigured(TlsRoots::Platform.client_config()?)
            .user_agent(USER_AGENT)
            .no_proxy()
            .dns_resolver(SystemResolver)
            .redirect(Policy::none())
            .timeout(PATIENCE)
            .build()
            .map_err(|error| unreachable(server, &error))?;
        let mut web = Self { client, is_local: true };
        // What is asked for first says whether anything else may be on this machine.
        web.is_local = is_on_this_machine(&web.checked(server)?) && !server.starts_with("https:");
        Ok(web)
    }

    /// An address that may be spoken to.
    pub(super) fn checked(&self, address: &str) -> Result<Url, OAuthError> {
        let insecure = || OAuthError::Insecure { address: address.to_owned() };
        let url = Url::parse(address).map_err(|_| insecure())?;
        let has_password = !url.username().is_empty() || url.password().is_some();
        let is_good = match url.scheme() {
            "https" => true,
            "http" => self.is_local && is_on_this_machine(&url),
            _ => false,
        };
        if is_good && !has_password && url.host().is_some() { Ok(url) } else { Err(insecure()) }
    }

    /// Reads a description, if there is one at this address.
    pub(super) async fn description<T: DeserializeOwned>(
        &self,
        address: &str,
    ) -> Result<Option<T>, OAuthError> {
        let request = self.client.get(self.checked(address)?).header(ACCEPT, "application/json");
        let reply = read(address, send(address, request).await?).await?;
        if reply.status.is_client_error() {
            return Ok(None);
        }
        if !reply.status.is_success() {
            return Err(OAuthError::malformed(address, format!("its status is {}", reply.status)));
        }
        serde_json::from_slice(&reply.body).map(Some).map_err(|error| OAuthError::malformed(address, error))
    }

    /// Sends JSON, and returns what comes back.
    pub(super) async fn post_json(
        &self,
        address: &str,
        body: &serde_json::Value,
    ) -> Result<Reply, OAuthError> {
        let request = self.client.post(self.checked(address)?).header(CONTENT_TYPE, "application/json");
        let request = request.header(ACCEPT, "application/json").body(body.to_string());
        read(address, send(address, request).await?).await
    }

    /// Sends a form, with the client's name and secret as the password if that is how it shows who it is.
    pub(super) async fn post_form(
        &self,
        address: &str,
        form: Zeroizing<String>,
        password: Option<&SecretText>,
    ) -> Result<Reply, OAuthError> {
        let request = self.client.post(self.checked(address)?);
        let mut request = request
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(ACCEPT, "application/json")
            .body(form.as_bytes().to_vec());
        if let Some(password) = password {
            let mut value = HeaderValue::from_str(password.expose())
                .map_err(|_| OAuthError::malformed(address, "the client's secret cannot be sent"))?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        read(address, send(address, request).await?).await
    }
}

/// Whether an address is one of this machine, whatever a name server says.
fn is_on_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

async fn send(address: &str, request: RequestBuilder) -> Result<Response, OAuthError> {
    request.send().await.map_err(|error| unreachable(address, &error))
}

async fn read(address: &str, mut response: Response) -> Result<Reply, OAuthError> {
    let status = response.status();
    let mut body = Zeroizing::new(Vec::new());
    while let Some(chunk) = response.chunk().await.map_err(|error| unreachable(address, &error))? {
        if body.len() + chunk.len() > LONGEST {
            return Err(OAuthError::malformed(address, format!("it is longer than {LONGEST} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Reply { status, body })
}

/// Addresses may have secrets in their queries, so the library does not get to show them.
fn unreachable(address: &str, error: &reqwest::Error) -> OAuthError {
    let address = address.split(['?', '#']).next().unwrap_or_default().to_owned();
    let reason = match std::error::Error::source(error) {
        Some(source) => with_sources(source),
        None if error.is_timeout() => "it does not answer in time".to_owned(),
        None => "the request failed".to_owned(),
    };
    OAuthError::Unreachable { address, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_server_on_this_machine_is_spoken_to_in_the_clear() {
        let check = |server: &str, address: &str, expect: bool| {
            let is_good = Web::for_server(server).unwrap().checked(address).is_ok();
            assert_eq!(is_good, expect, "{server} {address}");
        };
        check("https://example.com/mcp", "https://login.example.com/", true);
        check("https://example.com/mcp", "http://login.example.com/", false);
        check("https://example.com/mcp", "http://127.0.0.1/", false);
        check("https://localhost/mcp", "http://127.0.0.1/", false);
        check("http://127.0.0.1:8000/mcp", "http://localhost:9000/", true);
        check("http://[::1]:8000/mcp", "http://[::1]:9000/", true);
        check("http://127.0.0.1:8000/mcp", "https://example.com", true);
        check("http://127.0.0.1:8000/mcp", "http://example.com", false);
        check("http://127.0.0.1:8000/mcp", "http://a:b@127.0.0.1", false);
        check("http://127.0.0.1:8000/mcp", "file:///etc/passwd", false);
        check("http://127.0.0.1:8000/mcp", "nothing", false);
        for server in ["http://example.com/mcp", "http://localhost.example.com/", "ftp://127.0.0.1/"] {
            assert!(matches!(Web::for_server(server), Err(OAuthError::Insecure { .. })), "{server}");
        }
    }
}
