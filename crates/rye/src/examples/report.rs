//! What became of examples, for people and for programs.

use serde_json::{Value, json};

use super::{Mismatch, Tested, Verdict};
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::table::{Table, one_line, printable};

pub(super) fn print(all: &[Tested], output: Output) -> Result<(), CommandError> {
    if output.is_json() {
        let examples: Vec<_> = all.iter().map(as_json).collect();
        let (passed, failed, skipped) = counts(all);
        return print_json(
            &json!({ "passed": passed, "failed": failed, "skipped": skipped, "examples": examples }),
        );
    }
    print_bytes(as_text(all, output).as_bytes())?;
    if all.is_empty() {
        output.note(Tone::Warning, "note", "there are no `examples`; `rye test --help` tells how they look");
    }
    Ok(())
}

fn as_text(all: &[Tested], output: Output) -> String {
    let mut table = Table::default();
    for tested in all {
        let (tone, word, reason) = match &tested.verdict {
            Verdict::Passed => (Tone::Good, "passed", String::new()),
            Verdict::Failed(_) => (Tone::Bad, "failed", String::new()),
            Verdict::Skipped(reason) => (Tone::Faint, "skipped", reason.clone()),
        };
        table.row([
            (tone, word.to_owned()),
            (Tone::Strong, tested.item.to_string()),
            (Tone::Plain, tested.description.clone()),
            (Tone::Faint, reason),
        ]);
    }
    let mut text = table.render(output);
    for tested in all {
        let Verdict::Failed(mismatches) = &tested.verdict else { continue };
        let item = output.paint(Tone::Strong, &tested.item);
        text.extend(["\n", &item, "  ", &one_line(&tested.description), "\n"]);
        for Mismatch { what, details } in mismatches {
            text.extend(["  ", &output.paint(Tone::Bad, one_line(what)), "\n"]);
            for line in details {
                let tone = match line.as_bytes().first() {
                    Some(b'-') => Tone::Bad,
                    Some(b'+') => Tone::Good,
                    _ => Tone::Plain,
                };
                text.extend(["    ", &output.paint(tone, printable(line)), "\n"]);
            }
        }
    }
    let (passed, failed, skipped) = counts(all);
    let summary = format!("{passed} passed, {failed} failed, {skipped} skipped");
    let space = if failed > 0 { "\n" } else { "" };
    format!("{text}{space}{}\n", output.paint(Tone::Faint, summary))
}

fn counts(all: &[Tested]) -> (usize, usize, usize) {
    let count = |is: fn(&Verdict) -> bool| all.iter().filter(|tested| is(&tested.verdict)).count();
    (
        count(|verdict| matches!(verdict, Verdict::Passed)),
        count(|verdict| matches!(verdict, Verdict::Failed(_))),
        count(|verdict| matches!(verdict, Verdict::Skipped(_))),
    )
}

fn as_json(tested: &Tested) -> Value {
    let (verdict, reason, mismatches) = match &tested.verdict {
        Verdict::Passed => ("passed", None, Vec::new()),
        Verdict::Skipped(reason) => ("skipped", Some(reason), Vec::new()),
        Verdict::Failed(mismatches) => {
            let all = mismatches.iter().map(|one| json!({ "message": one.what, "details": one.details }));
            ("failed", None, all.collect())
        }
    };
    json!({
        "kind": tested.item.kind,
        "id": tested.item.id,
        "space": tested.space,
        "description": tested.description,
        "verdict": verdict,
        "reason": reason,
        "mismatches": mismatches,
    })
}
