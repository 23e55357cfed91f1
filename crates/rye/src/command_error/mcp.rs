//! What can go wrong with servers and clients, in words.

use std::path::Path;

use rye_engine::with_sources;
use rye_mcp::server::ServeError;

use super::CommandError;

impl CommandError {
    pub(crate) fn serve(error: &ServeError) -> Self {
        let hint = match error {
            ServeError::Listen { .. } => Some("name another address with `--http ADDR`".to_owned()),
            ServeError::Token { path, .. } => {
                Some(format!("remove `{}`, and a new one is made", path.display()))
            }
            _ => Some("run `rye doctor` to see what is missing".to_owned()),
        };
        Self { code: "IO", message: with_sources(error), hint }
    }

    /// A configuration is not ours to change, because it cannot be understood or says something else.
    pub(crate) fn configuration(path: &Path, reason: &str) -> Self {
        let message = format!("`{}` was not changed: {reason}", path.display());
        let hint = Some("run the command without `--write`, and put what it prints there".to_owned());
        Self { code: "IO", message, hint }
    }
}
