//! As much of KDL as `usage` specs need: nodes with arguments, properties and children.

/// One node.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct KdlNode {
    pub name: String,
    pub args: Vec<String>,
    pub props: Vec<(String, String)>,
    pub children: Vec<KdlNode>,
}

impl KdlNode {
    pub fn prop(&self, name: &str) -> Option<&str> {
        self.props.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn is_set(&self, name: &str) -> bool {
        matches!(self.prop(name), Some("true" | "#true"))
    }

    pub fn child(&self, name: &str) -> Option<&KdlNode> {
        self.children.iter().find(|child| child.name == name)
    }
}

/// Parses a document; the error says on which line it ends.
pub fn parse(text: &str) -> Result<Vec<KdlNode>, String> {
    let mut reader = Reader { rest: text, line: 1, depth: 0 };
    let nodes = reader.nodes()?;
    match reader.rest.is_empty() {
        true => Ok(nodes),
        false => Err(format!("line {}: unexpected `}}`", reader.line)),
    }
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn bump(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    /// Skips blanks and comments, and line ends too when `lines` is set.
    fn skip(&mut self, lines: bool) {
        loop {
            let is_blank = |c: char| c.is_whitespace() && (lines || c != '\n') || lines && c == ';';
            let blank = self.rest.find(|c: char| !is_blank(c)).unwrap_or(self.rest.len());
            self.bump(blank);
            if self.rest.starts_with("//") {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.bump(end);
            } else if self.rest.starts_with("/*") {
                let end = self.rest.find("*/").map_or(self.rest.len(), |end| end + 2);
                self.bump(end);
            } else if self.rest.starts_with("\\\n") {
                self.bump(2);
            } else {
                return;
            }
        }
    }

    fn nodes(&mut self) -> Result<Vec<KdlNode>, String> {
        let mut nodes = Vec::new();
        loop {
            self.skip(true);
            if self.rest.is_empty() || self.rest.starts_with('}') {
                return Ok(nodes);
            }
            let is_commented = self.rest.starts_with("/-");
            if is_commented {
                self.bump(2);
                self.skip(true);
            }
            let node = self.node()?;
            if !is_commented {
                nodes.push(node);
            }
        }
    }

    fn node(&mut self) -> Result<KdlNode, String> {
        let mut node = KdlNode { name: self.value()?, ..KdlNode::default() };
        loop {
            self.skip(false);
            match self.rest.chars().next() {
                None | Some('\n' | ';' | '}') => return Ok(node),
                Some('{') => {
                    // Deeper than any spec; a file made to exhaust the stack is refused.
                    if self.depth >= 64 {
                        return Err(format!("line {}: nested too deeply", self.line));
                    }
                    self.bump(1);
                    self.depth += 1;
                    node.children = self.nodes()?;
                    self.depth -= 1;
                    if !self.rest.starts_with('}') {
                        return Err(format!("line {}: `}}` is missing", self.line));
                    }
                    self.bump(1);
                    return Ok(node);
                }
                Some(_) => {
                    let value = self.value()?;
                    match self.rest.starts_with('=') {
                        true => {
                            self.bump(1);
                            let set = self.value()?;
                            node.props.push((value, set));
                        }
                        false => node.args.push(value),
                    }
                }
            }
        }
    }

    fn value(&mut self) -> Result<String, String> {
        let hashes = self.rest.bytes().take_while(|byte| *byte == b'#').count();
        let is_raw = hashes > 0 && self.rest[hashes..].starts_with('"');
        let old_raw = self.rest.starts_with("r\"") || self.rest.starts_with("r#");
        if is_raw || old_raw {
            let start = if is_raw {
                hashes
            } else {
                1 + self.rest[1..].bytes().take_while(|byte| *byte == b'#').count()
            };
            let marks = if is_raw { hashes } else { start - 1 };
            let close = format!("\"{}", "#".repeat(marks));
            let body = &self.rest[start..];
            let end = body.get(1..).and_then(|body| body.find(&close));
            let end = end.ok_or_else(|| format!("line {}: the string does not end", self.line))?;
            let value = body[1..=end].to_owned();
            self.bump(start + 1 + end + close.len());
            return Ok(value);
        }
        if self.rest.starts_with('"') {
            return self.quoted();
        }
        let is_end = |c: char| c.is_whitespace() || "{}=;\"".contains(c);
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        match end {
            0 => Err(format!("line {}: a value is missing", self.line)),
            end => Ok(self.bump(end).to_owned()),
        }
    }

    fn quoted(&mut self) -> Result<String, String> {
        let mut value = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.bump(at + 1);
                    return Ok(value);
                }
                '\\' => match characters.next().map(|(_, c)| c) {
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some(other) => value.push(other),
                    None => break,
                },
                c => value.push(c),
            }
        }
        Err(format!("line {}: the string does not end", self.line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_arguments_properties_and_children() {
        let nodes = parse("// c\nname \"x\"\ncmd add help=\"Add \\\"it\\\"\" hide=#false { arg \"<file>\"; /- gone 1 }\nraw #\"a\"b\"#").unwrap();
        assert_eq!(nodes[0].args, ["x"]);
        assert_eq!(nodes[1].prop("help"), Some("Add \"it\""));
        assert_eq!(nodes[1].children.len(), 1);
        assert_eq!(nodes[2].args, ["a\"b"]);
        for bad in ["a {", "}", "a \"x", "a =", "a #\"x"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(parse(&"a {".repeat(100_000)).is_err());
    }
}
