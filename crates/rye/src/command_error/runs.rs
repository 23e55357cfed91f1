//! What can go wrong with runs and secrets, in words.

use std::io;

use rye_run::journal::RunId;

use super::CommandError;

impl CommandError {
    pub(crate) fn signals(error: &io::Error) -> Self {
        let hint = Some("run `ulimit -n 4096`, and then the command again".to_owned());
        Self { code: "IO", message: format!("cannot wait for signals: {error}"), hint }
    }

    pub(crate) fn still_running(id: RunId) -> Self {
        let hint = format!("wait longer, or end it with `rye runs cancel {id}`");
        Self { code: "TIMEOUT", message: format!("run `{id}` goes on"), hint: Some(hint) }
    }

    pub(crate) fn not_a_text(source: &str) -> Self {
        let message = format!("{source} is not text in UTF-8, so no tool could be given it as a variable");
        let hint = Some("encode it, for example with `base64`".to_owned());
        Self { code: "PARAMS_INVALID", message, hint }
    }

    pub(crate) fn secret_in_sight() -> Self {
        let message =
            "the value of a secret is not given on the command line, where others can see it".to_owned();
        let hint =
            "write it to standard input; if this was the value, it may be in the history of the shell now";
        Self { code: "PARAMS_INVALID", message, hint: Some(hint.to_owned()) }
    }

    pub(crate) fn no_secret() -> Self {
        let message = "the value is asked for on a terminal, and there is none".to_owned();
        let hint = Some("write it to standard input, or use `--from-file`".to_owned());
        Self { code: "PARAMS_INVALID", message, hint }
    }
}
