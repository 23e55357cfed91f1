//! A template: Markdown with blocks of code. Behind the language of a block stands what it is, as in the topics of `rye help`:
//! `file=PATH` is a file to make, and `run` is what to do next. `<<id>>` stands for the id of what is made, and `<<name>>`
//! for the last part of it.

use rye_engine::NewItem;
use rye_item::{ItemId, ItemKind, ItemRef};

/// What is made of a template.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) items: Vec<NewItem>,
    /// Commands that show that it works.
    pub(super) next: Vec<String>,
}

/// A template that nothing can be made of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TemplateError {
    #[error("it has no block with `file=`")]
    NoFile,
    #[error("a block has no end")]
    Unclosed,
    #[error(
        "`{path}` is not the file of an item: expected `.ai/`, the folder of a kind, an id and an extension"
    )]
    Path { path: String },
}

pub(super) fn fill(markdown: &str, id: &ItemId) -> Result<Made, TemplateError> {
    let mut made = Made { items: Vec::new(), next: Vec::new() };
    for block in blocks(markdown)? {
        let mut words = block.info.split_whitespace().skip(1);
        if words.clone().any(|word| word == "run") {
            made.next.extend(put_in(&block.text, id).lines().map(str::to_owned));
        } else if let Some(path) = words.find_map(|word| word.strip_prefix("file=")) {
            made.items.push(new_item(&put_in(path, id), put_in(&block.text, id))?);
        }
    }
    if made.items.is_empty() { Err(TemplateError::NoFile) } else { Ok(made) }
}

/// An id has no character that means anything in a file of whatever language.
fn put_in(text: &str, id: &ItemId) -> String {
    text.replace("<<id>>", id.as_str()).replace("<<name>>", id.stem())
}

fn new_item(path: &str, text: String) -> Result<NewItem, TemplateError> {
    let wrong = || TemplateError::Path { path: path.to_owned() };
    let (folder, below) =
        path.strip_prefix(".ai/").and_then(|path| path.split_once('/')).ok_or_else(wrong)?;
    let kind = ItemKind::ALL.into_iter().find(|kind| kind.folder() == folder).ok_or_else(wrong)?;
    let (id, extension) = below.rsplit_once('.').ok_or_else(wrong)?;
    let is_extension = !extension.is_empty() && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let id = ItemId::new(id).ok().filter(|_| is_extension).ok_or_else(wrong)?;
    Ok(NewItem { item: ItemRef::new(kind, id), extension: extension.to_owned(), bytes: text.into_bytes() })
}

struct Block<'a> {
    fence: usize,
    info: &'a str,
    text: String,
}

/// The blocks of code. A block ends with as many backticks as it begins with, so that there can be blocks inside.
fn blocks(markdown: &str) -> Result<Vec<Block<'_>>, TemplateError> {
    let mut blocks = Vec::new();
    let mut open: Option<Block<'_>> = None;
    for line in markdown.lines() {
        let fence = line.bytes().take_while(|byte| *byte == b'`').count();
        match &mut open {
            Some(block) if fence >= block.fence && line.len() == fence => blocks.extend(open.take()),
            Some(block) => block.text.extend([line, "\n"]),
            None if fence >= 3 => open = Some(Block { fence, info: &line[fence..], text: String::new() }),
            None => {}
        }
    }
    if open.is_some() { Err(TemplateError::Unclosed) } else { Ok(blocks) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markdown: &str, expect: Result<(&[&str], &[&str]), TemplateError>) {
        let made = fill(markdown, &ItemId::new("demo/greet").unwrap());
        let made = made.map(|made| {
            let texts = made
                .items
                .iter()
                .map(|new| format!("{}.{} {}", new.item, new.extension, String::from_utf8_lossy(&new.bytes)));
            (texts.collect::<Vec<_>>(), made.next)
        });
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert_eq!(made, expect.map(|(items, next)| (owned(items), owned(next))), "{markdown}");
    }

    #[test]
    fn files_and_commands_stand_in_blocks() {
        check(
            "# T\n```x file=.ai/tools/<<id>>.x\n<<name>> <<id>> <<other>>\n```\n\n```sh run\nrye execute <<id>>\n```\n",
            Ok((&["tool:demo/greet.x greet demo/greet <<other>>\n"], &["rye execute demo/greet"])),
        );
        check(
            "````md file=.ai/directives/a.md\n```sh\nls\n```\n````\n",
            Ok((&["directive:a.md ```sh\nls\n```\n"], &[])),
        );
        check("```sh\nls\n```\n", Err(TemplateError::NoFile));
        check("```sh file=.ai/tools/a.sh\nls\n", Err(TemplateError::Unclosed));
        for path in
            ["a.sh", ".ai/a.sh", ".ai/other/a.sh", ".ai/tools/a", ".ai/tools/../a.sh", ".ai/tools/a.s/h"]
        {
            let error = TemplateError::Path { path: path.to_owned() };
            check(&format!("```sh file={path}\nls\n```\n"), Err(error));
        }
    }
}
