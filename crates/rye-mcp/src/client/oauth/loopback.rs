//! Waiting on this machine for a person who comes back from logging in.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Mutex;
use std::time::Duration;

use super::UserAgent;
use super::error::OAuthError;
use crate::client::error::ClientErrorKind;
use crate::client::patience::Patience;

/// Shows an address to a person, and listens on a port of this machine until they come back.
pub struct LoopbackAgent {
    listener: TcpListener,
    port: u16,
    patience: Patience,
    show: Mutex<Show>,
}

/// Whoever shows an address to a person.
type Show = Box<dyn FnMut(&str) + Send>;

/// A browser that has connected, and what it has said up to now.
struct Visitor {
    stream: TcpStream,
    said: Vec<u8>,
}

/// What a browser wants.
enum Wish {
    Answer(String),
    Something,
    Nothing,
    Unknown,
}

const PATH: &str = "/callback";
/// No request of a browser is longer.
const LONGEST: usize = 16 * 1024;
/// Browsers connect more often than they ask.
const VISITORS: usize = 32;
const LOOK: Duration = Duration::from_millis(20);

impl LoopbackAgent {
    /// Listens on a port, or on any that is free.
    ///
    /// # Errors
    /// If that is not possible.
    pub fn listen(
        port: Option<u16>,
        patience: Patience,
        show: impl FnMut(&str) + Send + 'static,
    ) -> Result<Self, OAuthError> {
        let failed = |source| OAuthError::System { doing: "wait for the answer on this machine", source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self { listener, port, patience, show: Mutex::new(Box::new(show)) })
    }

    fn wait(&self) -> Result<String, OAuthError> {
        let mut visitors: Vec<Visitor> = Vec::new();
        loop {
            match self.patience.end() {
                Some(ClientErrorKind::TimedOut { limit }) => return Err(OAuthError::TimedOut { limit }),
                Some(_) => return Err(OAuthError::Cancelled),
                None => {}
            }
            while let Ok((stream, _)) = self.listener.accept() {
                if visitors.len() >= VISITORS {
                    visitors.remove(0);
                }
                if stream.set_nonblocking(true).is_ok() {
                    visitors.push(Visitor { stream, said: Vec::new() });
                }
            }
            let mut staying = Vec::new();
            for mut visitor in visitors {
                match visitor.listen() {
                    Wish::Unknown => staying.push(visitor),
                    Wish::Nothing => {}
                    Wish::Something => visitor.answer("404 Not Found", "There is nothing here."),
                    Wish::Answer(query) => {
                        visitor.answer("200 OK", "RYE has the answer. You can close this window.");
                        return Ok(format!("{}?{query}", self.redirect_uri()));
                    }
                }
            }
            visitors = staying;
            std::thread::sleep(LOOK);
        }
    }
}

impl UserAgent for LoopbackAgent {
    fn redirect_uri(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    fn visit(&self, address: &str) -> Result<String, OAuthError> {
        if let Ok(mut show) = self.show.lock() {
            show(address);
        }
        self.wait()
    }
}

impl fmt::Debug for LoopbackAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoopbackAgent").field("port", &self.port).finish_non_exhaustive()
    }
}

impl Visitor {
    fn listen(&mut self) -> Wish {
        let mut bytes = [0; 2048];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => return Wish::Nothing,
                Ok(read) => self.said.extend_from_slice(&bytes[..read]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Wish::Nothing,
            }
            if self.said.len() > LONGEST {
                return Wish::Nothing;
            }
        }
        if !self.said.windows(4).any(|end| end == b"\r\n\r\n") {
            return Wish::Unknown;
        }
        wish(&self.said)
    }

    /// Whether it gets there does not matter.
    fn answer(mut self, status: &str, text: &str) {
        let page = format!("<!doctype html><title>RYE</title><p>{text}</p>\n");
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
             Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
            page.len()
        );
        let _ = self.stream.set_nonblocking(false);
        let _ = self.stream.set_write_timeout(Some(Duration::from_secs(1)));
        let _ = self.stream.write_all(format!("{head}{page}").as_bytes());
    }
}

/// What the first line of a request asks for.
fn wish(said: &[u8]) -> Wish {
    let line = said.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let Ok(line) = str::from_utf8(line) else { return Wish::Something };
    let Some(rest) = line.strip_prefix("GET ") else { return Wish::Something };
    let target = rest.split(' ').next().unwrap_or_default();
    match target.split_once('?') {
        Some((PATH, query)) => Wish::Answer(query.to_owned()),
        _ => Wish::Something,
    }
}
