//! Markdown as plain text: headings stand for themselves, and blocks of code are indented.

use crate::output::{Output, Tone};
use crate::table::printable;

/// The text of a topic as it is printed.
///
/// A block of code may say behind its language which file it is: that becomes a line before it. What else stands there
/// is for tests.
pub(super) fn render(markdown: &str, output: Output) -> String {
    let mut text = String::new();
    // What stands behind the backticks of the block that is open, and of the one that was closed just before.
    let (mut open, mut closed): (Option<&str>, Option<&str>) = (None, None);
    for line in markdown.trim().lines() {
        match (line.strip_prefix("```"), open) {
            (Some(info), None) => {
                // Commands that follow each other belong together.
                if closed.is_some_and(|before| before != info || file_of(info).is_some()) {
                    text.push('\n');
                }
                if let Some(file) = file_of(info) {
                    text.extend([&output.paint(Tone::Faint, format_args!("{}:", printable(file))), "\n\n"]);
                }
                open = Some(info);
            }
            (Some(_), Some(_)) => {
                closed = open.take();
                continue;
            }
            (None, Some(_)) if line.is_empty() => text.push('\n'),
            (None, Some(_)) => text.extend(["    ", &printable(line), "\n"]),
            (None, None) => match heading(line) {
                Some(heading) => text.extend([&output.paint(Tone::Strong, printable(heading)), "\n"]),
                None => text.extend([&printable(line), "\n"]),
            },
        }
        closed = None;
    }
    text
}

fn file_of(info: &str) -> Option<&str> {
    info.split_whitespace().find_map(|word| word.strip_prefix("file="))
}

fn heading(line: &str) -> Option<&str> {
    line.starts_with('#').then(|| line.trim_start_matches('#').strip_prefix(' ')).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_marks_up_is_left_out() {
        let check = |markdown: &str, expect: &str| {
            assert_eq!(render(markdown, Output::new(false).plain()), expect, "{markdown}");
        };
        check("# A\n\ntext `code`\n", "A\n\ntext `code`\n");
        check("#no heading", "#no heading\n");
        check("a\n\n```sh run\nrye x\n\n# y\n```\n\nb\n", "a\n\n    rye x\n\n    # y\n\nb\n");
        check("```python file=.ai/tools/x.py\npass\n```", ".ai/tools/x.py:\n\n    pass\n");
        check("```sh run\na\n```\n```sh run\nb\n```\n```text output\nc\n```", "    a\n    b\n\n    c\n");
        check("```x\na\n```\n```y file=f\nb\n```\n\nc", "    a\n\nf:\n\n    b\n\nc\n");
        check("a\u{1b}[31mb", "a\u{fffd}[31mb\n");
        check("", "");
    }
}
