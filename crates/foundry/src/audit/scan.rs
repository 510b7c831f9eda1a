//! One file under audit: its text, its findings, and the parsers that read it.

use std::collections::{BTreeMap, HashSet};
use std::ops::{ControlFlow, Range};

use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Tree};

use super::Severities;
use super::design::{Design, Suggestion};
use super::finding::{Edit, Finding, Fix, Lines};

/// Parsers give up on texts that make them crawl: calls of the progress hook per byte, and for any text.
const CALLS_PER_BYTE: usize = 4;
const CALLS_AT_LEAST: usize = 10_000;

/// What is collected over all files.
#[derive(Default)]
pub struct Collected {
    pub findings: Vec<Finding>,
    /// Custom properties of the kit's prefix that the project defines itself.
    pub defined: HashSet<String>,
    pub suppressed: usize,
    /// Findings beyond the limit, by rule.
    pub dropped: BTreeMap<&'static str, usize>,
}

/// One file and where its findings go.
pub struct Scan<'s, 'k> {
    pub design: &'s Design<'k>,
    pub path: &'s str,
    pub text: &'s str,
    pub severities: &'s Severities,
    pub parser: &'s mut Parser,
    pub collected: &'s mut Collected,
    pub limit: usize,
    lines: Lines<'s>,
    /// Set when a parser gave up or the text has syntax errors.
    pub is_broken: bool,
}

impl<'s, 'k> Scan<'s, 'k> {
    pub fn new(
        design: &'s Design<'k>,
        (path, text): (&'s str, &'s str),
        severities: &'s Severities,
        parser: &'s mut Parser,
        collected: &'s mut Collected,
        limit: usize,
    ) -> Scan<'s, 'k> {
        let lines = Lines::new(text);
        Scan { design, path, text, severities, parser, collected, limit, lines, is_broken: false }
    }

    /// Parses a text; nothing when the parser gives up.
    pub fn parse(&mut self, language: &Language, text: &str) -> Option<Tree> {
        self.parser.set_language(language).ok()?;
        let budget = CALLS_AT_LEAST + text.len() * CALLS_PER_BYTE;
        let mut calls = 0;
        let mut on_progress = |_: &ParseState| {
            calls += 1;
            if calls > budget { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut on_progress);
        let bytes = text.as_bytes();
        let tree = self.parser.parse_with_options(
            &mut |at, _| bytes.get(at..).unwrap_or_default(),
            None,
            Some(options),
        );
        match &tree {
            Some(tree) => self.is_broken |= tree.root_node().has_error(),
            None => {
                self.parser.reset();
                self.is_broken = true;
            }
        }
        tree
    }

    /// Reports one place, unless its rule is off or a comment allows it.
    pub fn report(&mut self, rule: &'static str, at: Range<usize>, message: String, fix: Option<Fix>) {
        self.report_use(rule, at, message, fix, None);
    }

    /// Reports the use of a custom property, which counts only if nothing in the project defines it.
    pub fn report_use(
        &mut self,
        rule: &'static str,
        at: Range<usize>,
        message: String,
        fix: Option<Fix>,
        property: Option<String>,
    ) {
        let Some(severity) = self.severities.of(rule) else { return };
        if self.lines.allows(rule, self.lines.number(at.start)) {
            self.collected.suppressed += 1;
            return;
        }
        if self.collected.findings.len() >= self.limit {
            *self.collected.dropped.entry(rule).or_default() += 1;
            return;
        }
        let place = self.lines.place(&at);
        let snippet = self.lines.snippet(place.line);
        let fix = fix.map(|mut fix| {
            for edit in &mut fix.edits {
                edit.place = self.lines.place(&edit.range);
            }
            fix
        });
        let path = self.path.to_owned();
        self.collected.findings.push(Finding {
            rule,
            severity,
            path,
            place,
            message,
            snippet,
            fix,
            property,
        });
    }

    /// Reports a raw value with the token to write in its place.
    pub fn report_raw(
        &mut self,
        rule: &'static str,
        at: Range<usize>,
        what: &str,
        suggestion: Option<Suggestion>,
        write: impl Fn(&Suggestion) -> String,
    ) {
        let raw = self.text.get(at.clone()).unwrap_or_default();
        let raw: String = raw.chars().take(60).collect();
        let message = match &suggestion {
            Some(found) if found.exact => format!("{what} {raw} is the token {}", found.token),
            Some(found) => format!("{what} {raw} is no token; {} ({})", found.token, found.away),
            None => format!("{what} {raw} is no token, and none is near"),
        };
        let fix = suggestion.map(|found| {
            let text = write(&found);
            Fix { exact: found.exact, token: Some(found.token), edits: vec![Edit::new(at.clone(), text)] }
        });
        self.report(rule, at, message, fix);
    }
}

/// Visits a tree from the top; `visit` says whether to look inside a node.
pub fn walk<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>) -> bool) {
    walk_with_parent(root, |node, _| visit(node));
}

/// Visits a tree with the node around each one, which a node itself could only find by a search from the root.
pub fn walk_with_parent<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>, Option<Node<'t>>) -> bool) {
    let mut cursor = root.walk();
    let mut around: Vec<Node<'t>> = Vec::new();
    loop {
        let node = cursor.node();
        if visit(node, around.last().copied()) && cursor.goto_first_child() {
            around.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            around.pop();
        }
    }
}

/// The first child of a kind.
pub fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == kind)
}

/// The range of a node, moved to where its text begins in the file.
pub fn at(node: Node, base: usize) -> Range<usize> {
    node.start_byte() + base..node.end_byte() + base
}
