//! Literals of JavaScript and TypeScript as values.

use oxc_ast::ast::{
    ArrayExpressionElement, Expression, ObjectExpression, ObjectPropertyKind, PropertyKind, UnaryOperator,
};
use oxc_span::GetSpan;

use super::literal::{Literal, deeper, float, last_wins, refuse};
use crate::node::{Entry, Node, NodeKind};
use crate::text::Spot;

/// The value of `expression`, if that can be told without running it. Types (`as const`, `satisfies T`) and
/// parentheses change nothing.
pub(super) fn node(expression: &Expression<'_>, depth: usize) -> Literal<Node> {
    let expression = expression.get_inner_expression();
    let at = expression.span().start;
    let kind = match expression {
        Expression::NullLiteral(_) => NodeKind::Null,
        Expression::Identifier(id) if id.name == "undefined" => NodeKind::Null,
        Expression::BooleanLiteral(literal) => NodeKind::Bool(literal.value),
        Expression::NumericLiteral(literal) => number(literal.value, at)?,
        Expression::BigIntLiteral(literal) => big_integer(&literal.value, at)?,
        Expression::StringLiteral(literal) => text(&literal.value, literal.lone_surrogates, at)?,
        Expression::TemplateLiteral(template) => {
            let Some(quasi) = template.quasis.first().filter(|_| template.expressions.is_empty()) else {
                return refuse("is not a literal: a template with substitutions", at);
            };
            match &quasi.value.cooked {
                Some(cooked) => text(cooked, quasi.lone_surrogates, at)?,
                None => return refuse("has a template with an invalid escape", at),
            }
        }
        Expression::UnaryExpression(unary) => match (unary.operator, unary.argument.get_inner_expression()) {
            (UnaryOperator::UnaryNegation, Expression::NumericLiteral(literal)) => {
                number(-literal.value, at)?
            }
            (UnaryOperator::UnaryNegation, Expression::BigIntLiteral(literal)) => {
                big_integer(&format!("-{}", literal.value), at)?
            }
            (UnaryOperator::UnaryPlus, Expression::NumericLiteral(literal)) => number(literal.value, at)?,
            // What compilers write for `undefined`.
            (UnaryOperator::Void, Expression::NumericLiteral(_)) => NodeKind::Null,
            _ => return refuse("is not a literal: an operator", at),
        },
        Expression::ArrayExpression(array) => {
            let depth = deeper(depth, at)?;
            NodeKind::List(array.elements.iter().map(|element| item(element, depth)).collect::<Literal<_>>()?)
        }
        Expression::ObjectExpression(object) => object_entries(object, deeper(depth, at)?)?,
        other => return refuse(format!("is not a literal: {}", describe(other)), at),
    };
    Ok(Node { at: Spot::Offset(at as usize), kind })
}

fn item(element: &ArrayExpressionElement<'_>, depth: usize) -> Literal<Node> {
    match element {
        ArrayExpressionElement::SpreadElement(spread) => {
            refuse("is not a literal: `...` spreading", spread.span.start)
        }
        ArrayExpressionElement::Elision(elision) => refuse("has a list with a hole", elision.span.start),
        element => match element.as_expression() {
            Some(expression) => node(expression, depth),
            None => refuse("is not a literal: an expression", element.span().start),
        },
    }
}

fn object_entries(object: &ObjectExpression<'_>, depth: usize) -> Literal<NodeKind> {
    let mut entries = Vec::with_capacity(object.properties.len());
    for property in &object.properties {
        let ObjectPropertyKind::ObjectProperty(property) = property else {
            return refuse("is not a literal: `...` spreading", property.span().start);
        };
        let at = property.span.start;
        if property.method || property.kind != PropertyKind::Init {
            return refuse("is not a literal: a function", at);
        }
        let name = property.key.static_name().filter(|_| !property.computed);
        let Some(key) = name else {
            return refuse("is not a literal: a computed key", at);
        };
        if key == "__proto__" && !property.shorthand {
            return refuse("is not a literal: `__proto__` sets the prototype", at);
        }
        entries.push(Entry {
            key: key.into_owned(),
            key_at: Spot::Offset(at as usize),
            value: node(&property.value, depth)?,
        });
    }
    Ok(last_wins(entries))
}

/// JavaScript has one type of number: `1.0` is the integer 1.
fn number(value: f64, at: u32) -> Literal<NodeKind> {
    const SAFE: f64 = 9_007_199_254_740_991.0;
    if value.fract() == 0.0 && value.abs() <= SAFE {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number of at most 53 bits")]
        return Ok(NodeKind::Number((value as i64).into()));
    }
    float(value, at)
}

fn big_integer(digits: &str, at: u32) -> Literal<NodeKind> {
    let number = digits.parse::<i64>().map(Into::into).or_else(|_| digits.parse::<u64>().map(Into::into));
    match number {
        Ok(number) => Ok(NodeKind::Number(number)),
        Err(_) => refuse("has an integer that does not fit into 64 bits", at),
    }
}

fn text(value: &str, lone_surrogates: bool, at: u32) -> Literal<NodeKind> {
    if lone_surrogates {
        return refuse("has a text with a lone surrogate", at);
    }
    Ok(NodeKind::Text(value.to_owned()))
}

/// Names what stands where a literal should be.
fn describe(expression: &Expression<'_>) -> &'static str {
    match expression {
        Expression::CallExpression(_) | Expression::NewExpression(_) | Expression::ImportExpression(_) => {
            "a call"
        }
        Expression::Identifier(_) => "a name",
        Expression::StaticMemberExpression(_)
        | Expression::ComputedMemberExpression(_)
        | Expression::PrivateFieldExpression(_)
        | Expression::ChainExpression(_) => "a member of something",
        Expression::RegExpLiteral(_) => "a regular expression",
        Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_) => "a function",
        Expression::ClassExpression(_) => "a class",
        Expression::TaggedTemplateExpression(_) => "a tagged template",
        Expression::ConditionalExpression(_) => "a conditional expression",
        Expression::AssignmentExpression(_) => "an assignment",
        Expression::BinaryExpression(_) | Expression::LogicalExpression(_) => "an operator",
        _ => "an expression",
    }
}
