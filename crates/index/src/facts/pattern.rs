//! Reads `chunks.scm` and `facts.scm`: the part of tree-sitter's query language they need.
//!
//! Nodes with fields, children, anchors before a child, absent fields, alternatives, captures and tests of text. Not:
//! quantifiers, directives. Every file is also compiled by tree-sitter in a test, which knows the kinds and fields of a grammar.

/// One node of a pattern, without alternatives.
#[derive(Clone, Debug, Default)]
pub(super) struct Pattern {
    /// `None` for `_`.
    pub kind: Option<&'static str>,
    pub is_named: bool,
    pub field: Option<&'static str>,
    pub captures: Vec<&'static str>,
    pub children: Vec<Pattern>,
    /// Position among the named children of its parent, where anchors fix it.
    pub position: Option<usize>,
    pub absent: Vec<&'static str>,
    pub test: Option<Test>,
}

/// A test of a node's text.
#[derive(Clone, Debug)]
pub(super) struct Test {
    pub words: Vec<&'static str>,
    /// The words are one expression.
    pub is_expression: bool,
    pub negated: bool,
}

/// Reads a file into its patterns, alternatives multiplied out.
pub(super) fn read(source: &'static str) -> Result<Vec<Pattern>, String> {
    let mut reader = Reader { source, at: 0 };
    let mut out = Vec::new();
    loop {
        reader.blank();
        if reader.at == source.len() {
            return Ok(out);
        }
        let start = reader.at;
        let mut tests = Vec::new();
        let patterns = reader.pattern(&mut tests).map_err(|what| {
            let line = source[..start].matches('\n').count() + 1;
            format!("{what} in the pattern of line {line}")
        })?;
        out.extend(patterns.into_iter().map(|mut pattern| {
            tests.iter().for_each(|(capture, test)| place(&mut pattern, capture, test));
            pattern
        }));
    }
}

fn place(pattern: &mut Pattern, capture: &str, test: &Test) {
    if pattern.captures.contains(&capture) {
        pattern.test = Some(test.clone());
    }
    pattern.children.iter_mut().for_each(|child| place(child, capture, test));
}

struct Reader {
    source: &'static str,
    at: usize,
}

type Tests = Vec<(&'static str, Test)>;

impl Reader {
    fn rest(&self) -> &'static str {
        &self.source[self.at..]
    }

    fn blank(&mut self) {
        loop {
            let trimmed = self.rest().trim_start();
            self.at = self.source.len() - trimmed.len();
            if !trimmed.starts_with(';') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn eat(&mut self, what: char) -> bool {
        self.blank();
        let found = self.rest().starts_with(what);
        if found {
            self.at += what.len_utf8();
        }
        found
    }

    fn word(&mut self) -> &'static str {
        let rest = self.rest();
        let end = rest
            .find(|letter: char| !letter.is_alphanumeric() && !"_.-?!#".contains(letter))
            .unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn string(&mut self) -> Result<&'static str, String> {
        if !self.eat('"') {
            return Err("a string is expected".to_owned());
        }
        let rest = self.rest();
        let end = rest.find('"').ok_or("a string does not end")?;
        self.at += end + 1;
        Ok(&rest[..end])
    }

    fn captures(&mut self) -> Vec<&'static str> {
        let mut out = Vec::new();
        while self.eat('@') {
            out.push(self.word());
        }
        out
    }

    /// One pattern; several where it holds alternatives.
    fn pattern(&mut self, tests: &mut Tests) -> Result<Vec<Pattern>, String> {
        self.blank();
        let mut out = match self.rest().chars().next() {
            Some('(') => {
                self.at += 1;
                self.node(tests)?
            }
            Some('[') => {
                self.at += 1;
                let mut all = Vec::new();
                while !self.eat(']') {
                    all.extend(self.pattern(tests)?);
                }
                all
            }
            Some('"') => vec![Pattern { kind: Some(self.string()?), ..Pattern::default() }],
            Some('_') => {
                self.at += 1;
                vec![Pattern::default()]
            }
            _ => return Err(format!("unexpected {:.10}", self.rest())),
        };
        let captures = self.captures();
        out.iter_mut().for_each(|pattern| pattern.captures.extend(&captures));
        Ok(out)
    }

    /// What stands in parentheses: a node, or a group of one pattern and its tests.
    fn node(&mut self, tests: &mut Tests) -> Result<Vec<Pattern>, String> {
        self.blank();
        let grouped = self.rest().starts_with(['(', '[']);
        let mut out = if grouped {
            self.pattern(tests)?
        } else {
            let kind = self.word();
            if kind.is_empty() {
                return Err(format!("a node has no kind: {:.20}", self.rest()));
            }
            vec![Pattern {
                kind: Some(kind).filter(|kind| *kind != "_"),
                is_named: true,
                ..Pattern::default()
            }]
        };
        let mut position = None;
        while !self.eat(')') {
            if self.rest().starts_with("(#") {
                self.at += 1;
                tests.push(self.test()?);
                continue;
            }
            if self.eat('!') {
                let field = self.word();
                out.iter_mut().for_each(|pattern| pattern.absent.push(field));
                continue;
            }
            let is_anchored = self.eat('.');
            self.blank();
            position = is_anchored.then(|| position.map_or(0, |last: usize| last + 1));
            let field = self.field();
            let children = self.pattern(tests)?;
            out = out
                .iter()
                .flat_map(|pattern| {
                    children.iter().map(move |child| {
                        let mut pattern = pattern.clone();
                        pattern.children.push(Pattern { field, position, ..child.clone() });
                        pattern
                    })
                })
                .collect();
        }
        Ok(out)
    }

    fn field(&mut self) -> Option<&'static str> {
        let rest = self.rest();
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
        let is_field = end > 0 && rest[end..].starts_with(':');
        is_field.then(|| {
            self.at += end + 1;
            &rest[..end]
        })
    }

    fn test(&mut self) -> Result<(&'static str, Test), String> {
        let name = self.word();
        let (negated, is_expression) = match name {
            "#eq?" | "#any-of?" => (false, false),
            "#not-eq?" | "#not-any-of?" => (true, false),
            "#match?" => (false, true),
            "#not-match?" => (true, true),
            other => return Err(format!("the test {other} is not known")),
        };
        if !self.eat('@') {
            return Err("a test names no capture".to_owned());
        }
        let capture = self.word();
        let mut words = Vec::new();
        while !self.eat(')') {
            words.push(self.string()?);
        }
        Ok((capture, Test { words, is_expression, negated }))
    }
}
