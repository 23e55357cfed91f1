//! How a server is started or reached, as its file says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rye_template::{Template, expand_variables};
use serde::Deserialize;
use serde_json::Value;

use super::questions::Questions;

/// How a server is started or reached, with placeholders for variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    transport: Transport,
    questions: Questions,
}

/// How a server is started or reached, with the values of all variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedServer {
    /// How.
    pub transport: Transport,
    /// What its questions are answered with.
    pub questions: Questions,
    /// The environment of its program, if it is one.
    pub environment: Variables,
}

/// Variables by their names.
pub type Variables = BTreeMap<String, String>;

/// How a server is talked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// By the standard streams of a program that is started for it.
    Stdio {
        /// The program: a path, or a name that is looked up in `PATH`.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables that it has beside those of ours.
        env: Variables,
        /// Its working directory; that of the call if there is none.
        cwd: Option<PathBuf>,
    },
    /// By HTTP.
    Http {
        /// Where.
        url: String,
        /// What is sent with each request.
        headers: Variables,
        /// How somebody logs in there, if somebody has to.
        auth: Option<OAuthConfig>,
    },
}

/// How somebody logs in at a server by OAuth.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OAuthConfig {
    /// What a login is asked to allow; what the server asks for if there is nothing.
    pub scopes: Vec<String>,
    /// The client that the operator has registered, or the address of its description.
    pub client_id: Option<String>,
}

/// The ways to log in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AuthKind {
    OAuth,
}

/// A description of a server that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerConfigError {
    /// The file cannot be read.
    #[error("the description of the server cannot be read: {reason}")]
    Unreadable {
        /// Why not.
        reason: String,
    },
    /// It describes nothing.
    #[error("the description of the server has neither `command` nor `url`")]
    Nothing,
    /// It describes two servers.
    #[error("the description of the server has both `command` and `url`")]
    Both,
    /// It says how to log in, and nobody can.
    #[error("the description of the server has `{field}`, which needs {needs}")]
    Login {
        /// What it has.
        field: &'static str,
        /// What it would need for that.
        needs: &'static str,
    },
    /// It needs variables that there are not.
    #[error("the description of the server needs {}", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))]
    Unset {
        /// Their names.
        names: BTreeSet<String>,
    },
}

/// The keys that a description has.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, Value>,
    cwd: Option<PathBuf>,
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, Value>,
    auth: Option<AuthKind>,
    #[serde(default)]
    scopes: Vec<String>,
    client_id: Option<String>,
    #[serde(default)]
    questions: Questions,
}

impl ServerConfig {
    /// Reads a file that describes a server by its `config`, or a tool that does so by its `server`.
    ///
    /// # Errors
    /// If it does not.
    pub fn parse(bytes: &[u8]) -> Result<Self, ServerConfigError> {
        let unreadable = |reason: String| ServerConfigError::Unreadable { reason };
        let file = match rye_metadata::read_data_file("server.yaml", bytes) {
            Some(Ok(file)) => file,
            Some(Err(error)) => return Err(unreadable(with_sources(&error))),
            None => return Err(unreadable("it is no YAML".to_owned())),
        };
        let described = match (file.get("server"), file.get("config")) {
            (Some(server @ Value::Object(_)), _) => server,
            (_, Some(config @ Value::Object(_))) => config,
            _ => return Err(ServerConfigError::Nothing),
        };
        Self::from_value(described)
    }

    /// Reads the description itself.
    ///
    /// # Errors
    /// If it is none.
    pub fn from_value(described: &Value) -> Result<Self, ServerConfigError> {
        let fields = Fields::deserialize(described)
            .map_err(|error| ServerConfigError::Unreadable { reason: error.to_string() })?;
        let auth = fields.login()?;
        let questions = fields.questions;
        let transport = match (fields.command, fields.url) {
            (Some(command), None) => {
                Transport::Stdio { command, args: fields.args, env: texts(fields.env), cwd: fields.cwd }
            }
            (None, Some(url)) => Transport::Http { url, headers: texts(fields.headers), auth },
            (None, None) => return Err(ServerConfigError::Nothing),
            (Some(_), Some(_)) => return Err(ServerConfigError::Both),
        };
        Ok(Self { transport, questions })
    }

    /// What has placeholders in it.
    #[must_use]
    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// The variables that it needs.
    #[must_use]
    pub fn variables(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        self.transport.each_text(&mut |text| {
            names.extend(Template::parse(text).variables().map(str::to_owned));
        });
        names
    }

    /// Puts in the values of variables.
    ///
    /// # Errors
    /// If a variable that has no default is not set.
    pub fn resolve(&self, environment: &Variables) -> Result<ResolvedServer, ServerConfigError> {
        let mut unset = BTreeSet::new();
        let is_set = |name: &str| environment.contains_key(name);
        self.transport.each_text(&mut |text| {
            unset.extend(required(text).filter(|name| !is_set(name)).map(str::to_owned));
        });
        if !unset.is_empty() {
            return Err(ServerConfigError::Unset { names: unset });
        }
        let expand = |text: &String| expand_variables(text, |name| environment.get(name));
        let values = |map: &Variables| map.iter().map(|(key, text)| (key.clone(), expand(text))).collect();
        let transport = match &self.transport {
            Transport::Stdio { command, args, env, cwd } => Transport::Stdio {
                command: expand(command),
                args: args.iter().map(expand).collect(),
                env: values(env),
                cwd: cwd.clone(),
            },
            Transport::Http { url, headers, auth } => {
                Transport::Http { url: expand(url), headers: values(headers), auth: auth.clone() }
            }
        };
        Ok(ResolvedServer { transport, questions: self.questions, environment: environment.clone() })
    }
}

