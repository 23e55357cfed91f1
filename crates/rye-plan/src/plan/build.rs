//! Making a plan.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rye_env::{
    DeclaredEnv, EnvRequest, Environment, Origin, Places, ProcessEnvironment, Project, ResolveCommands,
    Survey,
};
use rye_item::Spaces;
use rye_metadata::metadata::Secret;
use rye_template::{ContextName, Names, Scope, names_in};
use rye_trust::Verified;
use serde_json::{Map, Value};

use super::copies::Copies;
use super::error::{PlanErrorKind, SettingError};
use super::filling::Filling;
use super::http::Unfilled;
use super::paths::{ChainAnchor, Paths};
use super::settings::Settings;
use super::surveys::{KnownSurvey, Surveys};
use super::worker::{VariableNames, WorkerPlan, Workers};
use super::{Action, Plan, PlanElement, PlanError, http, process};
use crate::chain::{ChainForm, UsedForm};
use crate::config_resolve;
use crate::shell_text::ShellValues;
use crate::variant::Variant;
use crate::{Chain, Link, Parameters, Primitive};

/// What is asked of a chain.
#[derive(Debug)]
pub struct PlanRequest<'a> {
    /// The parameters as they were sent. Without any, placeholders stay as they are, to be shown and not to be run.
    pub parameters: Option<Parameters>,
    /// How long it may take, at most as long as the chain allows.
    pub timeout: Option<Duration>,
    /// The id of the run.
    pub run_id: &'a str,
}

/// Everything around a chain that decides how it runs.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The environment of our own process.
    pub process: &'a ProcessEnvironment,
    /// The folder that the call works in.
    pub folder: &'a Path,
    /// The project and whether it is trusted, if there is one.
    pub project: Option<Project<'a>>,
    /// The user's home folder.
    pub home: Option<&'a Path>,
    /// The user space.
    pub user_space: Option<&'a Path>,
    /// Our own program.
    pub program: &'a Path,
    /// The spaces.
    pub spaces: &'a Spaces,
    /// Whether commands are run that find an interpreter.
    pub commands: ResolveCommands,
    /// Whether it is said how a run can start warm.
    pub workers: Workers,
    /// Who remembers what was found for the same chain before, if anybody does. What such a chain came to is kept with it, so
    /// all of its plans are made in these surroundings.
    pub surveys: Option<&'a dyn Surveys>,
}

/// What the caller gives to the chain.
struct Input<'a> {
    form: UsedForm<'a>,
    /// The name whose value is a shell command, if there is one.
    shell_code: Option<String>,
    /// What the tool's own configuration fills in, before any parameter does.
    own: &'a Map<String, Value>,
    /// What else fills placeholders.
    parameters: Parameters,
}

/// How long a run may take if nobody says anything.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(5);

impl Plan {
    /// Decides everything about a run.
    ///
    /// # Errors
    /// If the parameters are wrong, something that is needed is not there, or a file may not run.
    pub fn new(
        chain: &Chain,
        request: PlanRequest<'_>,
        surroundings: &Surroundings<'_>,
        copies: &dyn Copies,
    ) -> Result<Self, PlanError> {
        plan(chain, request, surroundings, copies).map_err(|kind| {
            let item = chain.head().verified.item().item().clone();
            PlanError { item, kind: Box::new(kind) }
        })
    }
}

