//! Whoever has the tokens for one server.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use serde_json::json;
use tokio::sync::Mutex as AsyncMutex;

use super::UserAgent;
use super::authorization::authorize;
use super::challenge::Challenge;
use super::discovery::Place;
use super::error::OAuthError;
use super::login::{Login, LoginLock, LoginStore};
use super::registration::{GivenClient, RegisteredClient};
use super::secret_text::SecretText;
use super::web::Web;
use super::{scopes, token_request};
use crate::client::error::ClientErrorKind;
use crate::client::http_server::{http_client, with_sources};
use crate::client::patience::Patience;
use crate::client::{OAuthConfig, ResolvedServer, Transport};

/// What a session, or a person who logs in, needs for it.
#[derive(Debug, Clone)]
pub struct OAuth {
    /// Where the login is kept.
    pub store: Arc<dyn LoginStore>,
    /// Who takes a person to whoever logs people in. A session without one does not log in by itself.
    pub agent: Option<Arc<dyn UserAgent>>,
    /// The client that the operator has registered; that of the server's file if there is none.
    pub client: Option<GivenClient>,
    /// What is asked for beside what the server's file says.
    pub scopes: Vec<String>,
}

/// Whoever has the tokens for one server, for as long as a session lives.
#[derive(Debug)]
pub(in crate::client) struct Authorizer {
    server: String,
    oauth: OAuth,
    login: AsyncMutex<Known>,
    failure: Mutex<Option<OAuthError>>,
    /// The last tokens that the server was sent.
    sent: Mutex<VecDeque<SecretText>>,
}

/// What is known about the login.
#[derive(Debug)]
enum Known {
    Nothing,
    Read(Option<Box<Login>>),
}

/// Somebody else who renews the login has so long for it.
const OTHERS: Duration = Duration::from_secs(30);
/// So often is looked whether they are done.
const LOOK: Duration = Duration::from_millis(50);

/// So many tokens are kept out of what a server says.
const REMEMBERED: usize = 8;
const HIDDEN: &str = "[token]";
const NOBODY: &str = "nobody has logged in";
const NOT_ANY_MORE: &str = "the login is not valid any more";

impl OAuth {
    /// A session uses the login that is kept here.
    pub fn new(store: Arc<dyn LoginStore>) -> Self {
        Self { store, agent: None, client: None, scopes: Vec::new() }
    }

    /// Logs in where nobody is logged in.
    #[must_use]
    pub fn agent(mut self, agent: Arc<dyn UserAgent>) -> Self {
        self.agent = Some(agent);
        self
    }

    /// Uses a client that the operator has registered.
    #[must_use]
    pub fn client(mut self, client: Option<GivenClient>) -> Self {
        self.client = client;
        self
    }

    /// Asks for more than the server's file says.
    #[must_use]
    pub fn scopes(mut self, scopes: Vec<String>) -> Self {
        self.scopes = scopes;
        self
    }

    /// Adds what the server's file says. The operator's word at a login goes before it.
    pub(in crate::client) fn with_file(mut self, file: Option<&OAuthConfig>) -> Self {
        let Some(file) = file else { return self };
        let more = file.scopes.iter().filter(|scope| !self.scopes.contains(scope)).cloned();
        self.scopes = more.collect::<Vec<_>>().into_iter().chain(std::mem::take(&mut self.scopes)).collect();
        if let (None, Some(id)) = (&self.client, &file.client_id) {
            self.client = Some(GivenClient { id: id.clone(), secret: None, issuer: None });
        }
        self
    }
}

/// Logs in at a server, and keeps the login.
///
/// # Errors
/// If that fails; the login that is there stays as it is then.
pub fn log_in(server: &ResolvedServer, oauth: &OAuth, patience: &Patience) -> Result<Login, OAuthError> {
    let Transport::Http { url, headers, auth } = &server.transport else {
        return Err(OAuthError::NoMetadata { server: "a program".to_owned() });
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|source| OAuthError::System { doing: "wait for connections", source })?;
    let oauth = oauth.clone().with_file(auth.as_ref());
    let authorizer = Authorizer::new(url, oauth);
    let done = runtime.block_on(patience.wait(async {
        // It is checked before anything is sent.
        Web::for_server(url)?;
        let client = http_client(url, headers)
            .map_err(|error| OAuthError::Unreachable { address: url.clone(), reason: error.to_string() })?;
        let challenge = ask(&client, url).await?;
        Ok(authorizer.log_in(&challenge, &[]).await?)
    }));
    done.map_err(|kind| match kind {
        ClientErrorKind::Authorization(error) => error,
        ClientErrorKind::TimedOut { limit } => OAuthError::TimedOut { limit },
        _ => OAuthError::Cancelled,
    })
}