impl Fields {
    /// How somebody logs in. Only a server that is reached by HTTP has logins, and only one kind of them at a time.
    fn login(&self) -> Result<Option<OAuthConfig>, ServerConfigError> {
        let login = |field, needs| Err(ServerConfigError::Login { field, needs });
        if self.auth.is_none() {
            return match (&self.client_id, self.scopes.is_empty()) {
                (Some(_), _) => login("client_id", "`auth: oauth`"),
                (None, false) => login("scopes", "`auth: oauth`"),
                (None, true) => Ok(None),
            };
        }
        if self.url.is_none() {
            return login("auth", "a `url`");
        }
        if self.headers.keys().any(|name| name.eq_ignore_ascii_case("authorization")) {
            return login("auth", "that there is no header `Authorization`");
        }
        let is_word = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if !self.scopes.iter().all(|scope| is_word(scope)) {
            return login("scopes", "to be a list of single words");
        }
        if self.client_id.as_deref().is_some_and(|id| !is_word(id)) {
            return login("client_id", "to be a single word");
        }
        Ok(Some(OAuthConfig { scopes: self.scopes.clone(), client_id: self.client_id.clone() }))
    }
}

impl Transport {
    /// How somebody logs in at the server by OAuth, if somebody has to.
    #[must_use]
    pub fn auth(&self) -> Option<&OAuthConfig> {
        match self {
            Self::Http { auth, .. } => auth.as_ref(),
            Self::Stdio { .. } => None,
        }
    }

    fn each_text<'t>(&'t self, look: &mut dyn FnMut(&'t str)) {
        match self {
            Self::Stdio { command, args, env, .. } => {
                for text in std::iter::once(command).chain(args).chain(env.values()) {
                    look(text);
                }
            }
            Self::Http { url, headers, .. } => {
                for text in std::iter::once(url).chain(headers.values()) {
                    look(text);
                }
            }
        }
    }
}

/// The variables of a text that have no default there.
fn required(text: &str) -> impl Iterator<Item = &str> {
    Template::parse(text)
        .variables()
        .filter(|name| text.contains(&format!("${{{name}}}")))
        .collect::<Vec<_>>()
        .into_iter()
}

/// Numbers and switches are texts once they are variables.
fn texts(values: BTreeMap<String, Value>) -> Variables {
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    values.into_iter().map(|(name, value)| (name, text(value))).collect()
}

fn with_sources(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", with_sources(source)),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Variables {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_program_with_variables() {
        let text = "tool_type: mcp_server\nconfig:\n  command: npx\n  args: [-y, '${PACKAGE:-thing}']\n  env: {TOKEN: '${TOKEN}', DEBUG: 1}\n";
        let config = ServerConfig::parse(text.as_bytes()).unwrap();
        assert_eq!(config.variables(), BTreeSet::from(["PACKAGE".to_owned(), "TOKEN".to_owned()]));
        let error = config.resolve(&Variables::new()).unwrap_err();
        assert!(matches!(error, ServerConfigError::Unset { names } if names.iter().eq(["TOKEN"])));
        let server = config.resolve(&variables(&[("TOKEN", "${HOME}")])).unwrap();
        let expect = Transport::Stdio {
            command: "npx".to_owned(),
            args: vec!["-y".to_owned(), "thing".to_owned()],
            env: variables(&[("TOKEN", "${HOME}"), ("DEBUG", "1")]),
            cwd: None,
        };
        assert_eq!(server.transport, expect);
    }

    #[test]
    fn a_tool_can_describe_its_server_itself() {
        let text = "server:\n  url: https://example.com/mcp\n  headers: {X-A: b}\nconfig: {timeout: 5}\n";
        let config = ServerConfig::parse(text.as_bytes()).unwrap();
        let headers = variables(&[("X-A", "b")]);
        assert_eq!(
            *config.transport(),
            Transport::Http { url: "https://example.com/mcp".to_owned(), headers, auth: None }
        );
    }

    #[test]
    fn what_describes_nothing_is_refused() {
        let parse = |text: &str| ServerConfig::parse(text.as_bytes()).unwrap_err();
        assert!(matches!(parse("config: {}\n"), ServerConfigError::Nothing));
        assert!(matches!(parse("a: 1\n"), ServerConfigError::Nothing));
        assert!(matches!(parse("config: {command: a, url: b}\n"), ServerConfigError::Both));
        assert!(matches!(parse("config: {comand: a}\n"), ServerConfigError::Unreadable { .. }));
        assert!(matches!(parse("config: [\n"), ServerConfigError::Unreadable { .. }));
    }

    #[test]
    fn how_somebody_logs_in() {
        let parse = |text: &str| {
            let config = ServerConfig::parse(text.as_bytes()).map_err(|error| error.to_string())?;
            Ok::<_, String>(config.transport().auth().cloned())
        };
        assert_eq!(parse("config: {url: a}\n"), Ok(None));
        assert_eq!(parse("config: {url: a, auth: oauth}\n"), Ok(Some(OAuthConfig::default())));
        let text = "config: {url: a, auth: oauth, scopes: [b, c], client_id: d}\n";
        let scopes = vec!["b".to_owned(), "c".to_owned()];
        assert_eq!(parse(text), Ok(Some(OAuthConfig { scopes, client_id: Some("d".to_owned()) })));
        for wrong in [
            "config: {url: a, auth: basic}\n",
            "config: {url: a, auth: oauth, client_secret: b}\n",
            "config: {command: a, auth: oauth}\n",
            "config: {url: a, client_id: b}\n",
            "config: {url: a, scopes: [b]}\n",
            "config: {url: a, auth: oauth, scopes: ['b c']}\n",
            "config: {url: a, auth: oauth, client_id: ''}\n",
            "config: {url: a, auth: oauth, headers: {authorization: b}}\n",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
