//! What doc comments in our sources say. It reads code that rustfmt has formatted, and no other.

/// A field of a struct.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) words: String,
}

/// The public fields of a struct, under the names that files use.
pub(super) fn fields(source: &str, name: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    let (mut words, mut renamed, mut is_flat) = (String::new(), None, false);
    for line in body(source, &format!("pub struct {name} {{")) {
        if let Some(comment) = line.strip_prefix("///") {
            join(&mut words, comment);
        } else if line.contains("(flatten)") {
            is_flat = true;
        } else if let Some(other) = line.split_once("rename = \"").and_then(|(_, rest)| rest.split_once('"'))
        {
            renamed = Some(other.0.to_owned());
        } else if let Some((field, _)) = line.strip_prefix("pub ").and_then(|field| field.split_once(':')) {
            let name = renamed.take().unwrap_or_else(|| field.to_owned());
            let words = std::mem::take(&mut words).replace("[`", "`").replace("`]", "`");
            // The fields of a flat one stand beside the others, so that it is none itself.
            if !std::mem::take(&mut is_flat) {
                fields.push(Field { name, words });
            }
        }
    }
    fields
}

/// The variants of an enum, each with the text that a `match` gives it and its comment.
pub(super) fn named_variants(source: &str, name: &str) -> Vec<(String, String)> {
    let mut variants = Vec::new();
    let mut words = String::new();
    for line in body(source, &format!("pub enum {name} {{")) {
        if let Some(comment) = line.strip_prefix("///") {
            join(&mut words, comment);
        } else if let Some(variant) = line.strip_suffix(',') {
            let arm = format!("Self::{variant} => \"");
            if let Some((text, _)) = source.split_once(&arm).and_then(|(_, rest)| rest.split_once('"')) {
                variants.push((text.to_owned(), std::mem::take(&mut words)));
            }
        }
    }
    variants
}

/// The lines between a line and the brace that closes it.
fn body<'a>(source: &'a str, opening: &str) -> impl Iterator<Item = &'a str> {
    let rest = source.split_once(opening).map_or("", |(_, rest)| rest);
    rest.lines().take_while(|line| *line != "}").map(str::trim)
}

fn join(words: &mut String, comment: &str) {
    if !words.is_empty() {
        words.push(' ');
    }
    words.push_str(comment.trim());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_their_comments_and_names() {
        let source = "pub struct A {\n    /// One\n    /// thing.\n    #[serde(default)]\n    pub one: u8,\n    /// Two.\n    \
            #[serde(rename = \"second\")]\n    pub two: u8,\n    #[serde(flatten)]\n    pub flat: B,\n}\n\nimpl A {\n    pub three: u8,\n}\n";
        let field = |name: &str, words: &str| Field { name: name.to_owned(), words: words.to_owned() };
        assert_eq!(fields(source, "A"), [field("one", "One thing."), field("second", "Two.")]);
        assert_eq!(fields(source, "B"), []);
    }
}
