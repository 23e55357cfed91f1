//! The plan of a program.

use std::path::{Path, PathBuf};

use rye_template::Scope;
use serde_json::{Map, Value};

use super::action::ProcessPlan;
use super::error::{PlanErrorKind, SettingError};
use super::settings::Settings;

/// The setting that says what the program reads.
pub(crate) const INPUT: &str = "input_data";

/// What stands for the parameters in it.
const PARAMETERS: &str = "{params_json}";

/// Whether what the program reads are the parameters, and nothing else. That is by far the most common, and they may be large.
pub(crate) fn reads_parameters(config: &Map<String, Value>) -> bool {
    config.get(INPUT).and_then(Value::as_str) == Some(PARAMETERS)
}

/// Fills in what the configuration says about a program, but for an input that is the parameters themselves.
pub(super) fn process<L, V>(
    settings: Settings<'_>,
    scope: &Scope<'_, L>,
    cwd: Option<&str>,
    project: &Path,
) -> Result<ProcessPlan, PlanErrorKind>
where
    L: Fn(&str) -> Option<V>,
    V: AsRef<str>,
{
    let command = settings.text("command")?.ok_or(SettingError::Missing { key: "command" })?;
    let program = scope.render_text(command)?;
    if program.is_empty() {
        return Err(SettingError::Missing { key: "command" }.into());
    }
    let args = scope.render_args(settings.list("args")?)?;
    let cwd = settings.text("cwd")?.or(cwd).map(|cwd| scope.render_text(cwd)).transpose()?;
    let cwd: PathBuf = cwd.map_or_else(|| project.to_owned(), |cwd| project.join(cwd));
    let stdin = match settings.get(INPUT) {
        None => Vec::new(),
        _ if reads_parameters(settings.0) => Vec::new(),
        Some(Value::String(text)) => scope.render_text(text)?.into_bytes(),
        Some(other) => scope.render_value(other)?.to_string().into_bytes(),
    };
    Ok(ProcessPlan { program, args, cwd, stdin })
}
