//! The one parse of a template: where its placeholders are.
//!
//! The result is flat. A default, which may have placeholders of its own, stands between an opening and a closing
//! token, so neither parsing nor rendering recurses, however deeply defaults are nested.

/// A part of the template's text, which reaches to the start of the next token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// Text that stands for itself.
    Literal,
    /// `{name}`.
    Name,
    /// `${VAR}`.
    Variable,
    /// `${VAR:-`, whose default reaches to the token with this number.
    DefaultStart { end: usize },
    /// The `}` after a default.
    DefaultEnd,
}

/// Finds the placeholders of a text, in time and memory proportional to its length.
pub(crate) fn tokenize(text: &str) -> Vec<Token> {
    let mut tokenizer =
        Tokenizer { text, bytes: text.as_bytes(), tokens: Vec::new(), literal: 0, open: Vec::new() };
    tokenizer.run();
    tokenizer.tokens
}

struct Tokenizer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    tokens: Vec<Token>,
    /// Where the text begins that is not in a token yet.
    literal: usize,
    open: Vec<OpenDefault>,
}

/// A default whose end was not met yet.
struct OpenDefault {
    token: usize,
    /// Plain braces inside of it that wait for their partner.
    braces: usize,
}

impl Tokenizer<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while let Some(brace) = self.next_brace(at) {
            at = if self.bytes[brace] == b'}' { self.closing(brace) } else { self.opening(brace) };
        }
        self.end_literal(self.bytes.len());
        // A default that never ends was none.
        for open in &self.open {
            self.tokens[open.token].kind = TokenKind::Literal;
        }
    }

    /// The next brace that means something. Where no default is open, one that closes does not.
    fn next_brace(&self, from: usize) -> Option<usize> {
        let found = if self.open.is_empty() {
            self.text[from..].find('{')
        } else {
            self.bytes[from..].iter().position(|byte| matches!(byte, b'{' | b'}'))
        };
        found.map(|found| from + found)
    }

    /// Reads what begins with the `{` at `brace` and returns where to go on.
    fn opening(&mut self, brace: usize) -> usize {
        let name = brace + 1;
        if brace > self.literal && self.bytes[brace - 1] == b'$' {
            let end = self.name_end(name, u8::is_ascii_uppercase);
            if end > name && self.bytes.get(end) == Some(&b'}') {
                return self.push(TokenKind::Variable, brace - 1, end + 1);
            }
            if end > name && self.bytes[end..].starts_with(b":-") {
                let next = self.push(TokenKind::DefaultStart { end: 0 }, brace - 1, end + 2);
                self.open.push(OpenDefault { token: self.tokens.len() - 1, braces: 0 });
                return next;
            }
        } else {
            let end = self.name_end(name, u8::is_ascii_alphabetic);
            if end > name && self.bytes.get(end) == Some(&b'}') {
                return self.push(TokenKind::Name, brace, end + 1);
            }
        }
        if let Some(open) = self.open.last_mut() {
            open.braces += 1;
        }
        name
    }

    /// Reads the `}` at `brace` and returns where to go on.
    fn closing(&mut self, brace: usize) -> usize {
        match self.open.last_mut() {
            None => {}
            Some(open) if open.braces > 0 => open.braces -= 1,
            Some(open) => {
                let start = open.token;
                self.open.pop();
                let next = self.push(TokenKind::DefaultEnd, brace, brace + 1);
                self.tokens[start].kind = TokenKind::DefaultStart { end: self.tokens.len() - 1 };
                return next;
            }
        }
        brace + 1
    }

    /// The end of the name at `from`, which is `from` if there is none.
    fn name_end(&self, from: usize, is_letter: fn(&u8) -> bool) -> usize {
        let is_name = |(index, byte): (usize, &u8)| {
            is_letter(byte) || *byte == b'_' || (index > 0 && byte.is_ascii_digit())
        };
        let length = self.bytes[from..].iter().enumerate().take_while(|each| is_name(*each)).count();
        from + length
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize) -> usize {
        self.end_literal(start);
        self.tokens.push(Token { kind, start });
        self.literal = end;
        end
    }

    fn end_literal(&mut self, end: usize) {
        if end > self.literal {
            self.tokens.push(Token { kind: TokenKind::Literal, start: self.literal });
        }
    }
}
