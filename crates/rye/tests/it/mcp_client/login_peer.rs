//! A server that wants to know who somebody is, and somebody who logs people in there, on two ports of this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Output, Stdio};
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};

use crate::space::Call;

/// Both of them.
#[derive(Debug, Clone)]
pub(super) struct LoginPeer(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    server: SocketAddr,
    issuer: SocketAddr,
    state: Mutex<State>,
}

/// What they know, and how they behave.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The tokens that the server takes.
    pub(super) valid: BTreeSet<String>,
    /// The last refresh token.
    pub(super) refresh: String,
    /// The forms that were sent for tokens, without what is secret in them.
    pub(super) grants: Vec<String>,
    /// How long a token lasts, in seconds.
    pub(super) lifetime: u64,
    pub(super) misdeed: Option<Misdeed>,
    /// What the last login was asked to allow.
    pub(super) scope: String,
    challenge: String,
    given: usize,
}

/// What somebody does who should not be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Misdeed {
    OtherState,
    OtherIssuer,
    OtherResource,
    /// The server sends everybody elsewhere.
    Redirect(String),
    /// The server wants to be allowed more.
    MoreScopes,
    /// The server does not say how to log in.
    Mute,
    /// No refresh token is taken any more.
    Forgetful,
}

struct Request {
    method: String,
    path: String,
    query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
    body: String,
}

impl LoginPeer {
    pub(super) fn start() -> Self {
        let listen = || TcpListener::bind("127.0.0.1:0").unwrap();
        let (server, issuer) = (listen(), listen());
        let state = Mutex::new(State { lifetime: 3600, ..State::default() });
        let (at, by) = (server.local_addr().unwrap(), issuer.local_addr().unwrap());
        let peer = Self(Arc::new(Shared { server: at, issuer: by, state }));
        peer.serve(server, Self::as_server);
        peer.serve(issuer, Self::as_issuer);
        peer
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/mcp", self.0.server)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap()
    }

    fn serve(&self, listener: TcpListener, answer: fn(&Self, &Request) -> String) {
        let peer = self.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let peer = peer.clone();
                std::thread::spawn(move || {
                    let mut stream = stream;
                    if let Some(request) = Request::read(&stream) {
                        // A client that has gone away needs no answer.
                        let _ = stream.write_all(answer(&peer, &request).as_bytes());
                    }
                });
            }
        });
    }

    fn as_server(&self, request: &Request) -> String {
        let mut about = json!({ "resource": self.url(), "authorization_servers": [self.issuer()] });
        if request.path == "/.well-known/oauth-protected-resource/mcp" {
            if self.state().misdeed == Some(Misdeed::OtherResource) {
                about["resource"] = json!("https://bank.example/mcp");
            }
            return json_answer("200 OK", &about);
        }
        if request.path != "/mcp" || request.method != "POST" {
            return answer("405 Method Not Allowed", "", "");
        }
        let sent = request.headers.get("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let state = self.state();
        if !sent.is_some_and(|token| state.valid.contains(token)) {
            let about = format!("http://{}/.well-known/oauth-protected-resource/mcp", self.0.server);
            let header =
                format!("WWW-Authenticate: Bearer scope=\"talk\", resource_metadata=\"{about}\"\r\n");
            let is_mute = state.misdeed == Some(Misdeed::Mute);
            return answer("401 Unauthorized", if is_mute { "" } else { &header }, "");
        }
        if state.misdeed == Some(Misdeed::MoreScopes) {
            let header = "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"talk shout\"\r\n";
            return answer("403 Forbidden", header, "");
        }
        if let Some(Misdeed::Redirect(elsewhere)) = &state.misdeed {
            return answer("307 Temporary Redirect", &format!("Location: {elsewhere}\r\n"), "");
        }
        drop(state);
        let message: Value = serde_json::from_str(&request.body).unwrap();
        let result = match message["method"].as_str().unwrap() {
            "initialize" => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "box", "version": "1" },
            }),
            "tools/list" => json!({ "tools": [{ "name": "who", "inputSchema": { "type": "object" } }] }),
            // It repeats what it should keep to itself.
            "tools/call" => {
                json!({ "content": [{ "type": "text", "text": format!("you sent {}", sent.unwrap_or_default()) }] })
            }
            _ if message["id"].is_null() => return answer("202 Accepted", "", ""),
            _ => {
                let error = json!({ "code": -32601, "message": "no such method" });
                return json_answer(
                    "200 OK",
                    &json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }),
                );
            }
        };
        json_answer("200 OK", &json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
    }

    fn as_issuer(&self, request: &Request) -> String {
        let at = self.issuer();
        match request.path.as_str() {
            "/.well-known/oauth-authorization-server" => json_answer(
                "200 OK",
                &json!({
                    "issuer": at,
                    "authorization_endpoint": format!("{at}/authorize"),
                    "token_endpoint": format!("{at}/token"),
                    "registration_endpoint": format!("{at}/register"),
                    "code_challenge_methods_supported": ["S256"],
                    "token_endpoint_auth_methods_supported": ["none", "client_secret_post"],
                    "scopes_supported": ["talk", "offline_access"],
                }),
            ),
            "/register" => json_answer("201 Created", &json!({ "client_id": "registered" })),
            "/authorize" => self.authorize(&request.query),
            "/token" => self.token(&pairs(&request.body)),
            _ => answer("404 Not Found", "", ""),
        }
    }

    fn authorize(&self, asked: &BTreeMap<String, String>) -> String {
        assert_eq!(asked["resource"], self.url());
        assert_eq!(asked["code_challenge_method"], "S256");
        let mut state = self.state();
        state.scope = asked.get("scope").cloned().unwrap_or_default();
        state.challenge.clone_from(&asked["code_challenge"]);
        let returned = match state.misdeed {
            Some(Misdeed::OtherState) => "somebody-elses",
            _ => &asked["state"],
        };
        let from = match state.misdeed {
            Some(Misdeed::OtherIssuer) => "https://bank.example".to_owned(),
            _ => self.issuer(),
        };
        let back = format!("{}?code=the-code&state={returned}&iss={from}", asked["redirect_uri"]);
        answer("302 Found", &format!("Location: {back}\r\n"), "")
    }

    fn token(&self, form: &BTreeMap<String, String>) -> String {
        let mut state = self.state();
        let secret = if form.contains_key("client_secret") { " with its secret" } else { "" };
        state.grants.push(format!("{} {}{secret}", form["grant_type"], form["client_id"]));
        let is_good = match form["grant_type"].as_str() {
            "authorization_code" => {
                form["code"] == "the-code" && challenge_of(&form["code_verifier"]) == state.challenge
            }
            _ => form["refresh_token"] == state.refresh && state.misdeed != Some(Misdeed::Forgetful),
        };
        if !is_good || form["resource"] != self.url() {
            return json_answer("400 Bad Request", &json!({ "error": "invalid_grant" }));
        }
        state.given += 1;
        let token = format!("access-{}-of-the-operator", state.given);
        state.refresh = format!("refresh-{}-of-the-operator", state.given);
        state.valid = BTreeSet::from([token.clone()]);
        json_answer(
            "200 OK",
            &json!({
                "access_token": token,
                "token_type": "Bearer",
                "expires_in": state.lifetime,
                "refresh_token": state.refresh,
            }),
        )
    }

    fn issuer(&self) -> String {
        format!("http://{}", self.0.issuer)
    }
}

