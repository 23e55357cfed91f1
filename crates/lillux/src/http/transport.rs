//! The machinery behind a client: one worker thread, and the connections.

use std::future::Future;
use std::io;
use std::sync::{Mutex, PoisonError};

use reqwest::redirect::Policy;
use tokio::runtime::Runtime;

use super::address::HttpUrl;
use super::client::ProxyPolicy;
use super::error::HttpErrorKind;
use super::name_lookup::SystemResolver;
use super::tls::ParsedRoots;

const USER_AGENT: &str = concat!("lillux/", env!("CARGO_PKG_VERSION"));

/// How many names may be looked up at the same time. A lookup cannot be interrupted, so a dead name server must
/// not use up all of them quickly.
const LOOKUPS: usize = 32;

/// Where futures run and connections live.
#[derive(Debug)]
pub(super) struct Transport {
    /// Absent only while it is being dropped.
    runtime: Option<Runtime>,
    roots: ParsedRoots,
    proxy: ProxyPolicy,
    plain: Mutex<Option<reqwest::Client>>,
    secure: Mutex<Option<reqwest::Client>>,
}

impl Transport {
    pub(super) fn start(roots: ParsedRoots, proxy: ProxyPolicy) -> io::Result<Self> {
        // A thread of its own notices when a server closes an idle connection; otherwise the next request would
        // be written into the void.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(LOOKUPS)
            .thread_name("lillux-http")
            .enable_all()
            .build()?;
        Ok(Self { runtime: Some(runtime), roots, proxy, plain: Mutex::default(), secure: Mutex::default() })
    }

    /// Runs `work` on this thread; only the connections run on the other one.
    pub(super) fn block_on<T>(
        &self,
        work: impl Future<Output = Result<T, HttpErrorKind>>,
    ) -> Result<T, HttpErrorKind> {
        let gone = || HttpErrorKind::Start { source: io::ErrorKind::BrokenPipe.into() };
        self.runtime.as_ref().ok_or_else(gone)?.block_on(work)
    }

    /// The connections for `url`.
    ///
    /// The platform's roots are read when the first encrypted connection needs them, so that a plain request
    /// neither waits for them nor fails on a machine that has none.
    pub(super) fn client(&self, url: &HttpUrl) -> Result<reqwest::Client, HttpErrorKind> {
        // Even a plain request may reach its proxy over TLS.
        let encrypts = url.is_secure() || self.proxy == ProxyPolicy::Environment;
        if encrypts {
            self.made(&self.secure, &self.roots)
        } else {
            self.made(&self.plain, &ParsedRoots::nobody())
        }
    }

    fn made(
        &self,
        slot: &Mutex<Option<reqwest::Client>>,
        roots: &ParsedRoots,
    ) -> Result<reqwest::Client, HttpErrorKind> {
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*slot {
            return Ok(client.clone());
        }
        let client = self.build(roots)?;
        *slot = Some(client.clone());
        Ok(client)
    }

    fn build(&self, roots: &ParsedRoots) -> Result<reqwest::Client, HttpErrorKind> {
        let config = roots.config().map_err(|source| HttpErrorKind::Tls { source })?;
        let builder = reqwest::Client::builder()
            .tls_backend_preconfigured(config)
            .user_agent(USER_AGENT)
            .tcp_nodelay(true)
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .dns_resolver(SystemResolver);
        let builder = match self.proxy {
            ProxyPolicy::None => builder.no_proxy(),
            ProxyPolicy::Environment => builder,
        };
        builder.build().map_err(|error| HttpErrorKind::Start { source: io::Error::other(error) })
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        // Dropping a runtime waits for its lookups, and a lookup may take a minute.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
