//! A text with placeholders, and what remains of it when its variables are known.

use std::fmt;

use crate::syntax::{Token, TokenKind, tokenize};

/// A text whose placeholders are known.
///
/// | in the text | what it is |
/// |---|---|
/// | `${VAR}` | the value of a variable; nothing if it is unset |
/// | `${VAR:-default}` | the value of a variable; the default if it is unset or empty |
/// | `{name}` | the value of a name; it stays as it is if the name is unknown |
///
/// Variables have names of `A` to `Z`, digits and `_`; other names may have small letters too; none begins with a
/// digit. Everything else is text, `${name}` and `{ name }` as well as `{"json": 1}`. A default may have
/// placeholders of both kinds, and it ends with the first `}` that has no `{` of its own in the default. A default
/// without an end is text, but the placeholders in it count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template<'t> {
    text: &'t str,
    tokens: Vec<Token>,
}

/// What a template consists of when its variables are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'t, V> {
    /// The author's text.
    Literal(&'t str),
    /// What a variable holds.
    Variable(V),
    /// `{name}`, with its braces.
    Name(&'t str),
}

impl<'t> Template<'t> {
    /// Finds the placeholders of `text`. Every text is a template.
    #[must_use]
    pub fn parse(text: &'t str) -> Self {
        Self { text, tokens: tokenize(text) }
    }

    /// The names of all `{name}` in the text, those in defaults too, in their order and as often as they occur.
    pub fn names(&self) -> impl Iterator<Item = &'t str> {
        self.sources()
            .filter(|(kind, _)| *kind == TokenKind::Name)
            .map(|(_, source)| &source[1..source.len() - 1])
    }

    /// The variables of all `${VAR}` and `${VAR:-default}` in the text, in their order and as often as they occur.
    pub fn variables(&self) -> impl Iterator<Item = &'t str> {
        self.sources().filter_map(|(kind, source)| match kind {
            TokenKind::Variable => Some(&source[2..source.len() - 1]),
            TokenKind::DefaultStart { .. } => Some(&source[2..source.len() - 2]),
            TokenKind::Literal | TokenKind::Name | TokenKind::DefaultEnd => None,
        })
    }

    /// The name, if the text is `{name}` and nothing else.
    #[must_use]
    pub fn as_name(&self) -> Option<&'t str> {
        match self.tokens.as_slice() {
            [Token { kind: TokenKind::Name, .. }] => Some(&self.text[1..self.text.len() - 1]),
            _ => None,
        }
    }

    /// What remains of the text when `lookup` says what the variables hold.
    pub(crate) fn pieces<V: AsRef<str>>(
        &self,
        lookup: impl Fn(&str) -> Option<V>,
    ) -> impl Iterator<Item = Piece<'t, V>> {
        self.pieces_with(lookup, |value| value.as_ref().is_empty())
    }

    /// What remains of the text when `lookup` says what the variables hold, for values that need not be text;
    /// `is_empty` says which of them are as good as unset.
    pub fn pieces_with<V>(
        &self,
        lookup: impl Fn(&str) -> Option<V>,
        is_empty: impl Fn(&V) -> bool,
    ) -> impl Iterator<Item = Piece<'t, V>> {
        let mut next = 0;
        std::iter::from_fn(move || {
            loop {
                let kind = self.tokens.get(next)?.kind;
                let source = self.source(next);
                next += 1;
                match kind {
                    TokenKind::Literal => return Some(Piece::Literal(source)),
                    TokenKind::Name => return Some(Piece::Name(source)),
                    TokenKind::Variable => {
                        if let Some(value) = lookup(&source[2..source.len() - 1]) {
                            return Some(Piece::Variable(value));
                        }
                    }
                    TokenKind::DefaultStart { end } => {
                        let value = lookup(&source[2..source.len() - 2]);
                        if let Some(value) = value.filter(|value| !is_empty(value)) {
                            next = end + 1;
                            return Some(Piece::Variable(value));
                        }
                    }
                    TokenKind::DefaultEnd => {}
                }
            }
        })
    }

    fn sources(&self) -> impl Iterator<Item = (TokenKind, &'t str)> {
        self.tokens.iter().enumerate().map(|(index, token)| (token.kind, self.source(index)))
    }

    fn source(&self, index: usize) -> &'t str {
        let end = self.tokens.get(index + 1).map_or(self.text.len(), |next| next.start);
        &self.text[self.tokens[index].start..end]
    }
}

