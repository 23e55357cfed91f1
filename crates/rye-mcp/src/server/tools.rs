//! The five tools as an agent sees them. They are data, so that nothing but an edit of that file changes a byte of them.

use std::sync::LazyLock;

use rmcp::model::Tool;

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("tools.json")).expect("the list is part of the program")
});

/// The tools.
pub(super) fn all() -> &'static [Tool] {
    &TOOLS
}

/// The list of tools as it is sent.
///
/// # Panics
/// Never: a test has read it before.
#[must_use]
pub fn tool_list() -> String {
    serde_json::to_string(all()).expect("what was read can be written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_five() {
        let names: Vec<_> = all().iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, ["search", "load", "execute", "sign", "help"]);
    }

    /// What clients keep in their caches and prompts. A change of a single byte costs each of them a cache; whoever wants
    /// it changes this test with it.
    #[test]
    fn the_list_stays_as_it_is() {
        let list = tool_list();
        let digest = lillux::Digest::of(list.as_bytes()).to_string();
        assert_eq!((list.len(), &digest[..16]), (9937, "d9310a313931959d"));
    }

    #[test]
    fn the_list_is_all_that_the_file_says() {
        let file: serde_json::Value = serde_json::from_str(include_str!("tools.json")).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&tool_list()).unwrap(), file);
    }
}
