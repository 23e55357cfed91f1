//! What can go wrong with MCP servers, in words.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use rye_engine::{EngineError, with_sources};
use rye_item::Space;
use rye_mcp::client::oauth::OAuthError;
use rye_mcp::client::{ClientErrorKind, ServerConfigError};
use rye_run::mask::Mask;
use rye_trust::shell_word;

use super::{CommandError, WRONG_COMMAND_LINE};
use crate::mcp::ServerFileError;

impl CommandError {
    /// The same, without secrets.
    pub(crate) fn masked(mut self, mask: &Mask) -> Self {
        self.message = mask.mask_text(&self.message).into_owned();
        self
    }

    /// A server that failed, with everything that it said about it.
    pub(crate) fn server(server: &str, kind: &ClientErrorKind, message: String) -> Self {
        if let ClientErrorKind::Authorization(error) = kind {
            return Self { message, ..Self::login(server, error) };
        }
        let code = match kind {
            ClientErrorKind::Start(_) => "SPAWN_FAILED",
            ClientErrorKind::TimedOut { .. } => "TIMEOUT",
            ClientErrorKind::Cancelled => "CANCELLED",
            ClientErrorKind::TooLong { .. } => "OUTPUT_LIMIT",
            ClientErrorKind::NoSuchTool { .. } => "ITEM_NOT_FOUND",
            _ => "SERVER_FAILED",
        };
        let hint = match kind {
            ClientErrorKind::NoSuchTool { .. } => "run `rye mcp refresh` to import the tools as they are now",
            ClientErrorKind::Start(_) => "install the program, or name it by its whole path",
            ClientErrorKind::Version { .. } => {
                "update `rye`, or use a release of the server that speaks one of these"
            }
            ClientErrorKind::Cancelled => return Self { code, message, hint: None },
            _ => "see whether the server runs, then run the command again",
        };
        Self { code, message, hint: Some(hint.to_owned()) }
    }

    /// A login that failed, or that there is not.
    pub(crate) fn login(server: &str, error: &OAuthError) -> Self {
        let message = format!("cannot log in at the MCP server `{server}`: {}", with_sources(error));
        let code = match error {
            OAuthError::TimedOut { .. } => "TIMEOUT",
            OAuthError::Cancelled => "CANCELLED",
            error if error.needs_login() => "LOGIN_NEEDED",
            _ => "SERVER_FAILED",
        };
        let scopes = match error {
            OAuthError::ScopeNeeded { scopes } => scopes.as_slice(),
            _ => &[],
        };
        // They are the server's words, and the hint is for a shell.
        let scopes = scopes.iter().filter_map(|scope| shlex::try_quote(scope).ok());
        let scopes = scopes.fold(String::new(), |all, scope| all + " --scope " + &scope);
        let hint = match error {
            OAuthError::NoRegistration { issuer } => Some(format!(
                "register a client at `{issuer}`, and name it with `--client-id` and `--client-secret`"
            )),
            OAuthError::Cancelled => None,
            _ => Some(format!("run `rye mcp login {server}{scopes}`")),
        };
        Self { code, message, hint }
    }

    pub(crate) fn no_login_there(name: &str) -> Self {
        let message = format!("nobody logs in at the MCP server `{name}`: its file has no `auth: oauth`");
        let hint = format!("run `rye mcp add {name} --url URL --oauth --force` if it wants a login");
        Self { code: "METADATA_INVALID", message, hint: Some(hint) }
    }

    pub(crate) fn client_secret_alone() -> Self {
        let message = "`--client-secret` needs a client: `--client-id`, or `client_id` in the server's file";
        let hint = Some("add `--client-id ID`".to_owned());
        Self { code: WRONG_COMMAND_LINE, message: message.to_owned(), hint }
    }

    pub(crate) fn server_config(name: &str, error: &ServerConfigError) -> Self {
        let message = format!("cannot use the MCP server `{name}`: {error}");
        let (code, hint) = match error {
            ServerConfigError::Unset { names } => {
                let first = names.first().map(String::as_str).unwrap_or_default();
                ("SECRET_MISSING", Some(format!("set the variable, or run `rye secret set {first}`")))
            }
            _ => ("METADATA_INVALID", Some(format!("put its file right, then run `rye mcp refresh {name}`"))),
        };
        Self { code, message, hint }
    }