fn plan(
    chain: &Chain,
    request: PlanRequest<'_>,
    surroundings: &Surroundings<'_>,
    copies: &dyn Copies,
) -> Result<Plan, PlanErrorKind> {
    let head = chain.head();
    let schema = chain.schema()?;
    let is_complete = request.parameters.is_some();
    let parameters = match (request.parameters, schema) {
        (Some(parameters), Some(schema)) => parameters.check(schema)?,
        (None, Some(schema)) => Parameters::default().with_defaults(schema),
        (parameters, _) => parameters.unwrap_or_default(),
    };
    let parameters = match &head.metadata.config_resolve {
        None => parameters,
        Some(declared) => {
            let is_trusted = surroundings.project.is_none_or(|project| project.is_trusted());
            let found = config_resolve::resolve(declared, surroundings.spaces, is_trusted)?;
            parameters.with(config_resolve::PARAMETER, &found)?
        }
    };
    let input = Input::of(chain, &parameters)?;
    let paths = Paths::find(chain, &input.form.context, surroundings.folder, copies)?;
    if is_complete && paths.lacks_server {
        return Err(SettingError::NoServer.into());
    }
    let params_json = input.form.uses_parameters.then(|| parameters.to_json());

    // Whoever has no parameters is shown placeholders, and whoever remembers nothing may look around elsewhere next time.
    let can_be_known = is_complete && input.form.is_fixed && surroundings.surveys.is_some();
    let known = can_be_known.then(|| input.form.filling.get(&paths.texts)).flatten();
    let Filling { environment, mut action } = if let Some(known) = known {
        known
    } else {
        let mut names = Names::new();
        paths.fill(&mut names);
        names.set_context(ContextName::RunId, request.run_id);
        if let Some(json) = &params_json {
            names.set_context(ContextName::ParamsJson, json.as_str());
        }
        let filled = fill(chain, &input, names, surroundings, is_complete)?;
        if can_be_known && filled.is_lasting {
            input.form.filling.put(&paths.texts, filled.filling.clone());
        }
        filled.filling
    };
    let settings = Settings(&input.form.config);
    let timeout = settings.seconds("timeout")?.unwrap_or(DEFAULT_TIMEOUT);
    if let Action::Process(program) = &mut action
        && process::reads_parameters(settings.0)
    {
        program.stdin = params_json.unwrap_or_default().into_bytes();
    }
    let worker = WorkerPlan::of(chain, &environment, surroundings.workers, copies)?;
    Ok(Plan {
        worker,
        chain: Arc::clone(&chain.elements().items),
        extractors: Arc::clone(&chain.elements().extractors),
        primitive: chain.primitive(),
        action,
        timeout: request.timeout.map_or(timeout, |shorter| shorter.min(timeout)),
        secrets: secrets(chain),
        is_direct: chain.links().len() == 1,
        is_destructive: head
            .metadata
            .annotations
            .as_ref()
            .is_some_and(|hints| hints.destructive_hint == Some(true)),
        is_graph: head.metadata.is_graph(),
        copy: paths.copy,
        server: chain.elements().server.clone(),
        server_copy: paths.server_copy,
        environment,
        parameters,
    })
}

/// A form that has just been filled in.
struct Filled {
    filling: Filling,
    /// Whether it comes to the same in the next call, as far as nothing in it is the call's own.
    is_lasting: bool,
}

/// Fills in all templates of a form.
fn fill<'n>(
    chain: &Chain,
    input: &'n Input<'_>,
    mut names: Names<'n>,
    surroundings: &'n Surroundings<'_>,
    is_complete: bool,
) -> Result<Filled, PlanErrorKind> {
    names.set_context(ContextName::Rye, surroundings.program.to_string_lossy());
    if let Some(user_space) = surroundings.user_space {
        names.set_context(ContextName::UserSpace, user_space.to_string_lossy());
    }
    let own_names = own_names(input, &names)?;
    for (name, value) in input.parameters.iter() {
        names.set_parameter(name, value);
    }
    for (name, value) in own_names {
        names.set_parameter(name, value);
    }

    let settings = Settings(&input.form.config);
    let (environment, is_lasting) = environment(chain, settings, &names, surroundings)?;
    let variables = |name: &str| environment.get(name).map(|value| value.to_string_lossy());
    let scope = Scope::new(&names, variables);
    if is_complete {
        check_placeholders(input, chain.head(), &scope)?;
    }
    let anchor = ChainAnchor::of(chain).and_then(|found| found.anchor.cwd.as_deref());
    let action = match chain.primitive() {
        Primitive::Execute => {
            Action::Process(process::process(settings, &scope, anchor, surroundings.folder)?)
        }
        Primitive::HttpClient => {
            let unfilled = if is_complete { Unfilled::Refuse } else { Unfilled::Show };
            Action::Http(http::http(settings, &scope, unfilled)?)
        }
    };
    Ok(Filled { filling: Filling { environment: Arc::new(environment), action }, is_lasting })
}

