//! Patterns compiled into tables by the kind of the node they capture.
//!
//! A query cursor of tree-sitter over every node of a tree costs as much as the parse. Facts need less: the captured
//! node, what it is nested in and a few of its neighbours. So a pattern becomes a rule that is looked up by kind and
//! checked against the path from the root, which a walk has at hand.

use super::Fact;
use super::pattern::{self, Pattern};
use crate::chunk::Kind;
use crate::hash::FastMap;
use regex::Regex;
use std::collections::BTreeSet;
use tree_sitter::{Language, Node};

pub(crate) struct Rules {
    /// By kind of the captured node.
    by_kind: Vec<OfKind>,
    /// Those that capture a node of any kind, by the kind of its parent.
    by_parent: Vec<Vec<u32>>,
    /// Kinds whose field in their parent some rule asks for.
    asked: Vec<bool>,
    /// Kinds that some rule captures, and kinds of whose children some rule captures any. Most are neither.
    captured: Vec<bool>,
    parents: Vec<bool>,
    rules: Vec<Rule>,
}

/// The rules for nodes of one kind, in the order of the file.
#[derive(Clone, Default)]
struct OfKind {
    /// Those that name no parent.
    anywhere: Vec<u32>,
    /// The others by the kind of the parent: most of them are never looked at.
    below: FastMap<u16, Vec<u32>>,
}

