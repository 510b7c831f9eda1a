//! The expressions of templates: paths, alternatives, comparison, choice, a few functions.
//!
//! Grammar, loosest first: `cond ? a : b`, `a && b`, `!a`, `a == b`, `a | b`, then literals,
//! paths, calls and parentheses. The same grammar is read by the kit's JavaScript core.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::functions;

#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Literal(Value),
    Path(Vec<String>),
    Call(String, Vec<Expr>),
    /// The first that is not empty; what the caller wrote comes before any default.
    Either(Vec<Expr>),
    Equal(Box<Expr>, Box<Expr>, bool),
    Not(Box<Expr>),
    Both(Box<Expr>, Box<Expr>),
    Choice(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
}

/// What an expression can see.
pub struct Scope<'a> {
    pub props: &'a Map<String, Value>,
    pub defaults: &'a Map<String, Value>,
    pub node_id: &'a str,
    pub has_children: bool,
    pub locals: Vec<(&'a str, Cow<'a, Value>)>,
    pub index: usize,
}

static NULL: Value = Value::Null;

impl Expr {
    pub fn parse(text: &str) -> Result<Expr, String> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let expr = parser.choice()?;
        parser.space();
        if parser.at < text.len() {
            return Err(format!("unexpected text at {} of {text:?}", parser.at));
        }
        Ok(expr)
    }

    pub fn eval<'a>(&self, scope: &Scope<'a>) -> Cow<'a, Value> {
        match self {
            Expr::Literal(value) => Cow::Owned(value.clone()),
            Expr::Path(path) => scope.lookup(path, true),
            Expr::Call(name, args) => {
                let args: Vec<Cow<'a, Value>> = args.iter().map(|arg| arg.eval(scope)).collect();
                functions::call(name, &args)
            }
            Expr::Either(options) => {
                for option in options {
                    if let Expr::Path(path) = option {
                        let value = scope.lookup(path, false);
                        if !is_empty(&value) {
                            return value;
                        }
                    }
                }
                let mut last = Cow::Borrowed(&NULL);
                for option in options {
                    last = option.eval(scope);
                    if !is_empty(&last) {
                        break;
                    }
                }
                last
            }
            Expr::Equal(left, right, wanted) => {
                let equal = functions::text(&left.eval(scope)) == functions::text(&right.eval(scope));
                Cow::Owned(Value::Bool(equal == *wanted))
            }
            Expr::Not(inner) => Cow::Owned(Value::Bool(is_empty(&inner.eval(scope)))),
            Expr::Both(left, right) => {
                let value = left.eval(scope);
                if is_empty(&value) { value } else { right.eval(scope) }
            }
            Expr::Choice(condition, then, otherwise) => {
                if !is_empty(&condition.eval(scope)) {
                    then.eval(scope)
                } else {
                    otherwise.as_ref().map_or(Cow::Borrowed(&NULL), |expr| expr.eval(scope))
                }
            }
        }
    }
}

/// Null, false, an empty text and an empty list count as absent; zero does not.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

impl<'a> Scope<'a> {
    fn lookup(&self, path: &[String], with_defaults: bool) -> Cow<'a, Value> {
        let (head, rest) = path.split_first().expect("the parser never makes an empty path");
        let local = self.locals.iter().rev().find(|(name, _)| name == head);
        if let Some((_, value)) = local {
            return descend(value.clone(), rest);
        }
        match head.as_str() {
            "index" => return Cow::Owned(self.index.into()),
            "children" => return Cow::Owned(self.has_children.into()),
            "node" => return Cow::Owned(if rest == ["id"] { self.node_id.into() } else { Value::Null }),
            _ => {}
        }
        let value = match self.props.get(head) {
            Some(value) if !value.is_null() => value,
            _ if with_defaults => self.defaults.get(head).unwrap_or(&NULL),
            _ => &NULL,
        };
        descend(Cow::Borrowed(value), rest)
    }
}

fn descend<'a>(value: Cow<'a, Value>, path: &[String]) -> Cow<'a, Value> {
    path.iter().fold(value, |value, key| match value {
        Cow::Borrowed(value) => Cow::Borrowed(value.get(key.as_str()).unwrap_or(&NULL)),
        Cow::Owned(value) => Cow::Owned(value.get(key.as_str()).cloned().unwrap_or(Value::Null)),
    })
}