/// Runs a command that wants somebody to log in, and does so as a browser would.
pub(super) fn logged_in(call: &Call<'_>) -> Output {
    let mut child = call.command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    if let Some(address) = line.trim_end().strip_prefix("log in: open ") {
        let back = get(address).1.unwrap();
        let (status, _) = get(&back);
        assert!(status.contains("200"), "{status}");
    }
    let mut output = ended(child);
    output.stderr = line.into_bytes();
    errors.read_to_end(&mut output.stderr).unwrap();
    output
}

fn ended(child: Child) -> Output {
    child.wait_with_output().unwrap()
}

/// The first line of the answer, and where it leads.
fn get(address: &str) -> (String, Option<String>) {
    let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let mut lines = answer.lines();
    let status = lines.next().unwrap().to_owned();
    (status, lines.find_map(|line| line.strip_prefix("Location: ")).map(str::to_owned))
}

/// The challenge for a verifier, as somebody else computes it.
#[expect(clippy::disallowed_methods, reason = "another program than the tested one")]
fn challenge_of(verifier: &str) -> String {
    let code = "import base64,hashlib,sys;print(base64.urlsafe_b64encode(hashlib.sha256(sys.argv[1].encode()).digest()).decode().rstrip('='))";
    let output =
        std::process::Command::new("/usr/bin/python3").args(["-c", code, verifier]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

impl Request {
    fn read(stream: &TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let mut words = line.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut headers = BTreeMap::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
        let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        Some(Self {
            method,
            path: path.to_owned(),
            query: pairs(query),
            headers,
            body: String::from_utf8(body).unwrap(),
        })
    }
}

fn pairs(text: &str) -> BTreeMap<String, String> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), decoded(value))).collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                bytes.push(u8::from_str_radix(str::from_utf8(&digits).unwrap(), 16).unwrap());
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).unwrap()
}

fn json_answer(status: &str, body: &Value) -> String {
    answer(status, "Content-Type: application/json\r\n", &body.to_string())
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}