/// What happens where a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Emit {
    /// A definition of this kind; `@name`, `@doc` and `@code` are found beside it.
    Define(Kind),
    /// A fact whose value is the text of the node.
    Text(Fact),
    /// As `Text`, up to the first bracket or blank.
    Head(Fact),
    Constant(Fact, &'static str),
    /// `NEW=OLD` from the nodes captured as `@_new` and `@_old`.
    Pair(Fact),
    /// A fact of the definitions that follow in the same parent: the text of the node, or a word.
    Following(Fact, Option<&'static str>),
    /// A function without a name: what its head says is not said of the definition around it.
    Scope,
    /// Nothing: keeps later rules away from the node.
    Skip,
}

pub(crate) struct Rule {
    /// From the captured node upwards.
    up: Vec<Up>,
    /// What must hold around it: levels above the captured node, and a pattern for a child there.
    guards: Vec<(usize, Guard)>,
    test: Option<TextTest>,
    pub emits: Vec<Emit>,
    number: usize,
}

/// The field a node has in its parent, and the parent's kind; 0 for any.
#[derive(Clone, Copy, Debug)]
struct Up {
    field: u16,
    kind: u16,
}

enum Guard {
    Absent(u16),
    Child(Shape),
}

struct Shape {
    field: u16,
    /// 0 for any named one.
    kind: u16,
    test: Option<TextTest>,
    /// One of `ROLES`.
    role: Option<&'static str>,
    position: Option<usize>,
    /// How many like it the pattern names before it.
    earlier: usize,
    children: Vec<Shape>,
}

enum TextTest {
    Words(Vec<&'static str>, bool),
    Expression(Regex, bool),
}

impl TextTest {
    fn holds(&self, text: &str) -> bool {
        match self {
            TextTest::Words(words, negated) => words.contains(&text) != *negated,
            TextTest::Expression(expression, negated) => expression.is_match(text) != *negated,
        }
    }
}

/// A step of the path from the root.
#[derive(Clone, Copy)]
pub(super) struct Step<'t> {
    pub node: Node<'t>,
    pub kind: u16,
    pub field: u16,
}

impl Rules {
    pub fn compile(language: &Language, source: &'static str) -> Result<Rules, String> {
        let kinds = language.node_kind_count();
        let mut out = Rules {
            by_kind: vec![OfKind::default(); kinds],
            by_parent: vec![Vec::new(); kinds],
            asked: vec![false; kinds],
            captured: Vec::new(),
            parents: Vec::new(),
            rules: Vec::new(),
        };
        let names = Names { language };
        for pattern in pattern::read(source)? {
            out.add(&names, &pattern, &mut Vec::new())?;
        }
        let is_captured = |of: &OfKind| !of.anywhere.is_empty() || !of.below.is_empty();
        out.captured = out.by_kind.iter().map(is_captured).collect();
        out.parents = out.by_parent.iter().map(|rules| !rules.is_empty()).collect();
        Ok(out)
    }

    fn add(
        &mut self,
        names: &Names<'_>,
        pattern: &Pattern,
        above: &mut Vec<(Pattern, usize)>,
    ) -> Result<(), String> {
        let emits = emits(&pattern.captures)?;
        if !emits.is_empty() {
            let number = self.rules.len() as u32;
            let rule = Rule { number: number as usize, ..rule(names, pattern, above, emits)? };
            match (pattern.kind, rule.up.first()) {
                (Some(kind), up) => {
                    let known = &mut self.by_kind[names.kind(kind, pattern.is_named)? as usize];
                    match up.map(|up| up.kind).filter(|kind| *kind != 0) {
                        Some(parent) => known.below.entry(parent).or_default().push(number),
                        None => known.anywhere.push(number),
                    }
                }
                (None, Some(up)) if up.kind != 0 => self.by_parent[up.kind as usize].push(number),
                _ => return Err("a captured _ needs a parent of some kind".to_owned()),
            }
            let mut kind =
                pattern.kind.map(|kind| names.kind(kind, pattern.is_named)).transpose()?.unwrap_or(0);
            for up in &rule.up {
                match (up.field, kind) {
                    (0, _) => {}
                    (_, 0) => self.asked.iter_mut().for_each(|asked| *asked = true),
                    (_, kind) => self.asked[kind as usize] = true,
                }
                kind = up.kind;
            }
            self.rules.push(rule);
        }
        for (at, child) in pattern.children.iter().enumerate() {
            above.push((pattern.clone(), at));
            self.add(names, child, above)?;
            above.pop();
        }
        Ok(())
    }

    /// Whether a rule may ask for the field of a node of this kind.
    pub(super) fn asks_field(&self, kind: u16) -> bool {
        self.asked.get(kind as usize).copied().unwrap_or_default()
    }

    /// The first rule that holds for the last node of a path.
    #[inline]
    pub(super) fn find(&self, path: &[Step<'_>], text: &str) -> Option<&Rule> {
        let is = |column: &[bool], kind: u16| column.get(kind as usize).copied().unwrap_or_default();
        let (last, above) = path.split_last()?;
        let may_hold = is(&self.captured, last.kind)
            || above.last().is_some_and(|parent| is(&self.parents, parent.kind));
        if may_hold { self.first(last, above, path, text) } else { None }
    }

    fn first<'t>(&self, last: &Step<'t>, above: &[Step<'t>], path: &[Step<'t>], text: &str) -> Option<&Rule> {
        let by_kind = self.by_kind.get(last.kind as usize);
        let parent = above.last().map(|parent| parent.kind);
        let by_parent = parent
            .and_then(|parent| self.by_parent.get(parent as usize))
            .map(Vec::as_slice)
            .filter(|rules| !rules.is_empty() && last.node.is_named())
            .unwrap_or_default();
        let below = by_kind
            .filter(|known| !known.below.is_empty())
            .and_then(|known| known.below.get(&parent?))
            .map(Vec::as_slice)
            .unwrap_or_default();
        let anywhere = by_kind.map(|known| known.anywhere.as_slice()).unwrap_or_default();
        let holds = |number: &&u32| self.rules[**number as usize].holds(path, text);
        let first = [below, anywhere, by_parent].iter().filter_map(|rules| rules.iter().find(holds)).min()?;
        self.rules.get(*first as usize)
    }
}

/// Which facts a file of patterns can yield; needs no grammar.
pub(crate) fn facts_in(source: &'static str) -> BTreeSet<Fact> {
    fn visit(pattern: &Pattern, out: &mut BTreeSet<Fact>) {
        let emits = emits(&pattern.captures).unwrap_or_default();
        out.extend(emits.iter().filter_map(|emit| match emit {
            Emit::Text(fact)
            | Emit::Head(fact)
            | Emit::Constant(fact, _)
            | Emit::Pair(fact)
            | Emit::Following(fact, _) => Some(*fact),
            Emit::Define(_) | Emit::Scope | Emit::Skip => None,
        }));
        pattern.children.iter().for_each(|child| visit(child, out));
    }
    let mut out = BTreeSet::new();
    pattern::read(source).unwrap_or_default().iter().for_each(|pattern| visit(pattern, &mut out));
    out
}

struct Names<'l> {
    language: &'l Language,
}

