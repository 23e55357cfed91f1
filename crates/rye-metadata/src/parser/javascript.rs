//! JavaScript and TypeScript: top-level and exported literals and the first doc comment, never executed.

use std::borrow::Cow;
use std::collections::HashMap;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    AssignmentExpression, AssignmentTarget, BindingPattern, Declaration, ExportDefaultDeclarationKind,
    Expression, ImportDeclarationSpecifier, ObjectPropertyKind, Program, PropertyKind, Statement,
    VariableDeclaration,
};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType};

use super::doc_comment::DocComment;
use super::javascript_literal::node;
use super::literal::refuse;
use super::{DocPart, Document, Lookup, ParserKind, Visibility, javascript_nesting, summary};
use crate::ExtractErrorKind;
use crate::node::Node;
use crate::text::{Spot, Text};

/// Stack for parsing one level, which takes at most a third of this without optimisation.
const STACK_PER_LEVEL: usize = 6 * 1024;
const STACK_BASE: usize = 256 * 1024;

/// Which language a file is in, and whether it is a module.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect {
    kind: ParserKind,
    source_type: SourceType,
}

#[derive(Debug)]
struct ScriptDocument<'a> {
    locals: HashMap<&'a str, Binding<'a>>,
    exports: HashMap<Cow<'a, str>, Binding<'a>>,
    comment: Option<(DocComment, Spot)>,
}

/// What a name stands for when the module has run, as far as that can be told.
#[derive(Debug, Clone, Copy)]
enum Binding<'a> {
    Expression(&'a Expression<'a>),
    /// Whatever the local of this name is.
    Local {
        name: &'a str,
        offset: u32,
    },
    /// Something that no literal can be.
    Unclear {
        reason: &'static str,
        offset: u32,
    },
}

impl Dialect {
    pub(super) fn javascript(extension: &str) -> Self {
        let source_type = match extension {
            "cjs" => SourceType::cjs(),
            "mjs" => SourceType::mjs(),
            _ => SourceType::unambiguous(),
        };
        Self { kind: ParserKind::JavaScript, source_type: source_type.with_jsx(false) }
    }

    pub(super) fn typescript(extension: &str) -> Self {
        let source_type = SourceType::ts();
        let source_type = if extension == "cts" { source_type.with_commonjs(true) } else { source_type };
        Self { kind: ParserKind::TypeScript, source_type }
    }
}

pub(super) fn parse<T>(
    text: &Text<'_>,
    dialect: Dialect,
    ask: impl FnOnce(&dyn Document) -> T,
) -> Result<T, ExtractErrorKind> {
    let depth = javascript_nesting::depth(text.as_str(), dialect.kind).map_err(|excess| {
        ExtractErrorKind::TooComplex {
            message: excess.message,
            position: text.position(Spot::Offset(excess.offset)),
        }
    })?;
    let stack = STACK_BASE + depth * STACK_PER_LEVEL;
    stacker::maybe_grow(stack, stack + STACK_BASE, || {
        let allocator = Allocator::default();
        let options = ParseOptions {
            allow_return_outside_function: !dialect.source_type.is_module(),
            preserve_parens: false,
            ..ParseOptions::default()
        };
        let parsed =
            Parser::new(&allocator, text.as_str(), dialect.source_type).with_options(options).parse();
        if let Some(error) = parsed.diagnostics.errors().next() {
            let at =
                error.labels.first().map_or(Spot::Unknown, |label| Spot::Offset(label.offset() as usize));
            return Err(dialect.kind.syntax_error(error.message.to_string(), text, at));
        }
        Ok(ask(&ScriptDocument::new(&parsed.program)))
    })
}

impl<'a> ScriptDocument<'a> {
    fn new(program: &'a Program<'a>) -> Self {
        let mut document =
            Self { locals: HashMap::new(), exports: HashMap::new(), comment: first_comment(program) };
        for statement in &program.body {
            document.bind_statement(statement);
        }
        document
    }

