//! The blocks of code in a topic, and carrying them out.
//!
//! Behind the language of a block stands what it is: `file=PATH` is a file of the project, or of the home folder with
//! `~/`; `run` is carried out by a shell and has to succeed, or to end with the code of `exit=CODE`; `output` is what
//! the block before it prints, standard output before standard error. There, `…` stands for any part of a line, and
//! alone for any lines.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::space::{RYE, TestSpace};

/// A block of code.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) words: Vec<String>,
    pub(crate) text: String,
}

impl Block {
    /// All blocks of a text.
    pub(crate) fn all(markdown: &str) -> Vec<Self> {
        let mut blocks = Vec::new();
        let mut open: Option<Self> = None;
        for line in markdown.lines() {
            match (line.strip_prefix("```"), &mut open) {
                (Some(info), None) => {
                    let words = info.split_whitespace().map(str::to_owned).collect();
                    open = Some(Self { words, text: String::new() });
                }
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (None, Some(block)) => block.text.extend([line, "\n"]),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "a block has no end");
        blocks
    }

    fn is(&self, word: &str) -> bool {
        self.words.iter().skip(1).any(|own| own == word)
    }

    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }

    /// Writes the file that this block is.
    pub(crate) fn write(&self, space: &TestSpace) -> bool {
        let Some(file) = self.value("file") else { return false };
        let name = match file.strip_prefix("~/") {
            Some(file) => format!("home/{file}"),
            None => format!("project/{file}"),
        };
        let path = space.write(&name, &self.text);
        if let Some(mode) = self.value("mode") {
            let mode = u32::from_str_radix(mode, 8).unwrap();
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        true
    }
}

/// Carries out everything in a topic.
pub(crate) fn carry_out(space: &TestSpace, topic: &str, markdown: &str) {
    let blocks = Block::all(markdown);
    for (index, block) in blocks.iter().enumerate() {
        if block.write(space) || block.is("output") {
            continue;
        }
        assert!(block.is("run"), "{topic}: nobody says what this block is: {block:?}");
        let (code, printed) = run(space, &block.text);
        let expected = block.value("exit").map_or(0, |code| code.parse().unwrap());
        assert_eq!(code, expected, "{topic}: {}\n{printed}", block.text);
        if let Some(output) = blocks.get(index + 1).filter(|next| next.is("output")) {
            let (printed, wanted) = (lines(&printed), lines(&output.text));
            assert!(fits(&printed, &wanted), "{topic}: {}\n{printed:#?}\n{wanted:#?}", block.text);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a shell of the user, not of the tested program")]
fn run(space: &TestSpace, script: &str) -> (i32, String) {
    let folder = Path::new(RYE).parent().unwrap().display();
    let output = Command::new("/bin/bash")
        .args(["-euc", script])
        .current_dir(space.path("project"))
        .env_clear()
        .env("PATH", format!("{folder}:/usr/bin:/bin"))
        .env("HOME", space.path("home"))
        .env("XDG_CACHE_HOME", space.path("cache"))
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

fn fits(printed: &[&str], wanted: &[&str]) -> bool {
    match wanted.split_first() {
        None => printed.is_empty(),
        Some((&"…", rest)) => (0..=printed.len()).any(|skipped| fits(&printed[skipped..], rest)),
        Some((line, rest)) => {
            printed.split_first().is_some_and(|(first, others)| line_fits(first, line) && fits(others, rest))
        }
    }
}

fn line_fits(printed: &str, wanted: &str) -> bool {
    let mut parts = wanted.split('…');
    let Some(mut rest) = parts.next().and_then(|first| printed.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[test]
fn a_pattern_fits_what_it_means() {
    let check = |printed: &str, wanted: &str, expect: bool| {
        assert_eq!(fits(&lines(printed), &lines(wanted)), expect, "{printed} {wanted}");
    };
    check("a\nb\n", "a\nb\n", true);
    check("a\nb\n", "a\n", false);
    check("a\nb\nc\n", "a\n…\n", true);
    check("a\nb\nc\n", "…\nc\n", true);
    check("a\nb\nc\n", "…\nb\n", false);
    check("key 123 of ada\n", "key … of ada\n", true);
    check("key 123 of eve\n", "key … of ada\n", false);
    check("", "…", true);
}