    pub(crate) fn drifted(server: &str, tool: &str, difference: &str) -> Self {
        let message = format!(
            "the MCP server `{server}` describes `{tool}` otherwise than when it was imported:\n{}",
            difference.trim_end()
        );
        let hint = format!("look at the difference, then run `rye mcp refresh {server}`");
        Self { code: "LOCK_MISMATCH", message, hint: Some(hint) }
    }

    pub(crate) fn other_transport(name: &str, is_http: bool) -> Self {
        let is =
            if is_http { "reached by HTTP, and not a program" } else { "a program, and not reached by HTTP" };
        let message = format!("the MCP server `{name}` is {is}");
        Self {
            code: "METADATA_INVALID",
            message,
            hint: Some("name the other runtime as `executor_id`".to_owned()),
        }
    }

    pub(crate) fn double_tools(name: &str, tools: &BTreeSet<String>) -> Self {
        let tools: Vec<_> = tools.iter().map(|tool| format!("`{tool}`")).collect();
        let message = format!("the MCP server `{name}` has several tools of the name {}", tools.join(", "));
        let hint = "whoever makes the server has to give them other names".to_owned();
        Self { code: "ITEM_AMBIGUOUS", message, hint: Some(hint) }
    }

    pub(crate) fn told_secret(name: &str, tool: &str) -> Self {
        let message = format!("the MCP server `{name}` has a secret in its description of `{tool}`");
        let hint = "nothing was written; do not trust this server with it".to_owned();
        Self { code: "SERVER_FAILED", message, hint: Some(hint) }
    }

    pub(crate) fn no_such_server(name: &str, space: Space, known: &[String]) -> Self {
        let message = format!("no MCP server `{name}` was imported into the {space} space");
        let hint = match known {
            [] => "run `rye mcp add` to import one".to_owned(),
            some => format!(
                "there is {}",
                some.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
        };
        Self { code: "ITEM_NOT_FOUND", message, hint: Some(hint) }
    }

    pub(crate) fn server_exists(name: &str) -> Self {
        let message = format!("there is an MCP server `{name}` already");
        let hint = format!("run `rye mcp refresh {name}`, or take its place with `--force`");
        Self { code: "ALREADY_EXISTS", message, hint: Some(hint) }
    }

    pub(crate) fn server_name(name: &str) -> Self {
        let message = format!("`{name}` cannot be the name of a server");
        Self { code: "INVALID_ID", message, hint: Some("use a single word that is not `servers`".to_owned()) }
    }

    pub(crate) fn import_without_yes() -> Self {
        let message = "nothing was written, because there is no terminal to ask at".to_owned();
        let hint = "if that is what you want, say so with `--yes`".to_owned();
        Self { code: "CONFIRMATION_NEEDED", message, hint: Some(hint) }
    }

    pub(crate) fn pair(option: &str, form: &str, given: &str) -> Self {
        let message = format!("`{option}` takes `{form}`, and not `{given}`");
        Self { code: WRONG_COMMAND_LINE, message, hint: Some(MCP_ADD.to_owned()) }
    }

    pub(crate) fn no_server_command() -> Self {
        let message = "a server is a program behind `--`, or a `--url`".to_owned();
        Self { code: WRONG_COMMAND_LINE, message, hint: Some(MCP_ADD.to_owned()) }
    }

    pub(crate) fn cannot_remove(path: &Path, error: &io::Error) -> Self {
        let hint = Some(format!("run `ls -ld {}` to see whose it is", shell_word(path)));
        Self { code: "IO", message: format!("cannot remove `{}`: {error}", path.display()), hint }
    }
}

const MCP_ADD: &str = "run `rye mcp add --help` to see examples";

impl From<ServerFileError> for CommandError {
    fn from(error: ServerFileError) -> Self {
        match error {
            ServerFileError::Config(error) => {
                Self { code: "METADATA_INVALID", message: error.to_string(), hint: Some(MCP_ADD.to_owned()) }
            }
            ServerFileError::Id(error) => EngineError::from(error).into(),
        }
    }
}
