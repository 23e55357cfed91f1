//! `command`: what a command prints.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lillux::StreamLimit;
use lillux::process::{RunRequest, run};

use super::Resolver;
use crate::error::{OptionError, OptionErrorKind};
use crate::options::{Options, is_plain_name};
use crate::report::{CommandRun, EnvWarning, Finding, Place};
use crate::request::ResolveCommands;
use crate::search::{Hit, Search};

pub(super) const OPTIONS: &[&str] = &["resolve_cmd"];

/// How long a command may take.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// More than any path has.
const OUTPUT_LIMIT: usize = 64 * 1024;

struct Command<'a> {
    program: &'a str,
    args: Vec<&'a str>,
}

pub(super) fn read<'a>(options: &Options<'a>) -> Result<Box<dyn Resolver + 'a>, OptionError> {
    let command = options.required("resolve_cmd", options.texts("resolve_cmd")?)?;
    let (&program, args) = options.required("resolve_cmd", command.split_first())?;
    let is_program = |text: &str| is_plain_name(text) && !text.contains(char::is_whitespace);
    if !is_program(program) && !Path::new(program).is_absolute() {
        return Err(options.error("resolve_cmd", OptionErrorKind::NotAName { value: program.to_owned() }));
    }
    Ok(Box::new(Command { program, args: args.to_vec() }))
}

impl Resolver for Command<'_> {
    fn find(&self, search: &mut Search<'_>) -> Option<Hit> {
        let mut command = vec![self.program.to_owned()];
        let args: Vec<_> = self.args.iter().map(|arg| search.expand(arg).into_os_string()).collect();
        command.extend(args.iter().map(|arg| arg.to_string_lossy().into_owned()));
        let place = Place::Command(command.clone());
        if search.commands() == ResolveCommands::Leave {
            search.warnings.push(EnvWarning::CommandNotRun);
            search.record(place, Finding::NotRun);
            return None;
        }
        let before = search.looked_at.len();
        let Some(program) = search.probe_path(self.program) else {
            search.record(place, Finding::CannotRun("there is no such program".to_owned()));
            return None;
        };
        search.looked_at.truncate(before);

        let outcome = run(&request(search, &program.path).args(args));
        let (ending, duration) = match &outcome {
            Ok(outcome) => (Some(outcome.ending), outcome.duration),
            Err(_) => (None, Duration::ZERO),
        };
        search.command = Some(CommandRun { command, ending, duration });
        let found = match outcome {
            Err(error) => Err(Finding::CannotRun(with_causes(&error))),
            Ok(outcome) if !outcome.ending.is_success() => Err(Finding::Failed(outcome.ending)),
            Ok(outcome) => printed_path(&outcome.stdout.bytes).ok_or(Finding::NoPath),
        };
        match found {
            Ok(path) => {
                search.record(place, Finding::Printed(path.clone()));
                search.probe(path)
            }
            Err(finding) => {
                search.record(place, finding);
                None
            }
        }
    }
}

/// The operator's environment, in the project if that is trusted, and nowhere in particular otherwise.
fn request(search: &Search<'_>, program: &Path) -> RunRequest {
    let mut env = search.surroundings().to_map();
    // A name like that cannot be passed on.
    env.retain(|name, _| !name.is_empty() && !name.as_encoded_bytes().contains(&b'='));
    let places = search.places();
    let cwd = places.trusted_project().or(places.home).unwrap_or(Path::new("/"));
    RunRequest::new(program)
        .envs(env)
        .cwd(cwd)
        .timeout(TIME_LIMIT)
        .output_limit(StreamLimit::truncate(OUTPUT_LIMIT))
}

/// The path that was printed, if that is what it is.
fn printed_path(stdout: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let trimmed = stdout.trim_ascii();
    let path = Path::new(std::ffi::OsStr::from_bytes(trimmed));
    (path.is_absolute() && !trimmed.contains(&b'\n') && !trimmed.contains(&0)).then(|| path.to_owned())
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use rye_template::Names;

    use super::*;
    use crate::search::Surroundings;
    use crate::{EnvRequest, Places, ProcessEnvironment};

    #[test]
    fn a_command_is_limited_and_gets_no_impossible_names() {
        let process: ProcessEnvironment = [("A", "1"), ("=C:", "2"), ("", "3")].into_iter().collect();
        let names = Names::new();
        let places =
            Places { project: None, home: Some(Path::new("/home")), user_space: None, names: &names };
        let commands = ResolveCommands::Run;
        let given = EnvRequest { process: &process, configs: &[], tool_env: &[], places, commands };
        let surroundings = Surroundings::new(&given, &[]);
        let request = request(&Search::new(&surroundings), Path::new("/bin/x"));
        assert_eq!(request.timeout, Some(Duration::from_secs(10)));
        assert_eq!(request.stdout, StreamLimit::truncate(64 * 1024));
        assert_eq!(request.cwd.as_deref(), Some(Path::new("/home")));
        assert_eq!(*request.env, std::collections::BTreeMap::from([("A".into(), "1".into())]));
    }
}