/// The items of a chain and their extractors, as records and people see them.
#[derive(Debug)]
pub(crate) struct ChainElements {
    items: Arc<[PlanElement]>,
    extractors: Arc<[PlanElement]>,
    /// What processes run that are kept ready for it.
    pub(super) helper: Option<Arc<PlanElement>>,
    /// What describes the server that has the tool.
    server: Option<Arc<PlanElement>>,
    /// The variables that what is kept ready is started with.
    pub(super) keyed_by: Arc<VariableNames>,
}

impl ChainElements {
    pub(crate) fn of(chain: &Chain) -> Self {
        let items = chain.links().iter().map(|link| element(link, &link.verified)).collect();
        let own = |link: &Link| Arc::new(element(link, &link.verified));
        let worker = chain.worker().map(|(worker, _)| worker);
        let keyed_by = worker.map(|worker| VariableNames::new(&worker.keyed_by, &worker.except));
        let keyed_by = Arc::new(keyed_by.unwrap_or_default());
        Self {
            items,
            extractors: extractors(chain).into(),
            helper: chain.helper().map(own),
            server: chain.server().map(own),
            keyed_by,
        }
    }
}

impl<'a> Input<'a> {
    /// A primitive takes its configuration from the parameters, flat or as `config` with `params` for its
    /// placeholders; everything else has one.
    fn of(chain: &'a Chain, parameters: &Parameters) -> Result<Self, PlanErrorKind> {
        let forms = chain.forms();
        let own = &forms.own;
        if chain.links().len() > 1 {
            let variant = choose_variant(&forms.variants, own, parameters, chain);
            let shell_code = variant.and_then(|variant| forms.variants[variant].shell_code());
            let form = UsedForm::Kept(forms.get(chain, variant));
            return Ok(Self { form, shell_code, own, parameters: parameters.clone() });
        }
        let wrong = |key: &str| SettingError::WrongType { key: key.to_owned(), expected: "a map" };
        let (given, names) = match parameters.get("config") {
            Some(Value::Object(given)) => match parameters.get("params") {
                Some(Value::Object(names)) => (given, names),
                None | Some(Value::Null) => (given, Map::new()),
                Some(_) => return Err(wrong("params").into()),
            },
            None | Some(Value::Null) => {
                let mut names = Map::new();
                let given: Vec<_> = parameters
                    .iter()
                    .filter_map(|(key, _)| Some((key.to_owned(), parameters.get(key)?)))
                    .collect();
                (given.into_iter().map(|(key, value)| (key, as_it_is(value, &mut names))).collect(), names)
            }
            Some(_) => return Err(wrong("config").into()),
        };
        let mut config = chain.config().config.clone();
        crate::config::merge(&mut config, &given);
        let parameters = Parameters::from_pairs(names)?;
        let variants = Variant::take(&mut config);
        let variant = choose_variant(&variants, own, &parameters, chain).map(|variant| &variants[variant]);
        if let Some(variant) = variant {
            variant.apply(&mut config);
        }
        let shell_code = variant.and_then(Variant::shell_code);
        Ok(Self { form: UsedForm::Made(ChainForm::new(chain, own, config)), shell_code, own, parameters })
    }
}

/// Puts a placeholder of its own in the place of each text that has braces, so that the text is not taken for a template.
fn as_it_is(value: Value, names: &mut Map<String, Value>) -> Value {
    match value {
        Value::String(text) if text.contains('{') => {
            let name = format!("literal_{}", names.len());
            let placeholder = format!("{{{name}}}");
            names.insert(name, Value::String(text));
            Value::String(placeholder)
        }
        Value::Array(items) => items.into_iter().map(|item| as_it_is(item, names)).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, as_it_is(value, names))).collect(),
        other => other,
    }
}

