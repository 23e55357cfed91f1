//! How deep the syntax tree of a JavaScript or TypeScript file can be, told from its tokens.
//!
//! The parser recurses without a limit and tries some constructs twice, so both its depth and its work must be
//! bounded before it starts. This scanner knows just enough of the language for an upper bound: strings,
//! templates, comments, regular expressions, brackets, and which tokens can add a level. Where the language
//! itself needs a parser to tell a division from a regular expression, everything that follows is counted as
//! if it were nested.

use super::ParserKind;
use super::javascript_lexical::{self as lexical, TemplatePart};

/// An honest file stays far below.
pub(super) const MAX_DEPTH: usize = 500;

/// The sum over all tokens of their depth: the parser's worst case is proportional to it. Two megabytes of code
/// at an average depth of ten is below.
const MAX_WORK: usize = 8_000_000;

/// Four megabytes of usual code are below.
const MAX_TOKENS: usize = 1_000_000;

/// Escapes in names, which hardly anyone uses. The parser remembers an error for each that is wrong.
const MAX_ESCAPES: usize = 1_000;

/// Which limit was met, and where.
#[derive(Debug)]
pub(super) struct Excess {
    pub(super) message: String,
    pub(super) offset: usize,
}

/// An upper bound of the depth of `source`.
pub(super) fn depth(source: &str, kind: ParserKind) -> Result<usize, Excess> {
    let mut scanner = Scanner {
        source,
        offset: 0,
        typed: kind == ParserKind::TypeScript,
        previous: Previous::Operator,
        after_newline: false,
        levels: vec![Level::new(Closer::File)],
        depth: 1,
        deepest: 1,
        work: 0,
        escapes: 0,
        tokens: 0,
    };
    if source.starts_with("#!") {
        scanner.skip_line();
    }
    while scanner.token()? == Progress::More {
        scanner.check()?;
    }
    Ok(scanner.deepest)
}

struct Scanner<'s> {
    source: &'s str,
    offset: usize,
    typed: bool,
    previous: Previous,
    after_newline: bool,
    levels: Vec<Level>,
    depth: usize,
    deepest: usize,
    work: usize,
    escapes: usize,
    tokens: usize,
}

/// Whether scanning goes on. It ends early where the parser is certain to stop with an error.
#[derive(PartialEq, Eq)]
enum Progress {
    More,
    End,
}

/// The token before, as far as it decides what the next one means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Previous {
    /// A value ends here: a division may follow.
    Operand,
    /// A value must follow: a regular expression may.
    Operator,
    /// A word that is a name here and an operator there.
    Either,
    /// `.`: a property's name follows, whatever it is.
    Dot,
    /// `for`, whose `await` belongs to it.
    For,
    /// A word whose parenthesis has a statement behind it: `if (…) /x/.test(y)`.
    Control,
    /// `}`: of a block or of an object.
    CloseBrace,
    /// `>` in TypeScript: a comparison, or the end of type arguments.
    CloseAngle,
}