/// What a server says to somebody whom it does not know. One that says nothing may still describe itself.
async fn ask(client: &reqwest::Client, url: &str) -> Result<Challenge, OAuthError> {
    const PATIENCE: Duration = Duration::from_secs(20);
    let question = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "rye", "version": env!("CARGO_PKG_VERSION") },
        },
    });
    let request = client.post(url).timeout(PATIENCE).body(question.to_string());
    let request = request.header(CONTENT_TYPE, "application/json");
    let request = request.header(ACCEPT, "application/json, text/event-stream");
    let answer = request.send().await.map_err(|error| OAuthError::Unreachable {
        address: url.to_owned(),
        reason: with_sources(&error.without_url()),
    })?;
    let headers = answer.headers().get_all(WWW_AUTHENTICATE).iter();
    let headers: Vec<_> = headers.filter_map(|header| header.to_str().ok()).collect();
    Ok(Challenge::parse(&headers.join(", ")))
}

impl Authorizer {
    pub(in crate::client) fn new(server: &str, oauth: OAuth) -> Self {
        let login = AsyncMutex::new(Known::Nothing);
        Self { server: server.to_owned(), oauth, login, failure: Mutex::default(), sent: Mutex::default() }
    }

    /// Why there was no token, if that is what went wrong. It is told once.
    pub(in crate::client) fn take_failure(&self) -> Option<OAuthError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// A text without the tokens that the server was sent, in case that it repeats them.
    pub(in crate::client) fn concealed(&self, text: String) -> String {
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.iter().fold(text, |text, token| {
            if text.contains(token.expose()) { text.replace(token.expose(), HIDDEN) } else { text }
        })
    }

