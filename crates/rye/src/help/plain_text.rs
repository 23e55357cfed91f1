//! Markdown as plain text: headings stand for themselves, and blocks of code are indented.

use crate::output::{Output, Tone};
use crate::table::printable;

/// The text of a topic as it is printed.
///
/// A block of code may say behind its language which file it is: that becomes a line before it. What else stands there
/// is for tests.
pub(super) fn render(markdown: &str, output: Output) -> String {
    let mut text = String::new();
    let mut is_code = false;
    for line in markdown.trim().lines() {
        match (line.strip_prefix("```"), is_code) {
            (Some(info), false) => {
                is_code = true;
                let file = info.split_whitespace().find_map(|word| word.strip_prefix("file="));
                if let Some(file) = file {
                    text.extend([&output.paint(Tone::Faint, format_args!("{}:", printable(file))), "\n\n"]);
                }
            }
            (Some(_), true) => is_code = false,
            (None, true) if line.is_empty() => text.push('\n'),
            (None, true) => text.extend(["    ", &printable(line), "\n"]),
            (None, false) => {
                match line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')) {
                    Some(heading) => text.extend([&output.paint(Tone::Strong, printable(heading)), "\n"]),
                    None => text.extend([&printable(line), "\n"]),
                }
            }
        }
    }
    text
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
        check("a\u{1b}[31mb", "a\u{fffd}[31mb\n");
        check("", "");
    }
}
