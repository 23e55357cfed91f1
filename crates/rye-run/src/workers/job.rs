//! What a process that is ready is told to do.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

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

/// What the message on the job socket begins with. The environment follows, each variable after a NUL, so that a process can
/// tell at a glance whether it is the job that it was shown as an example.
#[derive(Serialize)]
struct Head<'a> {
    program: &'a str,
    args: Vec<&'a str>,
    cwd: &'a str,
}

/// A job in the forms that a pool needs it in.
#[derive(Debug)]
pub(super) struct ToldJob {
    /// What is sent.
    pub(super) message: Vec<u8>,
    /// An example of what is to come, so that a spare can warm up.
    pub(super) example: Option<Arc<str>>,
    /// The variables that the helper has to be started with.
    pub(super) keyed_env: Arc<BTreeMap<OsString, OsString>>,
}

/// The longest job that is shown to a server as an example.
pub(super) const LONGEST_EXAMPLE: usize = 48 * 1024;

impl WarmJob<'_> {
    /// The job, for a helper that means these variables.
    pub(super) fn told(&self, names: &VariableNames) -> Result<ToldJob, ColdReason> {
        let message = self.message()?;
        let example = self.example(&message, names).map(Into::into);
        Ok(ToldJob { message, example, keyed_env: Arc::new(self.keyed_env(names)?) })
    }

    /// The job in the form in which it is sent.
    fn message(&self) -> Result<Vec<u8>, ColdReason> {
        let text = self.head().and_then(|head| self.with_variables(head, |_| true));
        text.map(String::into_bytes).ok_or(ColdReason::NoText)
    }

    /// The job as an example of what is to come, so that a spare can warm up. Of the environment only what means
    /// something to the helper is in it: an example reaches processes that serve others.
    fn example(&self, message: &[u8], names: &VariableNames) -> Option<String> {
        let head = message.split(|byte| *byte == 0).next()?;
        let head = std::str::from_utf8(head).ok().filter(|head| head.len() <= LONGEST_EXAMPLE)?;
        let shown = |name: &str| names.mentions(name) && !self.secrets.contains(&name);
        self.with_variables(head.to_owned(), shown).filter(|text| text.len() <= LONGEST_EXAMPLE)
    }

    /// The variables that the helper has to be started with.
    fn keyed_env(&self, names: &VariableNames) -> Result<BTreeMap<OsString, OsString>, ColdReason> {
        let mut env = BTreeMap::new();
        for (name, value) in self.request.env.iter() {
            let Some(text) = name.to_str().filter(|name| names.contains(name)) else { continue };
            if self.secrets.contains(&text) {
                return Err(ColdReason::SecretAtStart { variable: text.to_owned() });
            }
            env.insert(name.clone(), value.clone());
        }
        Ok(env)
    }

    /// What to run. There is no NUL in it.
    fn head(&self) -> Option<String> {
        let request = self.request;
        let args: Option<Vec<_>> = request.args.iter().map(|arg| arg.to_str()).collect();
        let cwd = request.cwd.as_deref().map_or(Some(""), |cwd| OsStr::to_str(cwd.as_os_str()));
        let head = Head { program: request.program.to_str()?, args: args?, cwd: cwd? };
        serde_json::to_string(&head).ok()
    }

    fn with_variables(&self, mut text: String, shown: impl Fn(&str) -> bool) -> Option<String> {
        for (name, value) in self.request.env.iter() {
            let name = name.to_str()?;
            if shown(name) {
                let start = text.len() + 1;
                text.extend(["\0", name, "=", value.to_str()?]);
                if text[start..].contains('\0') {
                    return None;
                }
            }
        }
        Some(text)
    }
}

/// The message that asks a server for a spare.
pub(super) fn spare_message(number: u64, example: Option<&str>) -> Vec<u8> {
    format!("{number}\0{}", example.unwrap_or_default()).into_bytes()
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

    const HEAD: &str = r#"{"program":"/bin/x","args":["a","ü"],"cwd":"/tmp"}"#;

    fn names() -> VariableNames {
        VariableNames::new(&["A_*".to_owned()], &["A_FREE".to_owned()])
    }

    #[test]
    fn a_job_is_what_would_be_executed() {
        let request = request();
        let job = WarmJob { request: &request, secrets: &["TOKEN"] };
        assert_eq!(
            String::from_utf8(job.message().unwrap()).unwrap(),
            HEAD.to_owned() + "\0A_FREE=2\0A_KEY=1\0TOKEN=s3cret"
        );
    }

    #[test]
    fn an_example_has_no_secrets_and_nothing_that_means_nothing() {
        let request = request();
        let job = WarmJob { request: &request, secrets: &["TOKEN"] };
        let example = job.example(&job.message().unwrap(), &names()).unwrap();
        assert_eq!(example, HEAD.to_owned() + "\0A_FREE=2\0A_KEY=1");
        let message = String::from_utf8(spare_message(7, Some(&example))).unwrap();
        assert_eq!(message, format!("7\0{example}"));
        assert_eq!(spare_message(7, None), b"7\0");
        let long = RunRequest::new("x").args(["y".repeat(LONGEST_EXAMPLE)]);
        let job = WarmJob { request: &long, secrets: &[] };
        assert_eq!(job.example(&job.message().unwrap(), &names()), None);
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
            request().env("X", "a\0b"),
            request().cwd(odd.clone()),
            RunRequest::new(odd.clone()),
        ] {
            assert_eq!(WarmJob { request: &request, secrets: &[] }.message(), Err(ColdReason::NoText));
        }
    }
}
