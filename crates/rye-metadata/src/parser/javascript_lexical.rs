//! Where the tokens of JavaScript end. No end means that the parser stops there with an error.

/// Words that a value or a statement must follow.
pub(super) const OPERATOR_WORDS: [&str; 24] = [
    "return",
    "typeof",
    "void",
    "delete",
    "new",
    "throw",
    "in",
    "instanceof",
    "do",
    "else",
    "default",
    "extends",
    "try",
    "finally",
    "var",
    "const",
    "function",
    "class",
    "export",
    "import",
    "enum",
    "switch",
    "catch",
    "case",
];

/// Words that a type may follow.
pub(super) const TYPE_OPERATOR_WORDS: [&str; 7] =
    ["keyof", "readonly", "unique", "infer", "asserts", "is", "abstract"];

/// Words that go on with what stands before them.
pub(super) const CONNECTING_WORDS: [&str; 12] = [
    "else",
    "catch",
    "finally",
    "in",
    "of",
    "instanceof",
    "as",
    "satisfies",
    "extends",
    "implements",
    "is",
    "from",
];

/// What ends a stretch of template text.
pub(super) enum TemplatePart {
    /// The template ends before this offset.
    End(usize),
    /// `${`, whose code starts at this offset.
    Substitution(usize),
}

/// The end of the string whose opening quote is at `offset`.
pub(super) fn string_end(source: &str, offset: usize) -> Option<usize> {
    let bytes = source.as_bytes();
    let quote = *bytes.get(offset)?;
    let mut offset = offset + 1;
    loop {
        match *bytes.get(offset)? {
            b'\\' => offset += 2,
            b'\n' => return None,
            byte if byte == quote => return Some(offset + 1),
            _ => offset += 1,
        }
    }
}

/// What ends the template text at `offset`.
pub(super) fn template_part(source: &str, mut offset: usize) -> Option<TemplatePart> {
    let bytes = source.as_bytes();
    loop {
        match *bytes.get(offset)? {
            b'\\' => offset += 2,
            b'`' => return Some(TemplatePart::End(offset + 1)),
            b'$' if bytes.get(offset + 1) == Some(&b'{') => {
                return Some(TemplatePart::Substitution(offset + 2));
            }
            _ => offset += 1,
        }
    }
}

/// The end, flags included, of the regular expression whose first slash is at `offset`.
pub(super) fn regular_expression_end(source: &str, offset: usize) -> Option<usize> {
    let mut in_class = false;
    let mut characters = source[offset..].char_indices().skip(1);
    loop {
        match characters.next()? {
            (_, '\\') => {
                characters.next();
            }
            (_, '[') => in_class = true,
            (_, ']') => in_class = false,
            (_, character) if is_line_end(character) => return None,
            (index, '/') if !in_class => return Some(word_end(source, offset + index + 1)),
            _ => {}
        }
    }
}

/// The end of the number at `offset`; the sign of an exponent counts as an operator.
pub(super) fn number_end(source: &str, offset: usize) -> usize {
    let rest = &source.as_bytes()[offset..];
    let end = rest.iter().position(|&byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_')));
    offset + end.unwrap_or(rest.len())
}

/// The end of the identifier or keyword at `offset`.
pub(super) fn word_end(source: &str, offset: usize) -> usize {
    let rest = &source[offset..];
    let is_part =
        |c: char| c.is_ascii_alphanumeric() || "_$#\\".contains(c) || (!c.is_ascii() && !is_space(c));
    offset + rest.find(|c| !is_part(c)).unwrap_or(rest.len())
}

/// The end of the line that `offset` is in.
pub(super) fn line_end(source: &str, offset: usize) -> usize {
    let rest = &source[offset..];
    offset + rest.find(is_line_end).unwrap_or(rest.len())
}

pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

pub(super) fn is_line_end(character: char) -> bool {
    matches!(character, '\n' | '\u{2028}' | '\u{2029}')
}
