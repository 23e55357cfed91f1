//! What a project brings along, for people and for programs.

use rye_engine::{Claim, ProjectReport, SignerCount, with_sources};
use rye_trust::{ProjectDecision, ProjectOffer, UntrustedReason};
use serde_json::{Value, json};

use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::table::Table;

/// What a project brings along.
pub(super) struct ProjectDescription<'a>(pub(super) &'a ProjectReport);

/// So many names of a folder are shown.
const MAX_NAMES: usize = 12;

impl ProjectDescription<'_> {
    /// Shows it, and the decision that was just made.
    pub(super) fn print(&self, output: Output, made: Option<&ProjectDecision>) -> Result<(), CommandError> {
        if output.is_json() {
            print_json(&self.to_json(made))
        } else {
            print_bytes(self.to_text(output, made).as_bytes())
        }
    }

    fn to_json(&self, made: Option<&ProjectDecision>) -> Value {
        let report = self.0;
        let decision = made.or(report.decision.as_ref().ok());
        let keys = report
            .keys
            .iter()
            .map(|key| json!({ "id": key.key.id(), "owner": key.owner, "file": key.path.to_string_lossy() }));
        let problems = report.key_problems.iter().map(|problem| {
            json!({ "file": problem.path.to_string_lossy(), "problem": with_sources(&problem.problem) })
        });
        let variables = report
            .variables
            .iter()
            .map(|(file, names)| json!({ "file": file.to_string_lossy(), "names": names }));
        let interpreters = report
            .interpreters
            .iter()
            .map(|(folder, programs)| json!({ "folder": folder, "programs": programs }));
        let signers = report
            .signers
            .iter()
            .map(|count| json!({ "signer": count.signer, "owner": count.owner, "items": count.items }));
        json!({
            "path": report.path.to_string_lossy(),
            "trusted": decision.is_some(),
            "trusted_at": decision.map(|decision| decision.trusted_at),
            "reason": report.decision.as_ref().err().map(|error| with_sources(&error.reason)),
            "new": self.more(),
            "keys": keys.collect::<Vec<_>>(),
            "unreadable_keys": problems.collect::<Vec<_>>(),
            "variables": variables.collect::<Vec<_>>(),
            "interpreters": interpreters.collect::<Vec<_>>(),
            "signers": signers.collect::<Vec<_>>(),
        })
    }

    /// What is there that the operator did not know when the project was trusted before.
    fn more(&self) -> Option<&ProjectOffer> {
        match &self.0.decision {
            Err(error) => match &error.reason {
                UntrustedReason::BringsMore { more, .. } => Some(more),
                _ => None,
            },
            Ok(_) => None,
        }
    }

    fn to_text(&self, output: Output, made: Option<&ProjectDecision>) -> String {
        let report = self.0;
        let mut table = Table::default();
        let mut line = |name: &str, tone: Tone, text: String| {
            table.row([(Tone::Faint, name.to_owned()), (tone, text)]);
        };
        line("project", Tone::Strong, report.path.display().to_string());
        match made.map_or(report.decision.as_ref(), Ok) {
            Ok(decision) => line("trusted", Tone::Good, format!("since {}", decision.trusted_at)),
            Err(error) => line("not trusted", Tone::Warning, with_sources(&error.reason)),
        }
        for key in &report.keys {
            let tone = self.tone(|more| more.keys.contains(&key.key.id()));
            line("key", tone, format!("{} of {}, in {}", key.key.id(), key.owner, self.below(&key.path)));
        }
        for problem in &report.key_problems {
            let text = format!("{}: {}", self.below(&problem.path), with_sources(&problem.problem));
            line("not a key", Tone::Warning, text);
        }
        for (file, names) in report.variables.iter().filter(|(_, names)| !names.is_empty()) {
            let tone = self.tone(|more| names.iter().any(|name| more.variables.contains(name)));
            line("variables", tone, format!("{}: {}", self.below(file), some_of(names, usize::MAX)));
        }
        for (folder, programs) in &report.interpreters {
            let tone = self.tone(|more| more.interpreters.contains(folder));
            line("interpreters", tone, format!("{folder}: {}", some_of(programs, MAX_NAMES)));
        }
        for count in &report.signers {
            line("items", Tone::Plain, in_words(count));
        }
        table.render(output)
    }

    /// What is new is seen first.
    fn tone(&self, is_new: impl Fn(&ProjectOffer) -> bool) -> Tone {
        if self.more().is_some_and(is_new) { Tone::Warning } else { Tone::Plain }
    }

    /// A path below the project's folder.
    fn below(&self, path: &std::path::Path) -> String {
        path.strip_prefix(&self.0.path).unwrap_or(path).display().to_string()
    }
}

fn in_words(count: &SignerCount) -> String {
    let signer = match (&count.signer, &count.owner) {
        (Claim::Key(key), Some(owner)) => format!("say that {owner} (key {key}) has signed them"),
        (Claim::Key(key), None) => format!("say that the key {key} has signed them, which nobody knows"),
        _ => "not signed".to_owned(),
    };
    format!("{} {signer}", count.items)
}

fn some_of(names: &[String], most: usize) -> String {
    match names.len().saturating_sub(most) {
        0 => names.join(", "),
        more => format!("{}, and {more} more", names[..most].join(", ")),
    }
}
