//! What can go wrong with data, in words.

use std::fmt::Display;

use super::CommandError;

impl CommandError {
    pub(crate) fn data(what: &str, error: impl Display) -> Self {
        let hint = Some("see whether it is there and has the right format".to_owned());
        Self { code: "PARAMS_INVALID", message: format!("cannot read `{what}`: {error}"), hint }
    }

    pub(crate) fn outside(file: &str) -> Self {
        let message = format!("`{file}` leads out of the project");
        Self { code: "PARAMS_INVALID", message, hint: Some("give a path relative to the project".to_owned()) }
    }

    pub(crate) fn path_expression(path: &str, error: &serde_json_path::ParseError) -> Self {
        let message = format!("`{path}` is not a path: {error}");
        let hint = "write it like `a.b[0]`, `a[*].name` or `a[?@.size > 10].name`";
        Self { code: "PARAMS_INVALID", message, hint: Some(hint.to_owned()) }
    }

    pub(crate) fn path_nesting() -> Self {
        let message = "the path has too many brackets within each other".to_owned();
        let hint = Some("ask in two steps: the second one for what the first one gives".to_owned());
        Self { code: "PARAMS_INVALID", message, hint }
    }

    pub(crate) fn no_format(what: &str) -> Self {
        let message = format!("the format of `{what}` is not known");
        Self { code: "PARAMS_INVALID", message, hint: Some("give `format`: json, yaml or toml".to_owned()) }
    }

    pub(crate) fn file_or_text() -> Self {
        let message = "either `file` or `text` is needed, and not both".to_owned();
        let hint = Some("give one of them, such as `--file data.json`".to_owned());
        Self { code: "PARAMS_INVALID", message, hint }
    }
}
