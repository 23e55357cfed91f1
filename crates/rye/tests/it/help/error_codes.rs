//! The topic about errors has every code that there is.

use super::topics::topic;

/// The files in which codes are given their names.
const ENGINE: &str = include_str!("../../../../rye-engine/src/error_code.rs");
const COMMANDS: [&str; 6] = [
    include_str!("../../../src/command_error.rs"),
    include_str!("../../../src/command_error/execute.rs"),
    include_str!("../../../src/command_error/keys.rs"),
    include_str!("../../../src/command_error/mcp.rs"),
    include_str!("../../../src/command_error/mcp_client.rs"),
    include_str!("../../../src/command_error/runs.rs"),
];
/// Variables that have the look of a code.
const VARIABLES: [&str; 2] = ["RYE_SIGNING_KEY", "RYE_PASSPHRASE"];

/// Texts in quotation marks that look like a code.
fn codes(source: &str) -> Vec<&str> {
    let is_code = |text: &&str| {
        text.len() > 1
            && text.starts_with(|c: char| c.is_ascii_uppercase())
            && text.chars().all(|c| c.is_ascii_uppercase() || c == '_')
    };
    source.split('"').skip(1).step_by(2).filter(is_code).filter(|text| !VARIABLES.contains(text)).collect()
}

fn explained(text: &str) -> Vec<&str> {
    let entries = text.lines().filter_map(|line| line.strip_prefix("- ")?.split_once(':'));
    entries.flat_map(|(codes, _)| codes.split(", ")).collect()
}

#[test]
fn every_code_is_explained_and_no_other() {
    let text = topic("errors");
    let explained = explained(&text);
    let all: Vec<&str> =
        codes(ENGINE).into_iter().chain(COMMANDS.iter().flat_map(|source| codes(source))).collect();
    assert!(codes(ENGINE).len() > 30, "{:?}", codes(ENGINE));
    for code in &all {
        assert!(explained.contains(code), "`{code}` is not explained");
    }
    for code in &explained {
        assert!(all.contains(code), "`{code}` is explained, and there is no such code");
        assert_eq!(explained.iter().filter(|other| other == &code).count(), 1, "`{code}` is explained twice");
    }
}