impl fmt::Display for Template<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sources().try_for_each(|(_, source)| f.write_str(source))
    }
}

/// Replaces the variables of a text, and leaves each `{name}` as it is.
///
/// What a variable holds is not searched for placeholders. The result has no limit but what the values make of it:
/// who does not know how long they are renders with a [`Scope`](crate::Scope).
#[must_use]
pub fn expand_variables<V: AsRef<str>>(text: &str, lookup: impl Fn(&str) -> Option<V>) -> String {
    let mut expanded = String::with_capacity(text.len());
    for piece in Template::parse(text).pieces(lookup) {
        match piece {
            Piece::Literal(text) | Piece::Name(text) => expanded.push_str(text),
            Piece::Variable(value) => expanded.push_str(value.as_ref()),
        }
    }
    expanded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(name: &str) -> Option<&'static str> {
        match name {
            "HOME" => Some("/home/a"),
            "_X1" => Some("x"),
            "EMPTY" => Some(""),
            "HOSTILE" => Some("${HOME} {name} ${HOME:-"),
            _ => None,
        }
    }

    #[test]
    fn variables_are_replaced_once() {
        let check = |text: &str, expect: &str| assert_eq!(expand_variables(text, lookup), expect, "{text}");
        check("", "");
        check("${HOME}/bin", "/home/a/bin");
        check("${HOME}${_X1}$${HOME}", "/home/ax$/home/a");
        check("a${UNSET}b${EMPTY}c", "abc");
        check("${UNSET:-d} ${EMPTY:-d} ${HOME:-d} ${UNSET:-}", "d d /home/a ");
        check("${HOSTILE}", "${HOME} {name} ${HOME:-");
        check("${UNSET:-${HOSTILE}}", "${HOME} {name} ${HOME:-");
        check("{na${_X1}me}", "{naxme}");
        check("$${_X1}{", "$x{");
        check("ä${_X1}ü", "äxü");
    }

    #[test]
    fn other_texts_stay() {
        for text in [
            "$HOME",
            "${home}",
            "${Home}",
            "${}",
            "${ HOME}",
            "${HOME }",
            "${1A}",
            "${HOME",
            "${HOME:-",
            "${HOME-x}",
            "${HOME:=x}",
            "${HOME:-{x}",
            "${#HOME}",
            "${state.x}",
            "{HOME}",
            "{name}",
            "$",
            "{",
            "}",
            "${",
            "$}",
        ] {
            assert_eq!(expand_variables(text, lookup), text);
        }
    }

    #[test]
    fn defaults_end_where_their_braces_are_balanced() {
        let check = |text: &str, expect: &str| assert_eq!(expand_variables(text, lookup), expect, "{text}");
        check("${UNSET:-{\"a\": {}}}!", "{\"a\": {}}!");
        check("${HOME:-{\"a\": {}}}!", "/home/a!");
        check("${UNSET:-{name}}!", "{name}!");
        check("${UNSET:-${home}}!", "${home}!");
        check("${UNSET:-a${UNSET:-b${HOME}c}d}!", "ab/home/acd!");
        check("${UNSET:-a}b}", "ab}");
        check("${UNSET:-{ ${_X1} ${UNSET:-y}", "${UNSET:-{ x y");
    }

    #[test]
    fn what_a_template_uses_is_known() {
        let template = Template::parse("${A} {b} ${C:-{d} ${E:-f}} ${g} {b} { h }");
        assert_eq!(template.names().collect::<Vec<_>>(), ["b", "d", "b"]);
        assert_eq!(template.variables().collect::<Vec<_>>(), ["A", "C", "E"]);
        assert_eq!(Template::parse("{a_1}").as_name(), Some("a_1"));
        for text in ["{a}b", " {a}", "{a}{a}", "${A:-{a}}", "{1}", ""] {
            assert_eq!(Template::parse(text).as_name(), None, "{text}");
        }
    }
}
