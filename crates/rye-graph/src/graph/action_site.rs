//! The actions of a graph, for checks that need the items themselves.

use rye_item::ItemKind;
use rye_metadata::Position;

use super::{Action, Graph, HookKind, Param};

/// An action, and where it is.
#[derive(Debug, Clone, Copy)]
pub struct ActionSite<'g> {
    /// The node, unless it is an action of a hook.
    pub node: Option<&'g str>,
    /// The hook and the number of its action, if it is one.
    pub hook: Option<(HookKind, usize)>,
    /// The action.
    pub action: &'g Action,
}

/// All actions of a graph.
#[derive(Debug, Clone)]
pub struct ActionSites<'g> {
    sites: std::vec::IntoIter<ActionSite<'g>>,
}

impl<'g> ActionSite<'g> {
    /// The field of the file, as problems name it.
    #[must_use]
    pub fn field(&self) -> String {
        match (self.node, self.hook) {
            (Some(node), _) => format!("config.nodes.{node}.action"),
            (None, Some((hook, index))) => format!("config.hooks.{}.{index}", hook.name()),
            (None, None) => "config".to_owned(),
        }
    }

    /// The kind of the item.
    #[must_use]
    pub fn item_kind(&self) -> ItemKind {
        self.action.item_kind
    }

    /// The id of the item, unless it is known only during a run.
    #[must_use]
    pub fn item_id(&self) -> Option<&'g str> {
        self.action.literal_id()
    }

    /// The parameters. Those whose value is literal can be checked before a run.
    #[must_use]
    pub fn params(&self) -> &'g [Param] {
        &self.action.params
    }

    /// Where the action stands in the file.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.action.position
    }
}

impl<'g> ActionSites<'g> {
    pub(super) fn new(graph: &'g Graph) -> Self {
        let nodes = graph.nodes.iter().filter_map(|(name, node)| {
            Some(ActionSite { node: Some(name), hook: None, action: node.action()? })
        });
        let hooks = graph.hooks.actions.iter().flat_map(|(&hook, actions)| {
            actions.iter().enumerate().map(move |(index, action)| ActionSite {
                node: None,
                hook: Some((hook, index)),
                action,
            })
        });
        Self { sites: nodes.chain(hooks).collect::<Vec<_>>().into_iter() }
    }
}

impl<'g> Iterator for ActionSites<'g> {
    type Item = ActionSite<'g>;

    fn next(&mut self) -> Option<Self::Item> {
        self.sites.next()
    }
}
