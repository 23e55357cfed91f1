//! What a process that is ready is told to do.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use lillux::process::RunRequest;
use rye_plan::VariableNames;
use serde::Serialize;

use super::cold_reason::ColdReason;

/// A run, as a process that is ready is told about it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WarmJob<'a> {
    /// Exactly what would be executed.
    pub(crate) request: &'a RunRequest,
    /// Variables in it that are secrets.
    pub(crate) secrets: &'a [&'a str],
}

/// The message on the job socket.
#[derive(Serialize)]
struct Message<'a> {
    program: &'a str,
    args: Vec<&'a str>,
    env: BTreeMap<&'a str, &'a str>,
    cwd: &'a str,
}

/// The longest job that is shown to a server as an example.
const LONGEST_EXAMPLE: usize = 48 * 1024;

impl WarmJob<'_> {
    /// The job in the form in which it is sent.
    pub(super) fn message(&self) -> Result<Vec<u8>, ColdReason> {
        let message = self.read(|_| true).ok_or(ColdReason::NoText)?;
        serde_json::to_vec(&message).map_err(|_| ColdReason::NoText)
    }

    /// The job as an example of what is to come, so that a spare can warm up. Of the environment only what means
    /// something to the helper is in it: an example reaches processes that serve others.
    pub(super) fn example(&self, names: &VariableNames) -> Option<String> {
        let shown = |name: &str| names.mentions(name) && !self.secrets.contains(&name);
        let text = serde_json::to_string(&self.read(shown)?).ok()?;
        (text.len() <= LONGEST_EXAMPLE).then_some(text)
    }

    /// The variables that the helper has to be started with.
    pub(super) fn keyed_env(
        &self,
        names: &VariableNames,
    ) -> Result<BTreeMap<OsString, OsString>, ColdReason> {
        let mut env = BTreeMap::new();
        for (name, value) in &self.request.env {
            let Some(text) = name.to_str().filter(|name| names.contains(name)) else { continue };
            if self.secrets.contains(&text) {
                return Err(ColdReason::SecretAtStart { variable: text.to_owned() });
            }
            env.insert(name.clone(), value.clone());
        }
        Ok(env)
    }

    fn read(&self, shown: impl Fn(&str) -> bool) -> Option<Message<'_>> {
        let request = self.request;
        let args: Option<Vec<_>> = request.args.iter().map(|arg| arg.to_str()).collect();
        let env = request.env.iter().map(|(name, value)| Some((name.to_str()?, value)));
        let env = env.filter(|entry| entry.is_none_or(|(name, _)| shown(name)));
        let env: Option<BTreeMap<_, _>> =
            env.map(|entry| entry.and_then(|(name, value)| Some((name, value.to_str()?)))).collect();
        let cwd = request.cwd.as_deref().map_or(Some(""), |cwd| OsStr::to_str(cwd.as_os_str()));
        Some(Message { program: request.program.to_str()?, args: args?, env: env?, cwd: cwd? })
    }
}

/// The message that asks a server for a spare.
pub(super) fn spare_message(number: u64, example: Option<&str>) -> Vec<u8> {
    format!(r#"{{"spare":{number},"like":{}}}"#, example.unwrap_or("null")).into_bytes()
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    fn request() -> RunRequest {
        RunRequest::new("/bin/x")
            .args(["a", "ü"])
            .cwd("/tmp")
            .env("A_KEY", "1")
            .env("A_FREE", "2")
            .env("TOKEN", "s3cret")
    }

    fn names() -> VariableNames {
        VariableNames::new(&["A_*".to_owned()], &["A_FREE".to_owned()])
    }

    #[test]
    fn a_job_is_what_would_be_executed() {
        let request = request();
        let job = WarmJob { request: &request, secrets: &["TOKEN"] };
        assert_eq!(
            String::from_utf8(job.message().unwrap()).unwrap(),
            r#"{"program":"/bin/x","args":["a","ü"],"env":{"A_FREE":"2","A_KEY":"1","TOKEN":"s3cret"},"cwd":"/tmp"}"#
        );
    }

    #[test]
    fn an_example_has_no_secrets_and_nothing_that_means_nothing() {
        let request = request();
        let job = WarmJob { request: &request, secrets: &["TOKEN"] };
        let example = job.example(&names()).unwrap();
        assert_eq!(
            example,
            r#"{"program":"/bin/x","args":["a","ü"],"env":{"A_FREE":"2","A_KEY":"1"},"cwd":"/tmp"}"#
        );
        let message = String::from_utf8(spare_message(7, Some(&example))).unwrap();
        assert_eq!(message, format!(r#"{{"spare":7,"like":{example}}}"#));
        let long = RunRequest::new("x").args(["y".repeat(LONGEST_EXAMPLE)]);
        assert_eq!(WarmJob { request: &long, secrets: &[] }.example(&names()), None);
    }

    #[test]
    fn a_helper_is_started_with_its_own_variables_and_without_secrets() {
        let request = request();
        let job = WarmJob { request: &request, secrets: &["TOKEN"] };
        assert_eq!(job.keyed_env(&names()), Ok(BTreeMap::from([("A_KEY".into(), "1".into())])));
        let job = WarmJob { request: &request, secrets: &["A_KEY"] };
        let refused = ColdReason::SecretAtStart { variable: "A_KEY".to_owned() };
        assert_eq!(job.keyed_env(&names()), Err(refused));
    }

    #[test]
    fn what_is_no_text_is_not_sent() {
        let odd = OsString::from_vec(vec![0xff]);
        for request in [
            request().args([odd.clone()]),
            request().env("X", odd.clone()),
            request().env(odd.clone(), "x"),
            request().cwd(odd.clone()),
            RunRequest::new(odd.clone()),
        ] {
            assert_eq!(WarmJob { request: &request, secrets: &[] }.message(), Err(ColdReason::NoText));
        }
    }
}