/// Picks the way in which the runtime is used: by what the tool's own configuration fills in, by the parameters if the
/// runtime itself was called or the tool has no code that could be run, or by the extension of the file that runs.
fn choose_variant(
    variants: &[Variant],
    own: &Map<String, Value>,
    parameters: &Parameters,
    chain: &Chain,
) -> Option<usize> {
    let head = chain.head();
    let is_runtime = head.metadata.config.as_ref().is_some_and(|config| config.contains_key("variants"));
    let has_code = head.has_code || head.metadata.entry.is_some();
    let by_parameters = is_runtime || !has_code;
    // What a tool says itself is not for the caller to replace.
    let own = variants.iter().position(|variant| variant.name().is_some_and(|name| own.contains_key(name)));
    let has_value = |name: &str| parameters.get(name).is_some_and(|value| !value.is_null());
    let is_given = |variant: &Variant| variant.name().is_some_and(has_value);
    let given = || variants.iter().position(is_given).filter(|_| by_parameters);
    let extension = match &head.metadata.entry {
        Some(entry) => Path::new(entry).extension().and_then(OsStr::to_str).unwrap_or_default(),
        None => head.verified.item().extension(),
    };
    let by_extension = || variants.iter().position(|variant| variant.is_for_extension(extension));
    own.or_else(given).or_else(by_extension)
}

/// What the tool's own configuration fills in. It may have placeholders itself, for which parameters stand; inside of
/// code they stay values.
fn own_names(input: &Input<'_>, context: &Names<'_>) -> Result<Vec<(String, Value)>, PlanErrorKind> {
    if input.own.is_empty() {
        return Ok(Vec::new());
    }
    let no_variables = |_: &str| None::<&str>;
    let mut plain = context.clone();
    for (name, value) in input.parameters.iter() {
        plain.set_parameter(name, value);
    }
    let render = |(name, value): (&String, &Value)| {
        if input.shell_code.as_ref() == Some(name) {
            return Ok((name.clone(), shell_code(value, &plain)?));
        }
        Ok((name.clone(), Scope::new(&plain, no_variables).render_value(value)?))
    };
    input.own.iter().map(render).collect()
}

/// A shell command, filled in so that no value becomes a part of the command.
fn shell_code(code: &Value, names: &Names<'_>) -> Result<Value, PlanErrorKind> {
    let no_variables = |_: &str| None::<&str>;
    let mut values = ShellValues::default();
    let mut marked = Names::new();
    for name in names_in(code).into_iter().filter(|name| names.get(name).is_some()) {
        let mark = values.add(&Scope::new(names, no_variables).render_text(&format!("{{{name}}}"))?);
        match ContextName::find(name) {
            Some(context) => marked.set_context(context, mark),
            None => marked.set_parameter(name, mark),
        }
    }
    let filled = Scope::new(&marked, no_variables).render_value(code)?;
    Ok(map_texts(filled, &|text| values.put_into(&text)))
}

fn map_texts(value: Value, change: &dyn Fn(String) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(text)),
        Value::Array(items) => items.into_iter().map(|item| map_texts(item, change)).collect(),
        other => other,
    }
}

/// The environment, and whether it is the same for as long as the chain is used.
fn environment(
    chain: &Chain,
    settings: Settings<'_>,
    names: &Names<'_>,
    surroundings: &Surroundings<'_>,
) -> Result<(Environment, bool), PlanErrorKind> {
    let ids: Vec<_> = chain.links().iter().map(|link| link.verified.item().item().id.as_str()).collect();
    let declared = chain.links().iter().zip(&ids).rev();
    let configs: Vec<_> = declared
        .filter_map(|(link, element)| {
            Some(DeclaredEnv { element, config: link.metadata.env_config.as_ref()? })
        })
        .collect();
    let of_tool = settings.map("env")?;
    let of_tool: Vec<(&str, String)> = of_tool
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
        .collect();
    let tool_env: Vec<(&str, &str)> = of_tool.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let request = EnvRequest {
        process: surroundings.process,
        configs: &configs,
        tool_env: &tool_env,
        places: Places {
            project: surroundings.project,
            home: surroundings.home,
            user_space: surroundings.user_space,
            names,
        },
        commands: surroundings.commands,
    };
    let mut make = || Survey::make(&request);
    let KnownSurvey { surveyed, is_lasting } = match surroundings.surveys {
        Some(surveys) => surveys.get(chain, values_of_options(&configs, names), &mut make),
        None => KnownSurvey { surveyed: make(), is_lasting: false },
    };
    let mut environment = rye_env::resolve_with(&request, surveyed)?;
    if let Some(anchor) = ChainAnchor::of(chain) {
        edit_paths(&mut environment, anchor, names)?;
    }
    Ok((environment, is_lasting))
}

