//! Python: top-level literals and the docstring, read from the syntax tree and never executed.

use std::collections::HashMap;

use ruff_python_ast::{Expr, ExprNumberLiteral, ExprStringLiteral, Number, Stmt, UnaryOp};
use ruff_text_size::Ranged;

use super::literal::{Literal, deeper, float, last_wins, refuse};
use super::{DocPart, Document, Lookup, ParserKind, Visibility, python_nesting, summary};
use crate::ExtractErrorKind;
use crate::node::{Entry, Node, NodeKind};
use crate::text::{Spot, Text};

/// Stack for freeing one level of the syntax tree, which takes a tenth of this without optimisation.
const STACK_PER_LEVEL: usize = 1024;
const STACK_BASE: usize = 256 * 1024;

#[derive(Debug)]
struct PythonDocument<'a> {
    source: &'a str,
    bindings: HashMap<&'a str, Binding<'a>>,
    docstring: Option<Docstring>,
}

/// What a top-level name is bound to when the module has run, as far as that can be told.
#[derive(Debug, Clone, Copy)]
enum Binding<'a> {
    Expression(&'a Expr),
    /// Something else happens to it.
    Unclear {
        reason: &'static str,
        offset: u32,
    },
}

#[derive(Debug)]
struct Docstring {
    text: String,
    at: Spot,
}

pub(super) fn parse<T>(text: &Text<'_>, ask: impl FnOnce(&dyn Document) -> T) -> Result<T, ExtractErrorKind> {
    let source = text.as_str();
    let depth = python_nesting::depth(source)
        .map_err(|message| ExtractErrorKind::TooComplex { message, position: None })?;
    let stack = STACK_BASE + depth * STACK_PER_LEVEL;
    stacker::maybe_grow(stack, 2 * stack, || {
        let module = ruff_python_parser::parse_module(source).map_err(|error| {
            let at = Spot::Offset(error.location.start().to_usize());
            ParserKind::Python.syntax_error(error.error.to_string(), text, at)
        })?;
        Ok(ask(&PythonDocument::new(source, module.suite())))
    })
}

impl<'a> PythonDocument<'a> {
    fn new(source: &'a str, body: &'a [Stmt]) -> Self {
        let mut document = Self { source, bindings: HashMap::new(), docstring: None };
        if let Some(Stmt::Expr(first)) = body.first()
            && let Expr::StringLiteral(literal) = &*first.value
        {
            let text = clean_docstring(literal.value.to_str());
            document.docstring = Some(Docstring { text, at: Spot::Offset(offset(literal) as usize) });
        }
        for statement in body {
            document.bind_statement(statement);
        }
        document
    }

    fn bind_statement(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    self.bind_target(target, &assign.value);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.bind_target(&assign.target, value);
                }
            }
            Stmt::AugAssign(assign) => self.unclear(&assign.target, "is changed after its assignment"),
            Stmt::Delete(delete) => {
                for target in &delete.targets {
                    self.unclear(target, "is deleted or changed after its assignment");
                }
            }
            Stmt::FunctionDef(function) => self.bind_name(&function.name, "is a function", function),
            Stmt::ClassDef(class) => self.bind_name(&class.name, "is a class", class),
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.bind_name(name, "is imported, not a literal", alias);
                }
            }
            Stmt::ImportFrom(import) => {
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.bind_name(name, "is imported, not a literal", alias);
                }
            }
            _ => {}
        }
    }

    fn bind_target(&mut self, target: &'a Expr, value: &'a Expr) {
        match target {
            Expr::Name(name) => {
                self.bindings.insert(name.id.as_str(), Binding::Expression(value));
            }
            Expr::Tuple(_) | Expr::List(_) | Expr::Starred(_) => {
                self.unclear(target, "is assigned by unpacking, not from a literal of its own");
            }
            _ => self.unclear(target, "is changed after its assignment"),
        }
    }

    fn bind_name(&mut self, name: &'a str, reason: &'static str, node: &impl Ranged) {
        self.bindings.insert(name, Binding::Unclear { reason, offset: offset(node) });
    }

    /// Marks every name that `target` writes to.
    fn unclear(&mut self, target: &'a Expr, reason: &'static str) {
        match target {
            Expr::Name(name) => self.bind_name(name.id.as_str(), reason, name),
            Expr::Subscript(subscript) => self.unclear(&subscript.value, reason),
            Expr::Attribute(attribute) => self.unclear(&attribute.value, reason),
            Expr::Starred(starred) => self.unclear(&starred.value, reason),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|target| self.unclear(target, reason)),
            Expr::List(list) => list.elts.iter().for_each(|target| self.unclear(target, reason)),
            _ => {}
        }
    }

    fn node(&self, expression: &Expr, depth: usize) -> Literal<Node> {
        let at = offset(expression);
        let items = |items: &[Expr]| -> Literal<Vec<Node>> {
            let depth = deeper(depth, at)?;
            items.iter().map(|item| self.node(item, depth)).collect()
        };
        let kind = match expression {
            Expr::NoneLiteral(_) => NodeKind::Null,
            Expr::BooleanLiteral(literal) => NodeKind::Bool(literal.value),
            Expr::NumberLiteral(literal) => number(literal, Sign::Plus)?,
            Expr::StringLiteral(literal) => NodeKind::Text(self.string(literal)?),
            Expr::UnaryOp(unary) => match (unary.op, &*unary.operand) {
                (UnaryOp::USub, Expr::NumberLiteral(literal)) => number(literal, Sign::Minus)?,
                (UnaryOp::UAdd, Expr::NumberLiteral(literal)) => number(literal, Sign::Plus)?,
                _ => return refuse("is not a literal: an operator", at),
            },
            Expr::List(list) => NodeKind::List(items(&list.elts)?),
            Expr::Tuple(tuple) => NodeKind::List(items(&tuple.elts)?),
            Expr::Set(set) => NodeKind::List(distinct(items(&set.elts)?)),
            Expr::Dict(dict) => {
                let depth = deeper(depth, at)?;
                let mut entries = Vec::with_capacity(dict.items.len());
                for item in &dict.items {
                    let Some(key) = &item.key else {
                        return refuse("is not a literal: `**` unpacking", offset(&item.value));
                    };
                    let entry = Entry {
                        key: self.key(key, depth)?,
                        key_at: Spot::Offset(offset(key) as usize),
                        value: self.node(&item.value, depth)?,
                    };
                    entries.push(entry);
                }
                last_wins(entries)
            }
            other => return refuse(format!("is not a literal: {}", describe(other)), at),
        };
        Ok(Node { at: Spot::Offset(at as usize), kind })
    }

    /// A key as `json.dumps` would write it.
    fn key(&self, key: &Expr, depth: usize) -> Literal<String> {
        match self.node(key, depth)?.kind {
            NodeKind::Text(text) => Ok(text),
            NodeKind::Number(number) if !number.is_f64() => Ok(number.to_string()),
            NodeKind::Bool(bool) => Ok(bool.to_string()),
            NodeKind::Null => Ok("null".to_owned()),
            _ => refuse("has a key that is neither a text nor an integer", offset(key)),
        }
    }

    fn string(&self, literal: &ExprStringLiteral) -> Literal<String> {
        let text = literal.value.to_str();
        // The parser puts U+FFFD where the source has an escaped surrogate, which no UTF-8 text can hold.
        let replaced = |text: &str| text.matches(char::REPLACEMENT_CHARACTER).count();
        if replaced(text) > 0 && replaced(&self.source[literal.range()]) < replaced(text) {
            return refuse("has a text with a lone surrogate", offset(literal));
        }
        Ok(text.to_owned())
    }
}