    fn bind_statement(&mut self, statement: &'a Statement<'a>) {
        match statement {
            Statement::ImportDeclaration(import) => {
                for specifier in import.specifiers.iter().flatten() {
                    let local = match specifier {
                        ImportDeclarationSpecifier::ImportSpecifier(specifier) => &specifier.local,
                        ImportDeclarationSpecifier::ImportDefaultSpecifier(specifier) => &specifier.local,
                        ImportDeclarationSpecifier::ImportNamespaceSpecifier(specifier) => &specifier.local,
                    };
                    let reason = "is imported, not a literal";
                    self.declare(local.name.as_str(), unclear(reason, local.span.start), Visibility::Local);
                }
            }
            Statement::ExportDeclaration(export) => {
                self.bind_declaration(&export.declaration, Visibility::Exported);
            }
            Statement::ExportNamedDeclaration(export) => {
                for specifier in &export.specifiers {
                    let binding = Binding::Local {
                        name: specifier.local.name().as_str(),
                        offset: specifier.span.start,
                    };
                    self.exports.insert(Cow::Borrowed(specifier.exported.name().as_str()), binding);
                }
            }
            Statement::ExportFromDeclaration(export) => {
                for specifier in &export.specifiers {
                    let binding = unclear("is exported from another file", specifier.span.start);
                    self.exports.insert(Cow::Borrowed(specifier.exported.name().as_str()), binding);
                }
            }
            Statement::ExportDefaultDeclaration(export) => {
                if let ExportDefaultDeclarationKind::ObjectExpression(_) = &export.declaration
                    && let Some(expression) = export.declaration.as_expression()
                {
                    self.bind_exports(expression);
                }
            }
            Statement::TSExportAssignment(export) => self.bind_exports(&export.expression),
            Statement::ExpressionStatement(statement) => {
                if let Expression::AssignmentExpression(assignment) = &statement.expression {
                    self.bind_assignment(assignment);
                }
            }
            other => {
                if let Some(declaration) = other.as_declaration() {
                    self.bind_declaration(declaration, Visibility::Local);
                }
            }
        }
    }

    fn bind_declaration(&mut self, declaration: &'a Declaration<'a>, visibility: Visibility) {
        let (id, reason) = match declaration {
            Declaration::VariableDeclaration(variables) => return self.bind_variables(variables, visibility),
            Declaration::FunctionDeclaration(function) => (&function.id, "is a function"),
            Declaration::ClassDeclaration(class) => (&class.id, "is a class"),
            _ => return,
        };
        if let Some(id) = id {
            self.declare(id.name.as_str(), unclear(reason, id.span.start), visibility);
        }
    }

    fn bind_variables(&mut self, variables: &'a VariableDeclaration<'a>, visibility: Visibility) {
        for declarator in &variables.declarations {
            match (&declarator.id, &declarator.init) {
                (BindingPattern::BindingIdentifier(id), Some(init)) => {
                    self.declare(id.name.as_str(), Binding::Expression(init), visibility);
                }
                (BindingPattern::BindingIdentifier(id), None) => {
                    let reason = "has no value where it is declared";
                    self.declare(id.name.as_str(), unclear(reason, id.span.start), visibility);
                }
                (pattern, _) => {
                    let reason = "is assigned by destructuring, not from a literal of its own";
                    for id in pattern.get_binding_identifiers() {
                        self.declare(id.name.as_str(), unclear(reason, id.span.start), visibility);
                    }
                }
            }
        }
    }

    /// `module.exports = …`, `exports.name = …`, `module.exports.name = …`, or a change of a variable.
    fn bind_assignment(&mut self, assignment: &'a AssignmentExpression<'a>) {
        let value = &assignment.right;
        match &assignment.left {
            AssignmentTarget::StaticMemberExpression(member) => {
                let name = member.property.name.as_str();
                if is_name(&member.object, "module") && name == "exports" {
                    self.bind_exports(value);
                } else if is_name(&member.object, "exports") || is_module_exports(&member.object) {
                    self.exports.insert(Cow::Borrowed(name), binding(value));
                } else {
                    self.changed(&member.object);
                }
            }
            AssignmentTarget::ComputedMemberExpression(member) => self.changed(&member.object),
            AssignmentTarget::AssignmentTargetIdentifier(id) => {
                self.changed_name(id.name.as_str(), "is assigned more than once", id.span.start);
            }
            _ => {}
        }
    }