/// What the placeholders stand for that the options of interpreters have.
fn values_of_options(configs: &[DeclaredEnv<'_>], names: &Names<'_>) -> Vec<String> {
    let interpreters = configs.iter().flat_map(|declared| &declared.config.interpreters);
    let options = interpreters.flat_map(|interpreter| interpreter.options.values());
    options.flat_map(names_in).map(|name| format!("{:?}", names.get(name))).collect()
}

/// Adds what the anchor says to variables that are lists of paths.
fn edit_paths(
    environment: &mut Environment,
    ChainAnchor { anchor, link }: ChainAnchor<'_>,
    names: &Names<'_>,
) -> Result<(), PlanErrorKind> {
    for (variable, edit) in &anchor.env_paths {
        let old = environment.get(variable).map(|value| value.to_string_lossy().into_owned());
        let value = {
            let lookup = |name: &str| environment.get(name).map(|value| value.to_string_lossy());
            let scope = Scope::new(names, lookup);
            let render = |texts: &[String]| {
                texts.iter().map(|text| scope.render_text(text)).collect::<Result<Vec<_>, _>>()
            };
            let (before, after) = (render(&edit.prepend)?, render(&edit.append)?);
            let parts = before.into_iter().chain(old).chain(after).filter(|part| !part.is_empty());
            parts.collect::<Vec<_>>().join(":")
        };
        let element = link.verified.item().item().id.as_str().into();
        environment.set(variable, value, Origin::Anchor { element });
    }
    Ok(())
}

/// A placeholder that a schema of the chain declares must have a value.
fn check_placeholders<L, V>(input: &Input<'_>, head: &Link, scope: &Scope<'_, L>) -> Result<(), PlanErrorKind>
where
    L: Fn(&str) -> Option<V>,
    V: AsRef<str>,
{
    let schema = head.metadata.config_schema.as_ref();
    let declared = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let Some(declared) = declared else { return Ok(()) };
    for value in input.form.config.values() {
        if let Some(name) = scope.unknown_names(value).into_iter().find(|name| declared.contains_key(*name)) {
            return Err(SettingError::NoValue { name: name.to_owned() }.into());
        }
    }
    Ok(())
}

fn element(link: &Link, verified: &Verified) -> PlanElement {
    let item = verified.item();
    let is_link = std::ptr::eq(verified, &raw const link.verified);
    PlanElement {
        item: item.item().clone(),
        space: item.space(),
        version: if is_link { link.metadata.version.clone() } else { None },
        path: item.path().to_owned(),
        digest: verified.content(),
        signer: verified.signer().clone(),
        shadows: if is_link { link.shadows.clone() } else { Vec::new() },
    }
}

/// Each extractor once, in the order of the chain.
fn extractors(chain: &Chain) -> Vec<PlanElement> {
    let mut extractors: Vec<PlanElement> = Vec::new();
    for link in chain.links().iter().chain(chain.server()) {
        let found = element(link, &link.extractor);
        if !extractors.contains(&found) {
            extractors.push(found);
        }
    }
    extractors
}

/// Each secret once.
fn secrets(chain: &Chain) -> Vec<Secret> {
    let mut secrets: Vec<Secret> = Vec::new();
    let links = chain.links().iter().chain(chain.server());
    for secret in links.flat_map(|link| &link.metadata.secrets) {
        if !secrets.contains(secret) {
            secrets.push(secret.clone());
        }
    }
    secrets
}
