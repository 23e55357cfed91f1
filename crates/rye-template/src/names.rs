//! All names that a template can use in one call.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::{ContextName, NameValue};

/// The fixed context and the parameters of a call.
///
/// They are kept apart: a parameter that is called like a [`ContextName`] stands in no template.
#[derive(Debug, Clone, Default)]
pub struct Names<'a> {
    context: BTreeMap<ContextName, NameValue<'a>>,
    parameters: HashMap<Cow<'a, str>, NameValue<'a>>,
}

impl<'a> Names<'a> {
    /// No name has a value yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a context name its value.
    pub fn set_context(&mut self, name: ContextName, text: impl Into<Cow<'a, str>>) {
        self.context.insert(name, NameValue::Text(text.into()));
    }

    /// Gives a parameter its value, in place of one that it had before.
    pub fn set_parameter(&mut self, name: impl Into<Cow<'a, str>>, value: impl Into<NameValue<'a>>) {
        self.parameters.insert(name.into(), value.into());
    }

    /// What `{name}` stands for, if it stands for anything.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&NameValue<'a>> {
        match ContextName::find(name) {
            Some(context) => self.context.get(&context),
            None => self.parameters.get(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(names: &Names<'_>, name: &str) -> Option<String> {
        names.get(name).map(|value| value.to_text().unwrap().into_owned())
    }

    #[test]
    fn parameters_never_replace_the_context() {
        let mut names = Names::new();
        names.set_context(ContextName::ToolPath, "/tools/a");
        for context in ContextName::ALL {
            names.set_parameter(context.as_str(), "evil");
        }
        names.set_parameter("count", serde_json::json!(1));
        names.set_parameter("count", serde_json::json!(2));

        assert_eq!(text(&names, "tool_path").as_deref(), Some("/tools/a"));
        for context in &ContextName::ALL[1..] {
            assert_eq!(text(&names, context.as_str()), None, "{}", context.as_str());
        }
        assert_eq!(text(&names, "count").as_deref(), Some("2"));
        assert_eq!(text(&names, "Tool_Path"), None);
    }
}