struct Level {
    closer: Closer,
    /// Tokens since the last separator that may each add a level: prefix operators, keywords, `=`, `=>`, `?`.
    chain: usize,
    /// The same for `<`, whose type arguments have commas of their own.
    angles: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Closer {
    File,
    Parenthesis,
    ControlParenthesis,
    Bracket,
    Brace,
    Substitution,
}

impl Scanner<'_> {
    fn token(&mut self) -> Result<Progress, Excess> {
        self.skip_space();
        let bytes = self.source.as_bytes();
        let Some(&byte) = bytes.get(self.offset) else { return Ok(Progress::End) };
        match byte {
            b'/' => return self.slash(),
            b'"' | b'\'' => return Ok(self.operand(lexical::string_end(self.source, self.offset))),
            b'`' => {
                self.offset += 1;
                return Ok(self.template());
            }
            b'}' if self.top().closer == Closer::Substitution => {
                self.pop();
                self.offset += 1;
                return Ok(self.template());
            }
            b'0'..=b'9' => return Ok(self.operand(Some(lexical::number_end(self.source, self.offset)))),
            b'.' if bytes.get(self.offset + 1).is_some_and(u8::is_ascii_digit) => {
                return Ok(self.operand(Some(lexical::number_end(self.source, self.offset))));
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'#' | b'\\' | 0x80.. => self.word(),
            _ => {
                if self.source[self.offset..].starts_with("<!--")
                    || self.source[self.offset..].starts_with("-->")
                {
                    return self.ambiguous("a comment from an operator");
                }
                self.punctuation(byte);
            }
        }
        self.after_newline = false;
        Ok(Progress::More)
    }

    fn skip_space(&mut self) {
        let rest = &self.source[self.offset..];
        let end = rest.find(|character| !lexical::is_space(character)).unwrap_or(rest.len());
        self.after_newline |= rest[..end].contains(lexical::is_line_end);
        self.offset += end;
    }

    fn check(&mut self) -> Result<(), Excess> {
        self.deepest = self.deepest.max(self.depth);
        self.work += self.depth;
        self.tokens += 1;
        let message = if self.depth > MAX_DEPTH {
            format!("more than {MAX_DEPTH} levels of brackets, operators or blocks")
        } else if self.work > MAX_WORK {
            "too much code, at too many levels".to_owned()
        } else if self.tokens > MAX_TOKENS {
            format!("more than {MAX_TOKENS} tokens")
        } else if self.escapes > MAX_ESCAPES {
            format!("more than {MAX_ESCAPES} backslashes outside of strings")
        } else {
            return Ok(());
        };
        Err(Excess { message, offset: self.offset })
    }

    fn top(&mut self) -> &mut Level {
        // There is always the level of the file, which nothing closes.
        if self.levels.is_empty() {
            self.levels.push(Level::new(Closer::File));
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn push(&mut self, closer: Closer) {
        self.levels.push(Level::new(closer));
        self.depth += 1;
        self.previous = Previous::Operator;
    }

    fn pop(&mut self) {
        self.depth -= self.levels.pop().map_or(0, |level| 1 + level.chain + level.angles);
    }

    fn chain(&mut self) {
        self.top().chain += 1;
        self.depth += 1;
    }

    /// A comma: what follows is a sibling of what came before, except within type arguments.
    fn next_element(&mut self) {
        self.depth -= std::mem::take(&mut self.top().chain);
    }

    fn next_statement(&mut self) {
        self.next_element();
        self.depth -= std::mem::take(&mut self.top().angles);
    }

    fn skip_line(&mut self) {
        self.offset = lexical::line_end(self.source, self.offset);
    }

    fn slash(&mut self) -> Result<Progress, Excess> {
        let rest = &self.source[self.offset..];
        if rest.starts_with("//") {
            self.skip_line();
            return Ok(Progress::More);
        }
        if rest.starts_with("/*") {
            let Some(end) = rest.find("*/") else { return Ok(Progress::End) };
            self.after_newline |= rest[..end].contains('\n');
            self.offset += end + 2;
            return Ok(Progress::More);
        }
        match self.previous {
            Previous::Operand | Previous::Dot => {
                self.offset += 1;
                self.assignment();
                self.previous = Previous::Operator;
            }
            Previous::Operator | Previous::For | Previous::Control => {
                return Ok(self.operand(lexical::regular_expression_end(self.source, self.offset)));
            }
            Previous::Either | Previous::CloseBrace | Previous::CloseAngle => {
                return self.ambiguous("a regular expression from a division");
            }
        }
        self.after_newline = false;
        Ok(Progress::More)
    }

    /// From here on every token may be a level of its own.
    fn ambiguous(&mut self, what: &str) -> Result<Progress, Excess> {
        let rest = &self.source.as_bytes()[self.offset..];
        let belongs_to_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        let mut tokens = 0;
        let mut in_word = false;
        for &byte in rest {
            tokens += usize::from(if belongs_to_word(byte) { !in_word } else { !byte.is_ascii_whitespace() });
            in_word = belongs_to_word(byte);
        }
        self.deepest = self.deepest.max(self.depth + tokens);
        if self.deepest > MAX_DEPTH {
            let message = format!("cannot tell {what} here; put it into parentheses");
            return Err(Excess { message, offset: self.offset });
        }
        Ok(Progress::End)
    }

    /// A literal that ends at `end`, or, without an end, the error at which the parser stops.
    fn operand(&mut self, end: Option<usize>) -> Progress {
        let Some(end) = end else { return Progress::End };
        self.offset = end;
        self.previous = Previous::Operand;
        self.after_newline = false;
        Progress::More
    }

    /// From within a template to its end or to its next substitution.
    fn template(&mut self) -> Progress {
        match lexical::template_part(self.source, self.offset) {
            Some(TemplatePart::End(end)) => self.operand(Some(end)),
            Some(TemplatePart::Substitution(start)) => {
                self.offset = start;
                self.push(Closer::Substitution);
                self.after_newline = false;
                Progress::More
            }
            None => Progress::End,
        }
    }

    fn word(&mut self) {
        let start = self.offset;
        self.offset = lexical::word_end(self.source, start);
        let word = &self.source[start..self.offset];
        self.escapes += word.bytes().filter(|&byte| byte == b'\\').count();
        if self.previous == Previous::Dot {
            self.previous = Previous::Operand;
            return;
        }
        // Two values in a row belong to two statements, unless the second word connects them.
        let ends_statement = match self.previous {
            Previous::CloseBrace => true,
            Previous::Operand | Previous::CloseAngle => self.after_newline,
            _ => false,
        };
        if ends_statement && !lexical::CONNECTING_WORDS.contains(&word) {
            self.next_statement();
        }
        let followed_by = match word {
            "if" | "while" | "with" => Previous::Control,
            "for" => Previous::For,
            "await" if self.previous == Previous::For => Previous::Control,
            "await" | "yield" | "of" | "let" | "as" | "satisfies" => Previous::Either,
            word if lexical::OPERATOR_WORDS.contains(&word) => Previous::Operator,
            word if self.typed && lexical::TYPE_OPERATOR_WORDS.contains(&word) => Previous::Either,
            _ => Previous::Operand,
        };
        if followed_by != Previous::Operand || word == "async" {
            self.chain();
        }
        self.previous = followed_by;
    }

    fn punctuation(&mut self, byte: u8) {
        let next = self.source.as_bytes().get(self.offset + 1).copied();
        let after_operand =
            matches!(self.previous, Previous::Operand | Previous::CloseBrace | Previous::CloseAngle);
        self.offset += 1;
        match byte {
            b'(' => {
                let control = matches!(self.previous, Previous::Control | Previous::For);
                self.push(if control { Closer::ControlParenthesis } else { Closer::Parenthesis });
            }
            b'[' => self.push(Closer::Bracket),
            b'{' => self.push(Closer::Brace),
            b')' | b']' | b'}' => self.close(byte),
            b',' => {
                self.next_element();
                self.previous = Previous::Operator;
            }
            b';' => {
                self.next_statement();
                self.previous = Previous::Operator;
            }
            b'.' if next == Some(b'.') => {
                self.offset += 1;
                self.previous = Previous::Operator;
            }
            b'.' => self.previous = Previous::Dot,
            b'?' if next == Some(b'.') => {
                self.offset += 1;
                self.previous = Previous::Dot;
            }
            b'+' | b'-' if next == Some(byte) => {
                self.offset += 1;
                // After a value on the same line it is a suffix, and the value goes on.
                if !after_operand || self.after_newline {
                    self.chain();
                    self.previous = Previous::Operator;
                }
            }
            b'!' if next != Some(b'=') && after_operand && !self.after_newline => {}
            _ => self.operator(byte, next, after_operand),
        }
    }

    fn operator(&mut self, byte: u8, next: Option<u8>, after_operand: bool) {
        let is_prefix = matches!(byte, b'+' | b'-' | b'!') && !after_operand;
        match byte {
            // `=>`
            b'=' if next == Some(b'>') => {
                self.offset += 1;
                self.chain();
            }
            b'=' | b'!' | b'<' | b'>' if next == Some(b'=') => self.skip_equals(),
            b'*' if next == Some(b'*') => {
                self.offset += 1;
                self.chain();
            }
            b'<' if self.typed => {
                self.top().angles += 1;
                self.depth += 1;
            }
            b'?' if next == Some(b'?') => {
                self.offset += 1;
                self.assignment();
            }
            // A decorator may decorate a class in a decorator.
            b'=' | b':' | b'~' | b'?' | b'@' => self.chain(),
            _ if is_prefix => self.chain(),
            _ => self.assignment(),
        }
        self.previous = if byte == b'>' && self.typed { Previous::CloseAngle } else { Previous::Operator };
    }

    /// The `=` of `+=` and its like, which nest to the right.
    fn assignment(&mut self) {
        if self.source.as_bytes().get(self.offset) == Some(&b'=') {
            self.offset += 1;
            self.chain();
        }
    }

    fn skip_equals(&mut self) {
        while self.source.as_bytes().get(self.offset) == Some(&b'=') {
            self.offset += 1;
        }
    }

    fn close(&mut self, byte: u8) {
        let (fits, followed_by) = match (self.top().closer, byte) {
            (Closer::Parenthesis, b')') | (Closer::Bracket, b']') => (true, Previous::Operand),
            (Closer::ControlParenthesis, b')') => (true, Previous::Operator),
            (Closer::Brace, b'}') => (true, Previous::CloseBrace),
            _ => (false, Previous::Operand),
        };
        // A closer that does not fit closes nothing.
        if fits {
            self.pop();
        } else {
            self.chain();
        }
        self.previous = followed_by;
    }
}

impl Level {
    fn new(closer: Closer) -> Self {
        Self { closer, chain: 0, angles: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str) {
        assert!(depth(source, ParserKind::JavaScript).unwrap() <= 8, "{source}");
    }

    fn refused(source: &str, kind: ParserKind) -> bool {
        depth(source, kind).is_err()
    }

    #[test]
    fn shallow_code_is_shallow() {
        check("");
        check("f([1, {a: 2}])");
        check("a = '((((' + \"[[[[\" + `{{{{` + /[/(((]{4}/g // ((((\n/* (((( */");
        check("x = (a + b) / c / (d) // ((((");
        check("if (x) /((((((/.test(y)");
        check("`${`${a}`}`");
        check(&"const a = 1\n".repeat(5_000));
        check(&"function f(a){return a}".repeat(2_000));
        check(&"i++ / 2\n".repeat(5_000));
        assert!(!refused(&"type A = B<C>\n".repeat(5_000), ParserKind::TypeScript));
        check(&format!("x = [\n{}]", "  {type: 'string', items: [1, -2]},\n".repeat(10_000)));
    }

    #[test]
    fn whatever_nests_is_counted() {
        for part in [
            "[",
            "(",
            "{",
            "!",
            "- ",
            "typeof ",
            "a = ",
            "a => ",
            "async a => ",
            "a ? ",
            "`${",
            "new ",
            "if (a) ",
            "if (a)\n",
            "a: ",
            "2 ** ",
            "await\n",
            "else if (a) {}\n",
            "do\n",
            "(a, b) => ",
            "return/x/,(",
            "//\u{2028}(",
            "return\u{a0}/\"/,(",
        ] {
            assert!(refused(&format!("x = {}", part.repeat(1_200)), ParserKind::JavaScript), "{part}");
        }
        for part in ["a<b, ", "keyof\n", "x as\n", "readonly "] {
            assert!(refused(&format!("type x = {}", part.repeat(1_200)), ParserKind::TypeScript), "{part}");
        }
        assert!(refused(&"(]".repeat(1_200), ParserKind::JavaScript));
    }

    #[test]
    fn an_unclear_slash_counts_the_rest() {
        assert!(!refused("{}\n/x/.test(y)", ParserKind::JavaScript));
        assert!(refused(&format!("{{}}\n/x/.test(y){}", ";a(b)".repeat(500)), ParserKind::JavaScript));
    }

    #[test]
    fn work_is_bounded() {
        let group = format!("{}{};", "(a=".repeat(200), ")".repeat(200));
        assert!(!refused(&group, ParserKind::JavaScript));
        assert!(refused(&group.repeat(300), ParserKind::JavaScript));
    }
}
