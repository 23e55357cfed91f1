//! The plan of a program.

use std::path::{Path, PathBuf};

use rye_template::Scope;
use serde_json::Value;

use super::action::ProcessPlan;
use super::error::{PlanErrorKind, SettingError};
use super::settings::Settings;

/// Fills in what the configuration says about a program.
pub(super) fn process<L, V>(
    settings: Settings<'_>,
    scope: &Scope<'_, L>,
    cwd: Option<&str>,
    project: &Path,
    stdin: impl FnOnce() -> Vec<u8>,
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
    let stdin = match settings.get("input_data") {
        None => Vec::new(),
        // By far the most common, and it may be large.
        Some(Value::String(text)) if text == "{params_json}" => stdin(),
        Some(Value::String(text)) => scope.render_text(text)?.into_bytes(),
        Some(other) => scope.render_value(other)?.to_string().into_bytes(),
    };
    Ok(ProcessPlan { program, args, cwd, stdin })
}
