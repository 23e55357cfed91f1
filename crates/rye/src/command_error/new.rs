//! What can go wrong with what is to be made, in words.

use std::path::Path;

use super::{CommandError, WRONG_COMMAND_LINE};
use crate::new::TemplateError;

impl CommandError {
    pub(crate) fn template(kind: &str, name: &str, error: &TemplateError) -> Self {
        let message = format!("nothing can be made of the template `rye/templates/{kind}/{name}`: {error}");
        let hint = Some(format!("run `rye load rye/templates/{kind}/{name} --kind knowledge` to see it"));
        Self { code: "METADATA_INVALID", message, hint }
    }

    pub(crate) fn no_language(kind: &str, known: &[String]) -> Self {
        let hint = if known.is_empty() {
            format!("make a knowledge item `rye/templates/{kind}/NAME`")
        } else {
            format!("add `--lang` with one of {}", known.join(", "))
        };
        let message = if known.is_empty() {
            format!("there is no template for a {kind}")
        } else {
            format!("there are several templates for a {kind}")
        };
        Self { code: WRONG_COMMAND_LINE, message, hint: Some(hint) }
    }

    pub(crate) fn unknown_language(kind: &str, name: &str, known: &[String]) -> Self {
        let Self { code, hint, .. } = Self::no_language(kind, known);
        Self { code, message: format!("there is no template `{name}` for a {kind}"), hint }
    }

    pub(crate) fn user_space_is_no_project(path: &Path) -> Self {
        let message = format!("`{}` is your user space, and no project", path.display());
        Self {
            code: "SPACE_UNUSABLE",
            message,
            hint: Some("run `rye init` in the folder of a project".to_owned()),
        }
    }
}
