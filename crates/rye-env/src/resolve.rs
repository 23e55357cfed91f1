//! The order in which an environment is made.

use std::sync::Arc;

use rye_metadata::metadata::Interpreter;

use crate::environment::{Environment, Origin};
use crate::error::{
    EnvError, EnvProblem, InterpreterErrorKind, OptionError, OptionErrorKind, VariableError,
    VariableErrorKind,
};
use crate::expand::expand;
use crate::options::is_plain_name;
use crate::report::{Chosen, ChosenBy, EnvWarning, InterpreterReport};
use crate::request::EnvRequest;
use crate::resolvers::{ResolverType, similar_type, type_names};
use crate::search::{Search, Surroundings};
use crate::survey::{Survey, Surveyed};

/// Makes the environment of a run.
///
/// The order is: the process environment, `.env` files, interpreters, the `env` of each `env_config`, the tool's own
/// `config.env`. Who comes later can see, and replace, what came earlier. If an element declares an interpreter for a
/// variable for which an earlier one does, only the later declaration counts.
///
/// # Errors
/// If a `.env` file cannot be understood, an interpreter cannot be found or a variable cannot be set. Everything that
/// stands in the way is reported.
pub fn resolve(request: &EnvRequest<'_>) -> Result<Environment, EnvError> {
    resolve_with(request, Survey::make(request))
}

/// Does the same with what was found by the same request, or by one that differs only in `env`, `config.env` and names that
/// no interpreter's options have.
///
/// # Errors
/// As for [`resolve`].
pub fn resolve_with(request: &EnvRequest<'_>, surveyed: Surveyed) -> Result<Environment, EnvError> {
    let Surveyed { survey, problems } = surveyed;
    let environment = Environment::new(request.process.clone(), Arc::clone(&survey));
    let mut resolution = Resolution { request, environment, problems };
    resolution.apply(&survey);
    for declared in request.configs {
        let origin = Origin::Declared { element: declared.element.into() };
        resolution.set_all(declared.config.env.iter().map(|(n, v)| (n.as_str(), v.as_str())), &origin);
    }
    resolution.set_all(request.tool_env.iter().copied(), &Origin::Tool);
    if resolution.problems.is_empty() {
        Ok(resolution.environment)
    } else {
        Err(EnvError { problems: resolution.problems })
    }
}

/// Checks the declaration of an interpreter without looking for it.
///
/// # Errors
/// If its type does not take its options, or if its type is unknown and it has no fallback.
pub fn check_interpreter(interpreter: &Interpreter) -> Result<(), InterpreterErrorKind> {
    check_fallback(interpreter)?;
    match ResolverType::of(interpreter) {
        Some(resolver) => Ok(resolver.read(interpreter).map(|_| ())?),
        None if interpreter.fallback.is_some() => Ok(()),
        None => Err(unknown_resolver(interpreter)),
    }
}

struct Resolution<'a> {
    request: &'a EnvRequest<'a>,
    environment: Environment,
    problems: Vec<EnvProblem>,
}

impl Resolution<'_> {
    /// Sets what was found, the `.env` files first.
    fn apply(&mut self, survey: &Survey) {
        for file in &survey.files {
            let path = Arc::from(file.path.as_path());
            for variable in &file.variables {
                let origin = Origin::DotEnv { path: Arc::clone(&path), line: variable.line };
                self.environment.set(&variable.name, &variable.value, origin);
            }
        }
        for report in &survey.interpreters {
            // Nothing that was there before may pass for an interpreter that is not known.
            let path = report.chosen.as_ref().map(|chosen| chosen.path.as_os_str()).unwrap_or_default();
            let (element, name) = (Arc::clone(&report.element), report.name.as_str().into());
            let origin = Origin::Interpreter { element, name };
            match check_name(&report.var) {
                Ok(()) => self.environment.set(&report.var, path, origin),
                Err(kind) => self.problem(&report.var, &origin, kind),
            }
        }
    }

    fn set_all<'v>(&mut self, variables: impl Iterator<Item = (&'v str, &'v str)>, origin: &Origin) {
        for (name, value) in variables {
            let environment = &self.environment;
            let expanded = check_name(name)
                .and_then(|()| expand(value, |name| environment.get(name), self.request.places.names));
            match expanded {
                Ok(value) => self.environment.set(name, value, origin.clone()),
                Err(kind) => self.problem(name, origin, kind),
            }
        }
    }

    fn problem(&mut self, name: &str, origin: &Origin, kind: VariableErrorKind) {
        let declared_by = match origin {
            Origin::Declared { element }
            | Origin::Interpreter { element, .. }
            | Origin::Anchor { element } => format!("`{element}`"),
            Origin::Tool => "the tool".to_owned(),
            Origin::DotEnv { path, .. } => format!("`{}`", path.display()),
            Origin::Process => "our own environment".to_owned(),
        };
        self.problems.push(EnvProblem::Variable(VariableError { name: name.to_owned(), declared_by, kind }));
    }
}

/// Looks for one interpreter.
pub(crate) fn find_interpreter(
    surroundings: &Surroundings<'_>,
    element: &Arc<str>,
    interpreter: &Interpreter,
) -> Result<InterpreterReport, InterpreterErrorKind> {
    check_fallback(interpreter)?;
    let mut search = Search::new(surroundings);
    let found = match ResolverType::of(interpreter) {
        Some(resolver) => resolver.read(interpreter)?.find(&mut search),
        None if interpreter.fallback.is_none() => return Err(unknown_resolver(interpreter)),
        None => {
            search.warnings.push(EnvWarning::UnknownResolver {
                resolver: interpreter.resolver.clone(),
                similar: similar_type(&interpreter.resolver),
            });
            None
        }
    };
    let was_left = search.warnings.contains(&EnvWarning::CommandNotRun);
    let mut by = ChosenBy::Resolver;
    let mut hit = found;
    if let (None, false, Some(fallback)) = (&hit, was_left, &interpreter.fallback) {
        by = ChosenBy::Fallback;
        hit = search.probe_path(fallback);
    }
    if hit.is_none() && !was_left && !interpreter.optional {
        return Err(InterpreterErrorKind::NotFound { looked_at: search.looked_at });
    }
    Ok(InterpreterReport {
        element: Arc::clone(element),
        name: interpreter.name.clone(),
        resolver: interpreter.resolver.clone(),
        var: interpreter.var.clone(),
        looked_at: search.looked_at,
        chosen: hit.map(|hit| Chosen { path: hit.path, by, inside_project: hit.inside_project }),
        command: search.command,
        warnings: search.warnings,
    })
}

fn unknown_resolver(interpreter: &Interpreter) -> InterpreterErrorKind {
    InterpreterErrorKind::UnknownResolver {
        resolver: interpreter.resolver.clone(),
        similar: similar_type(&interpreter.resolver),
        known: type_names(),
    }
}

fn check_fallback(interpreter: &Interpreter) -> Result<(), OptionError> {
    let is_program = |text: &str| is_plain_name(text) || text.starts_with('/');
    match &interpreter.fallback {
        Some(value) if !is_program(value) => Err(OptionError {
            resolver: interpreter.resolver.clone(),
            option: "fallback".to_owned(),
            kind: OptionErrorKind::NotAName { value: value.clone() },
        }),
        _ => Ok(()),
    }
}

fn check_name(name: &str) -> Result<(), VariableErrorKind> {
    if name.is_empty() || name.contains(['=', '\0']) { Err(VariableErrorKind::Name) } else { Ok(()) }
}
