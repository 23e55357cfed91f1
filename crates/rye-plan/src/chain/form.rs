//! What follows from a chain alone, whatever it is called with, so that it is found out once for all calls.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::OnceLock;

use rye_metadata::metadata::EnvConfig;
use rye_template::{ContextName, Template, names_in};
use serde_json::{Map, Value};

use super::Chain;
use crate::ChainConfig;
use crate::plan::{ChainAnchor, INPUT, KeptFilling, reads_parameters};
use crate::variant::Variant;

/// The configuration of a chain in one of the ways in which its runtime can be used, and what it asks for.
#[derive(Debug)]
pub(crate) struct ChainForm {
    /// What the primitive is given, not yet filled in.
    pub(crate) config: Map<String, Value>,
    /// The names of the fixed context that any template in the chain asks for.
    pub(crate) context: BTreeSet<ContextName>,
    /// Whether the primitive is given the parameters as a text.
    pub(crate) uses_parameters: bool,
    /// Whether nothing that a call brings along stands in any template, but for an input that is the parameters.
    pub(crate) is_fixed: bool,
    /// What it came to in a call before.
    pub(crate) filling: KeptFilling,
}

/// All forms of a chain.
#[derive(Debug)]
pub(crate) struct ChainForms {
    /// What the tool's own configuration fills in, before any parameter does.
    pub(crate) own: Map<String, Value>,
    pub(crate) variants: Vec<Variant>,
    config: Map<String, Value>,
    /// Without a variant, and with each.
    forms: Vec<OnceLock<ChainForm>>,
}

/// A form that the chain keeps, or one for a single call.
#[derive(Debug)]
pub(crate) enum UsedForm<'a> {
    Kept(&'a ChainForm),
    Made(ChainForm),
}

impl ChainForms {
    pub(super) fn of(chain: &Chain) -> Self {
        let ChainConfig { config, names } = chain.config();
        let (mut config, mut own) = (config.clone(), names.clone());
        if let Some(tool_name) = chain.links().iter().find_map(|link| link.metadata.tool_name.as_ref()) {
            own.insert("tool_name".to_owned(), Value::String(tool_name.clone()));
        }
        let variants = Variant::take(&mut config);
        let forms = (0..=variants.len()).map(|_| OnceLock::new()).collect();
        Self { own, variants, config, forms }
    }

    /// The form with one of the variants, or with none.
    pub(crate) fn get(&self, chain: &Chain, variant: Option<usize>) -> &ChainForm {
        self.forms[variant.map_or(0, |variant| variant + 1)].get_or_init(|| {
            let mut config = self.config.clone();
            if let Some(variant) = variant {
                self.variants[variant].apply(&mut config);
            }
            ChainForm::new(chain, &self.own, config)
        })
    }
}

impl ChainForm {
    pub(crate) fn new(chain: &Chain, own: &Map<String, Value>, config: Map<String, Value>) -> Self {
        let names = used_names(chain, &config);
        let is_lasting = |name| !matches!(name, ContextName::RunId | ContextName::ParamsJson);
        let is_own =
            |name: &&str| ContextName::find(name).map_or_else(|| own.contains_key(*name), is_lasting);
        let of_own = own.values().flat_map(names_in);
        let is_fixed = names.iter().all(is_own)
            && of_own.map(ContextName::find).all(|name| name.is_some_and(is_lasting))
            && has_only_texts(config.get("env"));
        let context = names.into_iter().filter_map(ContextName::find).collect();
        let has_name = |value: &Value| names_in(value).contains(ContextName::ParamsJson.as_str());
        let uses_parameters = config.values().any(has_name);
        Self { config, context, uses_parameters, is_fixed, filling: KeptFilling::default() }
    }
}

impl Deref for UsedForm<'_> {
    type Target = ChainForm;

    fn deref(&self) -> &ChainForm {
        match self {
            Self::Kept(form) => form,
            Self::Made(form) => form,
        }
    }
}

/// Whether the variables of a configuration are texts. Anything else becomes one, in which a key would be a template, too.
fn has_only_texts(variables: Option<&Value>) -> bool {
    let mut variables = variables.and_then(Value::as_object).into_iter().flat_map(Map::values);
    variables.all(|value| !value.is_object() && !value.is_array())
}

/// The names that the templates of the elements ask for. An input that is the parameters themselves is no template.
fn used_names<'a>(chain: &'a Chain, config: &'a Map<String, Value>) -> BTreeSet<&'a str> {
    let mut used = BTreeSet::new();
    let mut add = |names: &mut dyn Iterator<Item = &'a str>| used.extend(names);
    let is_input = |key: &str| key == INPUT && reads_parameters(config);
    for (_, value) in config.iter().filter(|(key, _)| !is_input(key)) {
        add(&mut names_in(value).into_iter());
    }
    let environments: Vec<&EnvConfig> =
        chain.links().iter().filter_map(|link| link.metadata.env_config.as_ref()).collect();
    for environment in environments {
        for text in environment.env.values() {
            add(&mut Template::parse(text).names());
        }
        for option in environment.interpreters.iter().flat_map(|interpreter| interpreter.options.values()) {
            add(&mut names_in(option).into_iter());
        }
    }
    if let Some(ChainAnchor { anchor, .. }) = ChainAnchor::of(chain) {
        let edits = anchor.env_paths.values().flat_map(|edit| edit.prepend.iter().chain(&edit.append));
        for text in edits.chain(&anchor.cwd) {
            add(&mut Template::parse(text).names());
        }
    }
    used
}