impl Document for PythonDocument<'_> {
    fn variable(&self, name: &str, _visibility: Visibility) -> Lookup {
        match self.bindings.get(name) {
            None => Ok(None),
            Some(Binding::Unclear { reason, offset }) => refuse(*reason, *offset),
            Some(Binding::Expression(expression)) => self.node(expression, 0).map(Some),
        }
    }

    fn documentation(&self, part: DocPart) -> Option<Node> {
        let docstring = self.docstring.as_ref()?;
        let text = match part {
            DocPart::All => docstring.text.clone(),
            DocPart::Summary => summary(&docstring.text),
            DocPart::Heading => return None,
        };
        (!text.is_empty()).then(|| Node::text(text, docstring.at))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Plus,
    Minus,
}

fn number(literal: &ExprNumberLiteral, sign: Sign) -> Literal<NodeKind> {
    let at = offset(literal);
    match &literal.value {
        Number::Int(int) => {
            let value = int.as_u64().and_then(|value| match sign {
                Sign::Plus => Some(value.into()),
                Sign::Minus => 0_i64.checked_sub_unsigned(value).map(Into::into),
            });
            value.map_or_else(
                || refuse("has an integer that does not fit into 64 bits", at),
                |value| Ok(NodeKind::Number(value)),
            )
        }
        Number::Float(value) => float(if sign == Sign::Minus { -value } else { *value }, at),
        Number::Complex { .. } => refuse("has a complex number", at),
    }
}

/// Names what stands where a literal should be.
fn describe(expression: &Expr) -> &'static str {
    match expression {
        Expr::FString(_) => "an f-string",
        Expr::TString(_) => "a t-string",
        Expr::BytesLiteral(_) => "bytes, which are no text",
        Expr::Call(_) => "a call",
        Expr::Name(_) => "a name",
        Expr::Attribute(_) => "an attribute",
        Expr::Subscript(_) => "a subscript",
        Expr::Starred(_) => "`*` unpacking",
        Expr::EllipsisLiteral(_) => "`...`",
        Expr::Lambda(_) => "a lambda",
        Expr::If(_) => "a conditional expression",
        Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => "a comprehension",
        Expr::BinOp(_) | Expr::BoolOp(_) | Expr::Compare(_) => "an operator",
        _ => "an expression",
    }
}

/// A set keeps the first of equal elements.
fn distinct(items: Vec<Node>) -> Vec<Node> {
    let mut seen = std::collections::HashSet::new();
    items.into_iter().filter(|item| seen.insert(item.to_value().to_string())).collect()
}

/// The text without the indentation that its lines share, as Python's own tools show it.
fn clean_docstring(text: &str) -> String {
    let indentation = |line: &&str| line.len() - line.trim_start().len();
    let common =
        text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(|line| indentation(&line)).min();
    let lines = text.lines().enumerate().map(|(index, line)| {
        let from = if index == 0 { indentation(&line) } else { common.unwrap_or(0).min(indentation(&line)) };
        line[from..].trim_end()
    });
    lines.collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}

fn offset(node: &impl Ranged) -> u32 {
    node.start().to_u32()
}
