//! Parameters of an item as they are typed: `--name value`, by the item's own schema.

use rye_plan::Parameters;
use serde_json::{Map, Value};
use strsim::osa_distance;

use super::flag_value::{FlagError, Parsed, Wanted};
use crate::cli::RunOptions;

/// What stands after the id on the command line.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    /// The parameters, as JSON texts.
    values: Vec<(String, Vec<String>, Wanted)>,
    /// The options that are not the item's.
    pub(crate) options: RunOptions,
    pub(crate) wants_help: bool,
    pub(crate) wants_json: bool,
    /// The project, if it was named after the id.
    pub(crate) project: Option<String>,
}

/// A command line that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgumentError {
    #[error("`{argument}` is not a parameter: parameters are given as `--name value`")]
    Unexpected { argument: String },
    #[error("`{id}` has no parameter `--{name}`{}", nearest.as_ref().map(|nearest| format!("; did you mean `--{nearest}`?")).unwrap_or_default())]
    Unknown { id: String, name: String, nearest: Option<String> },
    #[error("`--{name}` needs a value")]
    NoValue { name: String },
    #[error("`--{name}`: {source}")]
    Value { name: String, source: FlagError },
    #[error("`--{name}` was given more than once")]
    Repeated { name: String },
    #[error("`{text}` is not a number of seconds")]
    Seconds { text: String },
}

impl Arguments {
    /// Reads what stands after the id.
    pub(crate) fn read(
        id: &str,
        args: &[String],
        schema: Option<&Value>,
        before: &RunOptions,
    ) -> Result<Self, ArgumentError> {
        let schema = Schema::of(schema);
        let mut read = Self { options: before.clone(), ..Self::default() };
        let mut rest = args.iter().map(String::as_str).peekable();
        while let Some(arg) = rest.next() {
            let Some(flag) = arg.strip_prefix("--").filter(|flag| !flag.is_empty()) else {
                if arg == "-h" {
                    read.wants_help = true;
                    continue;
                }
                return Err(ArgumentError::Unexpected { argument: arg.to_owned() });
            };
            let (name, inline) =
                flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value)));
            let mut value = || match inline {
                Some(value) => Ok(value.to_owned()),
                None => rest
                    .next()
                    .map(str::to_owned)
                    .ok_or_else(|| ArgumentError::NoValue { name: name.to_owned() }),
            };
            // All parameters together are never one of them.
            if let Some((parameter, wanted)) = schema.find(name).filter(|_| name != "params") {
                let text = if wanted.is_switch() && inline.is_none() {
                    match rest.peek() {
                        Some(&("true" | "false")) => rest.next().unwrap_or_default().to_owned(),
                        _ => "true".to_owned(),
                    }
                } else {
                    value()?
                };
                read.put(parameter, wanted, text)?;
                continue;
            }
            match name {
                "params" => read.options.params = Some(value()?),
                "dry-run" => read.options.dry_run = true,
                "trace" => read.options.trace = true,
                "async" => read.options.is_async = true,
                "locked" => read.options.locked = true,
                "json" => read.wants_json = true,
                "help" => read.wants_help = true,
                "project" => read.project = Some(value()?),
                "timeout" => {
                    let text = value()?;
                    let seconds = text.parse().map_err(|_| ArgumentError::Seconds { text })?;
                    read.options.timeout = Some(seconds);
                }
                _ => match name.strip_prefix("no-").and_then(|name| schema.find(name)) {
                    Some((parameter, wanted)) if wanted.is_switch() && inline.is_none() => {
                        read.put(parameter, wanted, "false".to_owned())?;
                    }
                    _ if schema.is_open => {
                        let text = value()?;
                        read.put(name.to_owned(), Wanted::Text, text)?;
                    }
                    _ => {
                        let (id, nearest) = (id.to_owned(), schema.nearest(name));
                        return Err(ArgumentError::Unknown { id, name: name.to_owned(), nearest });
                    }
                },
            }
        }
        Ok(read)
    }

    /// Whether any parameter was given by its name.
    pub(crate) fn has_values(&self) -> bool {
        !self.values.is_empty()
    }

    /// The parameters: those of `--params`, and those that were given by name, which come first.
    pub(crate) fn parameters(&self, params: Option<&Parameters>) -> Result<String, ArgumentError> {
        let mut members: Vec<(String, String)> = params
            .into_iter()
            .flat_map(Parameters::iter)
            .map(|(name, raw)| (name.to_owned(), raw.get().to_owned()))
            .collect();
        for (name, texts, wanted) in &self.values {
            let failed = |source| ArgumentError::Value { name: name.clone(), source };
            let Parsed(json) = wanted.parse(texts).map_err(failed)?;
            members.retain(|(known, _)| known != name);
            members.push((name.clone(), json));
        }
        let members = members.iter().map(|(name, json)| format!("{}:{json}", Value::from(name.as_str())));
        Ok(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
    }

    fn put(&mut self, name: String, wanted: Wanted, text: String) -> Result<(), ArgumentError> {
        match self.values.iter_mut().find(|(known, ..)| *known == name) {
            Some((_, texts, wanted)) if wanted.is_list() => texts.push(text),
            Some(_) => return Err(ArgumentError::Repeated { name }),
            None => self.values.push((name, vec![text], wanted)),
        }
        Ok(())
    }
}

/// What a schema says about the parameters.
struct Schema<'a> {
    properties: Option<&'a Map<String, Value>>,
    /// Whether other names are fine too.
    is_open: bool,
}

impl<'a> Schema<'a> {
    fn of(schema: Option<&'a Value>) -> Self {
        let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
        // Without a word about parameters, all names are as good.
        Self { properties, is_open: properties.is_none_or(Map::is_empty) }
    }

    /// A parameter by its name, in which a hyphen may stand for an underscore.
    fn find(&self, name: &str) -> Option<(String, Wanted)> {
        let properties = self.properties?;
        let (known, schema) = properties
            .get_key_value(name)
            .or_else(|| properties.iter().find(|(known, _)| known.replace('_', "-") == name))?;
        Some((known.clone(), Wanted::of(schema)))
    }

    fn nearest(&self, name: &str) -> Option<String> {
        let names = self.properties?.keys();
        let distances = names.map(|known| (osa_distance(&known.replace('_', "-"), name), known));
        distances
            .min()
            .filter(|(distance, _)| *distance <= name.len() / 3 + 1)
            .map(|(_, known)| known.clone())
    }
}