impl Names<'_> {
    fn kind(&self, name: &str, named: bool) -> Result<u16, String> {
        match self.language.id_for_node_kind(name, named) {
            0 => Err(format!("no node is a {name}")),
            id => Ok(id),
        }
    }

    fn field(&self, name: Option<&str>) -> Result<u16, String> {
        let Some(name) = name else { return Ok(0) };
        let id = self.language.field_id_for_name(name).ok_or_else(|| format!("no field is named {name}"))?;
        Ok(id.get())
    }
}

/// Captures that only name a node for what stands around it.
const ROLES: [&str; 5] = ["name", "doc", "code", "_new", "_old"];

/// What the captures of a node ask for.
fn emits(captures: &[&'static str]) -> Result<Vec<Emit>, String> {
    let mut out = Vec::new();
    let is_emit = |capture: &&&str| !capture.starts_with('_') && !ROLES.contains(*capture);
    for capture in captures.iter().filter(is_emit) {
        let (name, form) = capture.split_once('.').unwrap_or((capture, ""));
        if name == "def" {
            let kind = Kind::by_name(form).ok_or_else(|| format!("no kind of chunk is named {form}"))?;
            out.push(Emit::Define(kind));
            continue;
        }
        if name == "scope" || name == "skip" {
            out.push(if name == "scope" { Emit::Scope } else { Emit::Skip });
            continue;
        }
        let fact = Fact::by_name(name).ok_or_else(|| format!("no fact is named {name}"))?;
        out.push(match form {
            "" if fact == Fact::Alias => Emit::Pair(fact),
            "" => Emit::Text(fact),
            "head" => Emit::Head(fact),
            "following" => Emit::Following(fact, None),
            other => match (other.strip_prefix("is."), other.strip_prefix("following.")) {
                (Some(word), _) => Emit::Constant(fact, word),
                (_, Some(word)) => Emit::Following(fact, Some(word)),
                _ => return Err(format!("no fact has the form {other}")),
            },
        });
    }
    Ok(out)
}

fn rule(
    names: &Names<'_>,
    pattern: &Pattern,
    above: &[(Pattern, usize)],
    emits: Vec<Emit>,
) -> Result<Rule, String> {
    let mut rule = Rule { up: Vec::new(), guards: Vec::new(), test: test(pattern)?, emits, number: 0 };
    guards(names, pattern, None, 0, &mut rule.guards)?;
    let mut field = pattern.field;
    for (level, (parent, taken)) in above.iter().rev().enumerate() {
        let kind = match parent.kind {
            Some(kind) => names.kind(kind, parent.is_named)?,
            None => 0,
        };
        rule.up.push(Up { field: names.field(field)?, kind });
        guards(names, parent, Some(*taken), level + 1, &mut rule.guards)?;
        field = parent.field;
    }
    Ok(rule)
}

fn guards(
    names: &Names<'_>,
    pattern: &Pattern,
    except: Option<usize>,
    level: usize,
    out: &mut Vec<(usize, Guard)>,
) -> Result<(), String> {
    for field in &pattern.absent {
        out.push((level, Guard::Absent(names.field(Some(field))?)));
    }
    for (at, child) in pattern.children.iter().enumerate() {
        if Some(at) != except {
            let earlier = like(&pattern.children[..at], child);
            out.push((level, Guard::Child(Shape { earlier, ..shape(names, child)? })));
        }
    }
    Ok(())
}

fn shape(names: &Names<'_>, pattern: &Pattern) -> Result<Shape, String> {
    Ok(Shape {
        field: names.field(pattern.field)?,
        kind: pattern.kind.map_or(Ok(0), |kind| names.kind(kind, pattern.is_named))?,
        test: test(pattern)?,
        role: pattern.captures.iter().copied().find(|capture| ROLES.contains(capture)),
        position: pattern.position,
        earlier: 0,
        children: pattern
            .children
            .iter()
            .enumerate()
            .map(|(at, child)| {
                let earlier = like(&pattern.children[..at], child);
                Ok(Shape { earlier, ..shape(names, child)? })
            })
            .collect::<Result<_, String>>()?,
    })
}

/// How many of these children without a field are of the kind of another.
fn like(before: &[Pattern], child: &Pattern) -> usize {
    before
        .iter()
        .filter(|other| other.field.is_none() && other.kind.is_some() && other.kind == child.kind)
        .count()
}

fn test(pattern: &Pattern) -> Result<Option<TextTest>, String> {
    let Some(test) = &pattern.test else { return Ok(None) };
    Ok(Some(if test.is_expression {
        let source = test.words.first().copied().unwrap_or_default();
        TextTest::Expression(Regex::new(source).map_err(|error| error.to_string())?, test.negated)
    } else {
        TextTest::Words(test.words.clone(), test.negated)
    }))
}

impl Rule {
    fn holds(&self, path: &[Step<'_>], text: &str) -> bool {
        if path.len() <= self.up.len() {
            return false;
        }
        let last = path.len() - 1;
        for (level, up) in self.up.iter().enumerate() {
            let (child, parent) = (&path[last - level], &path[last - level - 1]);
            if up.field != 0 && child.field != up.field || up.kind != 0 && parent.kind != up.kind {
                return false;
            }
        }
        if self.test.as_ref().is_some_and(|test| !test.holds(slice(path[last].node, text))) {
            return false;
        }
        self.guards.iter().all(|(level, guard)| {
            path.get(last - level).is_some_and(|step| match guard {
                Guard::Absent(field) => step.node.child_by_field_id(*field).is_none(),
                Guard::Child(shape) => shape.find(step.node, text).is_some(),
            })
        })
    }

    /// How far above the captured node the pattern starts.
    pub(super) fn height(&self) -> usize {
        self.up.len()
    }

    /// The place of the rule in its file.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The node that plays a role beside the captured one.
    pub fn role<'t>(&self, role: &str, node: Node<'t>, text: &str) -> Option<Node<'t>> {
        self.guards.iter().find_map(|(level, guard)| match guard {
            Guard::Child(shape) if *level == 0 => shape.role(role, node, text),
            _ => None,
        })
    }
}