    pub(super) fn remember(&self, token: &SecretText) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        if !sent.contains(token) {
            sent.truncate(REMEMBERED - 1);
            sent.push_front(token.clone());
        }
    }

    pub(super) fn note(&self, failure: OAuthError) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
    }

    /// The token for the next request. Without one, the server says what it wants, if there is somebody who can log in.
    pub(in crate::client) async fn token(&self) -> Result<Option<SecretText>, OAuthError> {
        let mut known = self.login.lock().await;
        if matches!(*known, Known::Nothing) {
            *known = Known::Read(self.oauth.store.load().map_err(OAuthError::Store)?.map(Box::new));
        }
        let login = match &*known {
            Known::Read(Some(login)) => login,
            _ if self.oauth.agent.is_some() => return Ok(None),
            _ => return Err(OAuthError::LoginNeeded { why: NOBODY }),
        };
        if !(login.is_over() && login.is_renewable()) {
            return Ok(Some(login.access_token.clone()));
        }
        let login = self.refreshed(&login.clone()).await?;
        let token = login.as_ref().map(|login| login.access_token.clone());
        *known = Known::Read(login.map(Box::new));
        match token {
            None if self.oauth.agent.is_none() => Err(OAuthError::LoginNeeded { why: NOT_ANY_MORE }),
            token => Ok(token),
        }
    }

    /// A token in place of one that the server does not take.
    pub(super) async fn renewed(
        &self,
        refused: Option<&SecretText>,
        header: &str,
    ) -> Result<SecretText, OAuthError> {
        let mut known = self.login.lock().await;
        if let Known::Read(Some(login)) = &*known {
            if refused != Some(&login.access_token) {
                return Ok(login.access_token.clone());
            }
            if let Some(login) = self.refreshed(&login.clone()).await? {
                let token = login.access_token.clone();
                *known = Known::Read(Some(Box::new(login)));
                return Ok(token);
            }
        }
        let why = if refused.is_some() { NOT_ANY_MORE } else { NOBODY };
        if self.oauth.agent.is_none() {
            return Err(OAuthError::LoginNeeded { why });
        }
        let login = self.log_in(&Challenge::parse(header), &[]).await?;
        let token = login.access_token.clone();
        *known = Known::Read(Some(Box::new(login)));
        Ok(token)
    }

    /// A token that allows more than the one that was sent. What was asked for already is not asked for again, so there is an
    /// end to it.
    pub(super) async fn stepped_up(
        &self,
        sent: Option<&SecretText>,
        header: &str,
    ) -> Result<SecretText, OAuthError> {
        let challenge = Challenge::parse(header);
        let mut known = self.login.lock().await;
        let earlier = match &*known {
            Known::Read(Some(login)) if sent != Some(&login.access_token) => {
                return Ok(login.access_token.clone());
            }
            Known::Read(Some(login)) => login.scopes.clone(),
            _ => Vec::new(),
        };
        let scopes: Vec<_> = scopes::words(challenge.scope.as_deref()).map(str::to_owned).collect();
        let is_new = scopes.iter().any(|scope| !earlier.contains(scope));
        if self.oauth.agent.is_none() || !is_new {
            return Err(OAuthError::ScopeNeeded { scopes });
        }
        let login = self.log_in(&challenge, &earlier).await?;
        let token = login.access_token.clone();
        *known = Known::Read(Some(Box::new(login)));
        Ok(token)
    }

    /// Gets new tokens without a person, unless somebody else has just done so. `None` if that is not possible any more.
    async fn refreshed(&self, login: &Login) -> Result<Option<Login>, OAuthError> {
        let _lock = self.lock().await?;
        let Some(kept) = self.oauth.store.load().map_err(OAuthError::Store)? else { return Ok(None) };
        if kept.access_token != login.access_token && !kept.is_over() {
            return Ok(Some(kept));
        }
        let web = Web::for_server(&self.server)?;
        let renewed = token_request::refresh(&web, &kept).await?;
        if let Some(login) = &renewed {
            self.oauth.store.save(login).map_err(OAuthError::Store)?;
        }
        Ok(renewed)
    }

    async fn lock(&self) -> Result<LoginLock, OAuthError> {
        let waiting = async {
            loop {
                match self.oauth.store.try_lock() {
                    Ok(Some(lock)) => return Ok(lock),
                    Ok(None) => tokio::time::sleep(LOOK).await,
                    Err(error) => return Err(OAuthError::Store(error)),
                }
            }
        };
        let waited = tokio::time::timeout(OTHERS, waiting).await;
        waited.unwrap_or_else(|_| Err(OAuthError::Store("somebody else holds it".into())))
    }

    /// Has a person log in.
    async fn log_in(&self, challenge: &Challenge, earlier: &[String]) -> Result<Login, OAuthError> {
        let Some(agent) = &self.oauth.agent else {
            return Err(OAuthError::LoginNeeded { why: NOBODY });
        };
        let web = Web::for_server(&self.server)?;
        let place = Place::find(&web, &self.server, challenge).await?;
        let before = self.oauth.store.load().map_err(OAuthError::Store)?;
        let given = self.given_client(before.as_ref());
        let client = RegisteredClient::at(&web, &place.issuer, given.as_ref(), &agent.redirect_uri()).await?;
        let wanted =
            scopes::wanted(earlier, &self.oauth.scopes, challenge.scope.as_deref(), place.scopes.as_deref());
        let wanted = scopes::with_offline_access(wanted, place.issuer.scopes_supported.as_deref());
        let code = authorize(&place, &client, &wanted, &**agent)?;
        let login = token_request::redeem(&web, &place, client, &code, wanted).await?;
        self.oauth.store.save(&login).map_err(OAuthError::Store)?;
        Ok(login)
    }

    /// The operator's client. It is known to whoever logged people in with it before, and to nobody else.
    fn given_client(&self, before: Option<&Login>) -> Option<GivenClient> {
        let mut given = self.oauth.client.clone()?;
        if let Some(before) = before.filter(|before| before.client.id == given.id)
            && given.secret.is_none()
        {
            given.secret.clone_from(&before.client.secret);
            given.issuer.get_or_insert_with(|| before.issuer.clone());
        }
        Some(given)
    }
}