/// Kits are written by people; nesting beyond this is not.
const MAX_NESTING: usize = 32;

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn space(&mut self) {
        while self.text[self.at..].starts_with(' ') {
            self.at += 1;
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.space();
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn choice(&mut self) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err("the expression is nested too deeply".into());
        }
        let condition = self.both()?;
        let expr = if self.eat("?") {
            let then = self.both()?;
            let otherwise = if self.eat(":") { Some(Box::new(self.choice()?)) } else { None };
            Expr::Choice(Box::new(condition), Box::new(then), otherwise)
        } else {
            condition
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn both(&mut self) -> Result<Expr, String> {
        let mut left = self.compare()?;
        while self.eat("&&") {
            left = Expr::Both(Box::new(left), Box::new(self.compare()?));
        }
        Ok(left)
    }

    fn compare(&mut self) -> Result<Expr, String> {
        let left = self.either()?;
        for (token, wanted) in [("==", true), ("!=", false)] {
            if self.eat(token) {
                return Ok(Expr::Equal(Box::new(left), Box::new(self.either()?), wanted));
            }
        }
        Ok(left)
    }

    fn either(&mut self) -> Result<Expr, String> {
        let mut options = vec![self.primary()?];
        while self.eat("|") {
            options.push(self.primary()?);
        }
        Ok(if options.len() == 1 { options.remove(0) } else { Expr::Either(options) })
    }

    fn primary(&mut self) -> Result<Expr, String> {
        if self.eat("!") {
            return Ok(Expr::Not(Box::new(self.primary()?)));
        }
        if self.eat("(") {
            let inner = self.choice()?;
            return if self.eat(")") { Ok(inner) } else { Err(format!("missing ) in {:?}", self.text)) };
        }
        if self.eat("'") {
            let rest = &self.text[self.at..];
            let end = rest.find('\'').ok_or_else(|| format!("unclosed quote in {:?}", self.text))?;
            let literal = rest[..end].to_owned();
            self.at += end + 1;
            return Ok(Expr::Literal(literal.into()));
        }
        self.space();
        let rest = &self.text[self.at..];
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_')).unwrap_or(rest.len());
        let word = &rest[..end];
        if word.is_empty() {
            return Err(format!("expected a value at {} of {:?}", self.at, self.text));
        }
        self.at += end;
        if let Ok(number) = word.parse::<i64>() {
            return Ok(Expr::Literal(number.into()));
        }
        if !self.eat("(") {
            return Ok(Expr::Path(word.split('.').map(str::to_owned).collect()));
        }
        if !functions::NAMES.contains(&word) {
            return Err(format!("unknown function {word}"));
        }
        let mut args = Vec::new();
        while !self.eat(")") {
            args.push(self.choice()?);
            if !self.eat(",") && !self.text[self.at..].trim_start().starts_with(')') {
                return Err(format!("missing ) in {:?}", self.text));
            }
        }
        Ok(Expr::Call(word.to_owned(), args))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str, expected: Value) {
        let props = json!({"label": "Save", "n": 2, "item": {"a": "x"}, "empty": "", "variant": "ghost"});
        let defaults = json!({"appearance": "primary", "n": 9});
        let scope = Scope {
            props: props.as_object().unwrap(),
            defaults: defaults.as_object().unwrap(),
            node_id: "node-1",
            has_children: true,
            locals: vec![("row", Cow::Owned(json!({"k": [1, 2]})))],
            index: 3,
        };
        assert_eq!(*Expr::parse(text).unwrap().eval(&scope), expected, "{text}");
    }

    #[test]
    fn alternatives_prefer_what_was_written_over_defaults() {
        check("empty|label", json!("Save"));
        check("appearance|variant|'x'", json!("ghost"));
        check("appearance|missing|'x'", json!("primary"));
        check("missing|'x'", json!("x"));
        check("n", json!(2));
    }

    #[test]
    fn conditions_compare_as_text() {
        check("n == 2 ? 'two' : 'other'", json!("two"));
        check("n == '2' && label", json!("Save"));
        check("!missing", json!(true));
        check("missing ? 'a' : empty ? 'b' : 'c'", json!("c"));
        check("(missing|n) != 2", json!(false));
        check("join(node.id, '-', index)", json!("node-1-3"));
        check("item.a", json!("x"));
        check("row.k.z", Value::Null);
    }

    #[test]
    fn mistakes_are_refused() {
        for text in ["", "a |", "f(x)", "'open", "(a", "a b", "a == ", &"(".repeat(100)] {
            assert!(Expr::parse(text).is_err(), "{text}");
        }
    }
}