impl Shape {
    fn find<'t>(&self, node: Node<'t>, text: &str) -> Option<Node<'t>> {
        let fits = |child: Node<'t>| {
            (self.kind == child.kind_id() || self.kind == 0 && child.is_named())
                && self.test.as_ref().is_none_or(|test| test.holds(slice(child, text)))
                && self.children.iter().all(|shape| shape.find(child, text).is_some())
        };
        if let Some(position) = self.position {
            return node.named_child(position as u32).filter(|child| fits(*child));
        }
        if self.field != 0 {
            // Nearly always a field has one child, which is found without a cursor of its own.
            let first = node.child_by_field_id(self.field)?;
            if fits(first) {
                return Some(first);
            }
            let field = std::num::NonZeroU16::new(self.field)?;
            let mut cursor = node.walk();
            return node.children_by_field_id(field, &mut cursor).find(|child| fits(*child));
        }
        // So few children are found faster than a cursor is made.
        let count = node.child_count();
        if count <= 4 && self.role != Some("_old") {
            return (0..count).filter_map(|at| node.child(at)).filter(|child| fits(*child)).nth(self.earlier);
        }
        let mut cursor = node.walk();
        let children = node.children(&mut cursor);
        // Where a name and a value have one kind, the value comes later.
        if self.role == Some("_old") {
            return children.filter(|child| fits(*child)).last();
        }
        children.filter(|child| fits(*child)).nth(self.earlier)
    }

    fn role<'t>(&self, role: &str, node: Node<'t>, text: &str) -> Option<Node<'t>> {
        let child = self.find(node, text)?;
        if self.role == Some(role) {
            return Some(child);
        }
        self.children.iter().find_map(|shape| shape.role(role, child, text))
    }
}

fn slice<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}
