//! Templates of the kit, compiled once: elements, loops, conditions, the hole for children.

use serde_json::{Map, Value};

use super::expr::Expr;

/// Why a template of a kit cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("template at {at}: {reason}")]
pub struct TemplateError {
    pub at: String,
    pub reason: String,
}

#[derive(Debug, Clone)]
pub enum Template {
    Text(Text),
    Element(Box<Element>),
    Each { over: Expr, name: String, kids: Vec<Template> },
    If { condition: Expr, kids: Vec<Template>, otherwise: Vec<Template> },
    Children,
    Chart { kind: ChartKind, condition: Option<Expr> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChartKind {
    Bar,
    Line,
    Area,
    Point,
    Scatter,
    Heatmap,
}

#[derive(Debug, Clone)]
pub struct Element {
    pub tag: Tag,
    pub condition: Option<Expr>,
    pub class: Option<Text>,
    pub attrs: Vec<(String, Text)>,
    pub style: Vec<(String, Text)>,
    pub kids: Vec<Template>,
    /// Takes the accessibility attributes and handlers of the node.
    pub control: bool,
}

#[derive(Debug, Clone)]
pub enum Tag {
    Fixed(String),
    /// One of a closed list, chosen by an expression.
    Chosen {
        expr: Expr,
        from: Vec<String>,
        otherwise: String,
    },
}

/// Literal text with `{expressions}` in it.
#[derive(Debug, Clone)]
pub struct Text {
    pub parts: Vec<Piece>,
}

#[derive(Debug, Clone)]
pub enum Piece {
    Literal(String),
    Expr(Expr),
}

impl Text {
    pub fn parse(text: &str) -> Result<Text, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            if open > 0 {
                parts.push(Piece::Literal(rest[..open].to_owned()));
            }
            let close = rest[open..].find('}').ok_or_else(|| format!("unclosed brace in {text:?}"))? + open;
            parts.push(Piece::Expr(Expr::parse(&rest[open + 1..close])?));
            rest = &rest[close + 1..];
        }
        if !rest.is_empty() {
            parts.push(Piece::Literal(rest.to_owned()));
        }
        Ok(Text { parts })
    }

    /// The expression, when the text is nothing else.
    pub fn only_expr(&self) -> Option<&Expr> {
        match self.parts.as_slice() {
            [Piece::Expr(expr)] => Some(expr),
            _ => None,
        }
    }
}

/// Elements a template may use. Anything that loads, runs or embeds is absent.
const ELEMENTS: [&str; 59] = [
    "a",
    "article",
    "aside",
    "button",
    "caption",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "img",
    "input",
    "label",
    "legend",
    "li",
    "main",
    "meter",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "progress",
    "section",
    "select",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "ul",
    "kbd",
    "blockquote",
    "cite",
];

impl Template {
    pub fn compile(value: &Value, at: &str) -> Result<Template, TemplateError> {
        compile(value, at, 0)
    }

    /// Block names of the classes used, such as `oods-badge`, for finding the right CSS.
    pub fn blocks(&self, into: &mut Vec<String>) {
        match self {
            Template::Element(element) => {
                for piece in element.class.iter().flat_map(|class| &class.parts) {
                    if let Piece::Literal(text) = piece {
                        into.extend(text.split(' ').filter_map(block_name));
                    }
                }
                element.kids.iter().for_each(|kid| kid.blocks(into));
            }
            Template::Each { kids, .. } => kids.iter().for_each(|kid| kid.blocks(into)),
            Template::If { kids, otherwise, .. } => {
                kids.iter().chain(otherwise).for_each(|kid| kid.blocks(into))
            }
            Template::Text(_) | Template::Children | Template::Chart { .. } => {}
        }
    }

    /// Whether children have a place.
    pub fn takes_children(&self) -> bool {
        match self {
            Template::Children => true,
            Template::Element(element) => element.kids.iter().any(Template::takes_children),
            Template::Each { kids, .. } => kids.iter().any(Template::takes_children),
            Template::If { kids, otherwise, .. } => {
                kids.iter().chain(otherwise).any(Template::takes_children)
            }
            Template::Text(_) | Template::Chart { .. } => false,
        }
    }
}

/// `oods-badge` of `oods-badge__dot` and `oods-badge--info`.
pub fn block_name(class: &str) -> Option<String> {
    let rest = class.strip_prefix("oods-")?;
    let end = rest.find("__").or_else(|| rest.find("--")).unwrap_or(rest.len());
    (end > 0).then(|| format!("oods-{}", &rest[..end]))
}

