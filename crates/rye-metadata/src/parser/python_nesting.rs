//! How deep the syntax tree of a Python file can be, told from its tokens.
//!
//! The parser grows its stack as it needs, but whatever walks the tree afterwards, if only to free it, recurses
//! on the caller's. The tokens come from the parser's own lexer, so the two cannot disagree about what is a
//! string and what is code.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;

/// An honest file stays far below: `CPython` itself refuses more than 200 nested brackets.
const MAX_DEPTH: usize = 1_000;

/// Two megabytes of usual code are below. The parser recovers from errors and remembers each of them, so what is
/// not Python at all costs most.
const MAX_TOKENS: usize = 500_000;

/// What encloses the current token.
struct Level {
    closer: TokenKind,
    /// Operators and keywords since the last comma: each may add a level (`not not x`, `a + b + c`, `a.b.c`).
    chain: usize,
    /// The same for `lambda`, whose parameters have commas of their own.
    lambdas: usize,
}

/// An upper bound of the depth of `source`, or which limit it is over.
pub(super) fn depth(source: &str) -> Result<usize, String> {
    let mut lexer = ruff_python_parser::lexer::lex(source, Mode::Module);
    let mut levels = vec![Level::new(TokenKind::EndOfFile)];
    let (mut depth, mut indentation, mut deepest) = (1, 0, 1);
    for _ in 0..MAX_TOKENS {
        let kind = lexer.next_token();
        if let Some(closer) = closer_of(kind) {
            levels.push(Level::new(closer));
            depth += 1;
        } else if levels.len() > 1 && levels.last().is_some_and(|level| level.closer == kind) {
            depth -= levels.pop().map_or(0, |level| level.depth());
            // What was closed may be called or indexed again: `f()()()`.
            depth += levels.last_mut().map_or(0, Level::chain);
        } else {
            let Some(level) = levels.last_mut() else { return Ok(deepest) };
            match kind {
                TokenKind::EndOfFile => return Ok(deepest),
                TokenKind::Indent => indentation += 1,
                TokenKind::Dedent => indentation -= 1,
                TokenKind::Newline | TokenKind::Semi => {
                    depth -= level.depth() - 1;
                    *level = Level::new(level.closer);
                }
                TokenKind::Comma => depth -= std::mem::take(&mut level.chain),
                TokenKind::Lambda => {
                    level.lambdas += 1;
                    depth += 1;
                }
                kind if adds_nothing(kind) => {}
                _ => depth += level.chain(),
            }
        }
        deepest = deepest.max(depth + indentation);
        if deepest > MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} levels of brackets, operators or blocks"));
        }
    }
    Err(format!("more than {MAX_TOKENS} tokens"))
}

impl Level {
    fn new(closer: TokenKind) -> Self {
        Self { closer, chain: 0, lambdas: 0 }
    }

    fn depth(&self) -> usize {
        1 + self.chain + self.lambdas
    }

    /// One more operator; returns what it adds to the depth.
    fn chain(&mut self) -> usize {
        self.chain += 1;
        1
    }
}

fn closer_of(kind: TokenKind) -> Option<TokenKind> {
    match kind {
        TokenKind::Lpar => Some(TokenKind::Rpar),
        TokenKind::Lsqb => Some(TokenKind::Rsqb),
        TokenKind::Lbrace => Some(TokenKind::Rbrace),
        TokenKind::FStringStart => Some(TokenKind::FStringEnd),
        TokenKind::TStringStart => Some(TokenKind::TStringEnd),
        _ => None,
    }
}

/// Names, literals and layout never nest by themselves. Anything else is counted.
fn adds_nothing(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Name
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Complex
            | TokenKind::String
            | TokenKind::FStringMiddle
            | TokenKind::TStringMiddle
            | TokenKind::True
            | TokenKind::False
            | TokenKind::None
            | TokenKind::Comment
            | TokenKind::NonLogicalNewline
            | TokenKind::Colon
            | TokenKind::Equal
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shallow_code_is_shallow() {
        let check = |source: &str| assert!(depth(source).unwrap() <= 5, "{source}");
        check("");
        check("x = [1, [2], {3: (4)}]\n");
        check("x = -1\ny = -2\nz = -3\n");
        check("x = [-1, -2, -3]\n");
        check("if a:\n    if b:\n        c()\n");
        check("x = f'{a}{b}' 'c'\n");
        check(&format!("x = [\n{}]\n", "    {'type': 'string', 'items': [1, 2]},\n".repeat(10_000)));
    }

    #[test]
    fn whatever_nests_is_counted() {
        for part in [
            "[",
            "(",
            "{",
            "-",
            "not ",
            "~",
            "lambda: ",
            "lambda a, b: ",
            "f'{",
            "a.",
            "a(b)(c)+",
            "x if y else ",
            "await ",
        ] {
            let source = format!("x = {}", part.repeat(2_000));
            assert!(depth(&source).is_err(), "{part}");
        }
        // A closer that does not fit closes nothing.
        assert!(depth(&"(]".repeat(2_000)).is_err());
        let mut blocks = String::new();
        for level in 0..1_100 {
            blocks.push_str(&" ".repeat(level));
            blocks.push_str("if a:\n");
        }
        assert!(depth(&blocks).is_err());
    }
}