    /// The properties of an exported object are exports by name.
    fn bind_exports(&mut self, value: &'a Expression<'a>) {
        let Expression::ObjectExpression(object) = value.get_inner_expression() else { return };
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
            let Some(name) = property.key.static_name().filter(|_| !property.computed) else { continue };
            let binding = if property.method || property.kind != PropertyKind::Init {
                unclear("is a function", property.span.start)
            } else {
                binding(&property.value)
            };
            self.exports.insert(name, binding);
        }
    }

    /// Something below `object` is written to.
    fn changed(&mut self, object: &'a Expression<'a>) {
        let mut object = object.get_inner_expression();
        while let Some(member) = object.as_member_expression() {
            object = member.object().get_inner_expression();
        }
        if let Expression::Identifier(id) = object {
            self.changed_name(id.name.as_str(), "is changed after its assignment", id.span.start);
        }
    }

    fn changed_name(&mut self, name: &'a str, reason: &'static str, offset: u32) {
        // An export of the same name is the same variable.
        if let Some(Binding::Expression(_)) = self.exports.get(name) {
            self.exports.insert(Cow::Borrowed(name), unclear(reason, offset));
        }
        self.locals.insert(name, unclear(reason, offset));
    }

    fn declare(&mut self, name: &'a str, binding: Binding<'a>, visibility: Visibility) {
        if visibility == Visibility::Exported {
            self.exports.insert(Cow::Borrowed(name), binding);
        }
        self.locals.insert(name, binding);
    }
}

impl Document for ScriptDocument<'_> {
    fn variable(&self, name: &str, visibility: Visibility) -> Lookup {
        let mut binding = self.exports.get(name);
        if visibility == Visibility::Local {
            binding = binding.or_else(|| self.locals.get(name));
        }
        if let Some(Binding::Local { name, offset }) = binding {
            let Some(local) = self.locals.get(name) else {
                return refuse(format!("is not a literal: `{name}` is not declared in this file"), *offset);
            };
            binding = Some(local);
        }
        match binding {
            None => Ok(None),
            Some(Binding::Expression(expression)) => node(expression, 0).map(Some),
            Some(Binding::Local { offset, .. }) => refuse("is not a literal: a name", *offset),
            Some(Binding::Unclear { reason, offset }) => refuse(*reason, *offset),
        }
    }

    fn documentation(&self, part: DocPart) -> Option<Node> {
        let (comment, at) = self.comment.as_ref()?;
        let text = comment.description()?;
        match part {
            DocPart::All => Some(Node::text(text, *at)),
            DocPart::Summary => Some(Node::text(summary(text), *at)),
            DocPart::Heading => None,
        }
    }

    fn doc_tag(&self, tag: &str) -> Option<Node> {
        let (comment, at) = self.comment.as_ref()?;
        comment.tag(tag).filter(|value| !value.is_empty()).map(|value| Node::text(value, *at))
    }
}

fn unclear<'a>(reason: &'static str, offset: u32) -> Binding<'a> {
    Binding::Unclear { reason, offset }
}

fn binding<'a>(value: &'a Expression<'a>) -> Binding<'a> {
    match value.get_inner_expression() {
        Expression::Identifier(id) if id.name != "undefined" => {
            Binding::Local { name: id.name.as_str(), offset: id.span.start }
        }
        _ => Binding::Expression(value),
    }
}

fn is_name(expression: &Expression<'_>, name: &str) -> bool {
    matches!(expression, Expression::Identifier(id) if id.name == name)
}

fn is_module_exports(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::StaticMemberExpression(member)
        if is_name(&member.object, "module") && member.property.name == "exports")
}

/// The first doc comment, if it stands before the code: one further down is about a part of the file.
fn first_comment(program: &Program<'_>) -> Option<(DocComment, Spot)> {
    let is_code = |statement: &&Statement<'_>| !matches!(statement, Statement::ImportDeclaration(_));
    let code_start = program.body.iter().find(is_code).map_or(u32::MAX, |statement| statement.span().start);
    let comment =
        program.comments.iter().find(|comment| comment.is_jsdoc() && comment.span.start < code_start)?;
    let span = comment.content_span();
    let content = &program.source_text[span.start as usize..span.end as usize];
    let content = content.strip_prefix('*').unwrap_or(content);
    Some((DocComment::parse(content), Spot::Offset(comment.span.start as usize)))
}