fn compile(value: &Value, at: &str, depth: usize) -> Result<Template, TemplateError> {
    let fail = |reason: String| TemplateError { at: at.to_owned(), reason };
    if depth > 24 {
        return Err(fail("nested too deeply".into()));
    }
    if let Value::String(text) = value {
        return Ok(Template::Text(Text::parse(text).map_err(fail)?));
    }
    let object = value.as_object().ok_or_else(|| fail("expected text or an object".into()))?;
    let expr = |key: &str| -> Result<Option<Expr>, TemplateError> {
        object
            .get(key)
            .map(|value| value.as_str().ok_or_else(|| "expected text".to_owned()).and_then(Expr::parse))
            .transpose()
            .map_err(|reason| TemplateError { at: format!("{at}/{key}"), reason })
    };
    let kids = |key: &str| -> Result<Vec<Template>, TemplateError> {
        let items = object.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        items.iter().enumerate().map(|(i, kid)| compile(kid, &format!("{at}/{key}/{i}"), depth + 1)).collect()
    };
    if let Some(tag) = object.get("el") {
        return element(object, tag, at, expr("if")?, kids("kids")?)
            .map(|element| Template::Element(Box::new(element)));
    }
    if let Some(over) = expr("each")? {
        let name = object.get("as").and_then(Value::as_str).unwrap_or("item").to_owned();
        return Ok(Template::Each { over, name, kids: kids("kids")? });
    }
    if object.get("slot") == Some(&Value::Bool(true)) {
        return Ok(Template::Children);
    }
    if let Some(kind) = object.get("chart") {
        let kind = match kind.as_str() {
            Some("bar") => ChartKind::Bar,
            Some("line") => ChartKind::Line,
            Some("area") => ChartKind::Area,
            Some("point") => ChartKind::Point,
            Some("scatter") => ChartKind::Scatter,
            Some("heatmap") => ChartKind::Heatmap,
            _ => return Err(fail(format!("unknown chart {kind}"))),
        };
        return Ok(Template::Chart { kind, condition: expr("if")? });
    }
    match expr("if")? {
        Some(condition) => Ok(Template::If { condition, kids: kids("kids")?, otherwise: kids("else")? }),
        None => Err(fail("expected el, each, if, slot or chart".into())),
    }
}

fn element(
    object: &Map<String, Value>,
    tag: &Value,
    at: &str,
    condition: Option<Expr>,
    kids: Vec<Template>,
) -> Result<Element, TemplateError> {
    let fail = |reason: String| TemplateError { at: at.to_owned(), reason };
    let known = |tag: &str| {
        if ELEMENTS.contains(&tag) {
            Ok(tag.to_owned())
        } else {
            Err(fail(format!("element {tag} is not allowed")))
        }
    };
    let tag = match tag {
        Value::String(tag) => Tag::Fixed(known(tag)?),
        Value::Object(choice) => {
            let expr =
                choice.get("expr").and_then(Value::as_str).ok_or_else(|| fail("el needs expr".into()))?;
            let from =
                choice.get("from").and_then(Value::as_array).ok_or_else(|| fail("el needs from".into()))?;
            let otherwise =
                choice.get("else").and_then(Value::as_str).ok_or_else(|| fail("el needs else".into()))?;
            Tag::Chosen {
                expr: Expr::parse(expr).map_err(fail)?,
                from: from
                    .iter()
                    .map(|tag| known(tag.as_str().unwrap_or_default()))
                    .collect::<Result<_, _>>()?,
                otherwise: known(otherwise)?,
            }
        }
        _ => return Err(fail("el must be text or a choice".into())),
    };
    let pairs = |key: &str| -> Result<Vec<(String, Text)>, TemplateError> {
        let entries = object.get(key).and_then(Value::as_object);
        entries
            .into_iter()
            .flatten()
            .map(|(name, value)| {
                let safe = name.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit());
                if !safe || name.is_empty() || name.starts_with("on") {
                    return Err(fail(format!("{key} {name} is not allowed")));
                }
                let text = value.as_str().ok_or_else(|| fail(format!("{key} {name} must be text")))?;
                Ok((name.clone(), Text::parse(text).map_err(fail)?))
            })
            .collect()
    };
    let class = object.get("class").and_then(Value::as_str).map(Text::parse).transpose().map_err(fail)?;
    Ok(Element {
        tag,
        condition,
        class,
        attrs: pairs("attrs")?,
        style: pairs("style")?,
        kids,
        control: object.get("control") == Some(&Value::Bool(true)),
    })
}
