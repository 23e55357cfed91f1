//! What can go wrong with what is to be executed, in words.

use rye_item::{ItemKind, ItemRef};
use rye_plan::parameters::ParametersError;

use super::{CommandError, WRONG_COMMAND_LINE};
use crate::execute::ArgumentError;

impl CommandError {
    pub(crate) fn no_id() -> Self {
        Self::usage("no item was named".to_owned(), "run `rye search` to find one, then `rye execute ID`")
    }

    pub(crate) fn arguments(item: &ItemRef, error: &ArgumentError) -> Self {
        let kind = if item.kind == ItemKind::Tool { String::new() } else { format!("--kind {} ", item.kind) };
        let hint = format!("run `rye execute {kind}{} --help` to see its parameters", item.id);
        Self::usage(error.to_string(), &hint)
    }

    pub(crate) fn parameters(error: &ParametersError) -> Self {
        let hint = Some("give a JSON object, such as `--params '{\"name\": \"Alice\"}'`".to_owned());
        Self { code: "PARAMS_INVALID", message: format!("the parameters cannot be read: {error}"), hint }
    }

    pub(crate) fn seconds(seconds: f64) -> Self {
        Self::usage(format!("nothing can take {seconds} seconds"), "give a number that is more than 0")
    }

    fn usage(message: String, hint: &str) -> Self {
        Self { code: WRONG_COMMAND_LINE, message, hint: Some(hint.to_owned()) }
    }
}
