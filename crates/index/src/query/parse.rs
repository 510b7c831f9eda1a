//! The parser. It never fails on structure: what does not fit is read as words and noted.

use super::{Atom, MAX_ATOMS, MAX_QUERY_BYTES, Node, Query, Word};
use crate::chunk::Kind;
use crate::error::IndexError;
use crate::lang::LangId;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Atom(Atom),
    And,
    Or,
    /// The mark itself is kept: as a prefix it negates, as a word it may be read back.
    Not,
    Open,
    Close,
}

pub(super) fn parse(text: &str) -> Result<Query, IndexError> {
    if text.trim().is_empty() {
        return Err(IndexError::BadQuery { reason: "it is empty".to_owned(), at: 0 });
    }
    if text.len() > MAX_QUERY_BYTES {
        return Err(IndexError::BadQuery {
            reason: format!("it is longer than {MAX_QUERY_BYTES} bytes"),
            at: MAX_QUERY_BYTES,
        });
    }
    let mut notes = Vec::new();
    let tokens = operators(scan(text, &mut notes)?);
    let mut parser = Parser { tokens: &tokens, at: 0, notes: &mut notes, depth: 0 };
    let root = parser.any();
    // A query of nothing but marks is still a question: it is looked for as it stands.
    let root = root.filter(has_content).unwrap_or_else(|| Node::Atom(Atom::Literal(text.trim().to_owned())));
    Ok(Query { text: text.to_owned(), root, notes })
}

fn has_content(node: &Node) -> bool {
    match node {
        Node::Word(word) => !word.names.is_empty(),
        Node::Question(words) | Node::Together(words) => words.iter().any(|word| !word.names.is_empty()),
        Node::Atom(_) => true,
        Node::All(nodes) | Node::Any(nodes) => nodes.iter().any(has_content),
        Node::Not(inner) => has_content(inner),
    }
}

fn scan(text: &str, notes: &mut Vec<String>) -> Result<Vec<Token>, IndexError> {
    let mut out = Vec::new();
    let mut atoms = 0;
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if first == '(' {
            out.push(Token::Open);
            at += 1;
        } else if first == ')' {
            out.push(Token::Close);
            at += 1;
        } else if matches!(first, '-' | '!') && negates(rest) {
            out.push(Token::Not);
            at += 1;
        } else if let Some((atom, length)) = quoted(rest).or(regex(rest, at)?) {
            atoms += 1;
            out.push(Token::Atom(atom));
            at += length;
        } else {
            let end = rest
                .find(|letter: char| letter.is_whitespace() || matches!(letter, '(' | ')'))
                .unwrap_or(rest.len());
            let end = call_end(rest, end);
            let word = &rest[..end];
            if word.starts_with(['"', '\'']) {
                notes.push(format!(
                    "the quote before {} is never closed",
                    word.trim_start_matches(['"', '\''])
                ));
            }
            match filter(word)? {
                Some(atom) => {
                    atoms += 1;
                    out.push(Token::Atom(atom));
                }
                None => out.push(Token::Word(word.to_owned())),
            }
            at += end;
        }
        if atoms > MAX_ATOMS {
            return Err(IndexError::BadQuery {
                reason: format!("it has more than {MAX_ATOMS} literals, expressions and filters"),
                at,
            });
        }
    }
    Ok(out)
}

/// `foo()` is one word: brackets with nothing in them are part of a name, not a group.
fn call_end(rest: &str, end: usize) -> usize {
    if end > 0 && rest[end..].starts_with("()") { end + 2 } else { end }
}

/// A mark negates when what it stands on follows at once; `--flag` and `a - b` are not negations.
fn negates(rest: &str) -> bool {
    rest.chars()
        .nth(1)
        .is_some_and(|next| next.is_alphanumeric() || matches!(next, '"' | '\'' | '/' | '(' | '_'))
}

fn quoted(rest: &str) -> Option<(Atom, usize)> {
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let mut end = 1;
    loop {
        end += rest[end..].find(quote)?;
        // An apostrophe inside a word does not close: 'don't' is one phrase.
        let closes = rest[end + 1..].chars().next().is_none_or(|next| !next.is_alphanumeric());
        if closes {
            break;
        }
        end += 1;
    }
    let inner = &rest[1..end];
    (!inner.is_empty()).then(|| (Atom::Literal(inner.to_owned()), end + 1))
}

/// `/expression/flags`, up to the first slash that ends a word.
fn regex(rest: &str, offset: usize) -> Result<Option<(Atom, usize)>, IndexError> {
    if !rest.starts_with('/') || rest.starts_with("//") {
        return Ok(None);
    }
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        if escaped || letter == '\\' {
            escaped = !escaped;
            continue;
        }
        if letter != '/' {
            continue;
        }
        let flags: String =
            rest[at + 1..].chars().take_while(|flag| matches!(flag, 'i' | 'm' | 's' | 'x' | 'u')).collect();
        let after = rest[at + 1 + flags.len()..].chars().next();
        if after.is_some_and(|after| !after.is_whitespace() && after != ')') {
            continue;
        }
        let source =
            if flags.is_empty() { rest[1..at].to_owned() } else { format!("(?{flags}){}", &rest[1..at]) };
        check_regex(&source, offset)?;
        return Ok(Some((Atom::Regex(source), at + 1 + flags.len())));
    }
    Ok(None)
}

fn check_regex(source: &str, at: usize) -> Result<(), IndexError> {
    let bad = |reason: String| IndexError::BadQuery {
        reason: reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned(),
        at,
    };
    crate::search::compile_regex(source, false).map(drop).map_err(|error| bad(error.to_string()))
}

fn filter(word: &str) -> Result<Option<Atom>, IndexError> {
    let Some((key, value)) =
        word.split_once(':').filter(|(_, value)| !value.is_empty() && !value.starts_with(':'))
    else {
        return Ok(None);
    };
    let bad = |field, reason: String| IndexError::BadFilter { field, reason };
    let value = value.trim_matches('"');
    Ok(Some(match key {
        "sym" | "symbol" | "name" => Atom::Symbol(value.to_owned()),
        "path" | "file" => Atom::Path(value.to_owned()),
        "ext" => Atom::Ext(value.trim_start_matches(['*', '.']).to_ascii_lowercase()),
        "lang" => Atom::Lang(
            LangId::by_name(value).ok_or_else(|| bad("lang", format!("{value} is not a known language")))?,
        ),
        "type" | "kind" => Atom::Kind(
            Kind::by_name(value).ok_or_else(|| bad("type", format!("{value} is not a kind of chunk")))?,
        ),
        _ => return Ok(None),
    }))
}

/// `AND`, `OR`, `NOT` are operators; in lower case only where the query does not read as a sentence.
fn operators(tokens: Vec<Token>) -> Vec<Token> {
    let is_operator = |word: &str| matches!(word.to_ascii_uppercase().as_str(), "AND" | "OR" | "NOT");
    let plain: Vec<Word> = tokens
        .iter()
        .filter_map(|token| match token {
            Token::Word(word) if !is_operator(word) => Some(Word::new(word)),
            _ => None,
        })
        .collect();
    let shouted = tokens
        .iter()
        .any(|token| matches!(token, Token::Word(word) if matches!(word.as_str(), "AND" | "OR" | "NOT")));
    let sentence = !shouted && (plain.iter().any(Word::is_stop_word) || plain.len() > 2);
    let operator = |word: &str| match word {
        "AND" => Some(Token::And),
        "OR" => Some(Token::Or),
        "NOT" => Some(Token::Not),
        _ if sentence => None,
        _ if word.eq_ignore_ascii_case("and") => Some(Token::And),
        _ if word.eq_ignore_ascii_case("or") => Some(Token::Or),
        _ if word.eq_ignore_ascii_case("not") => Some(Token::Not),
        _ => None,
    };
    tokens
        .into_iter()
        .map(|token| match token {
            Token::Word(word) => operator(&word).unwrap_or(Token::Word(word)),
            other => other,
        })
        .collect()
}

/// Deeper nesting than anyone writes is flattened rather than followed.
const MAX_DEPTH: usize = 64;

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    notes: &'t mut Vec<String>,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    /// Says something of the query once, however often it is true of it.
    fn note(&mut self, text: &str) {
        if !self.notes.iter().any(|note| note == text) {
            self.notes.push(text.to_owned());
        }
    }

    fn any(&mut self) -> Option<Node> {
        let mut nodes: Vec<Node> = self.all().into_iter().collect();
        loop {
            match self.peek() {
                Some(Token::Or) => {
                    self.at += 1;
                    match self.all() {
                        Some(node) => nodes.push(node),
                        None => self.note("an OR stands alone and was left out"),
                    }
                }
                // A closing bracket without an opening one: go on behind it.
                Some(Token::Close) if self.depth == 0 => {
                    self.at += 1;
                    self.note("a closing bracket has no partner");
                    nodes.extend(self.all());
                }
                _ => break,
            }
        }
        one_or(nodes, Node::Any)
    }

    fn all(&mut self) -> Option<Node> {
        let mut nodes = Vec::new();
        let mut explicit = false;
        loop {
            match self.peek() {
                None | Some(Token::Or | Token::Close) => break,
                Some(Token::And) => {
                    self.at += 1;
                    explicit = true;
                    if nodes.is_empty() || matches!(self.peek(), None | Some(Token::Or | Token::Close)) {
                        self.note("an AND stands alone and was left out");
                    }
                }
                Some(_) => nodes.extend(self.unary()),
            }
        }
        if explicit { one_or(nodes, Node::All) } else { adjacent(nodes) }
    }

    fn unary(&mut self) -> Option<Node> {
        let mut negated = false;
        while self.peek() == Some(&Token::Not) {
            self.at += 1;
            negated = !negated;
        }
        let node = match self.peek()?.clone() {
            Token::Word(word) => {
                self.at += 1;
                Some(Node::Word(Word::new(&word)))
            }
            Token::Atom(atom) => {
                self.at += 1;
                Some(Node::Atom(atom))
            }
            Token::Open => {
                self.at += 1;
                self.group()
            }
            Token::And | Token::Or | Token::Not | Token::Close => None,
        };
        match node {
            Some(node) if negated => Some(Node::Not(Box::new(node))),
            None if negated => {
                self.note("a NOT stands alone and was left out");
                None
            }
            node => node,
        }
    }

    fn group(&mut self) -> Option<Node> {
        if self.depth >= MAX_DEPTH {
            self.note("brackets are nested too deeply and were left out");
            return None;
        }
        self.depth += 1;
        let node = self.any();
        self.depth -= 1;
        if self.peek() == Some(&Token::Close) {
            self.at += 1;
        } else {
            self.note("an opening bracket has no partner");
        }
        node
    }
}

fn one_or(mut nodes: Vec<Node>, many: fn(Vec<Node>) -> Node) -> Option<Node> {
    match nodes.len() {
        0 => None,
        1 => nodes.pop(),
        _ => Some(many(nodes)),
    }
}

/// Neighbours without an operator: a question if they read as one, else all of them.
fn adjacent(nodes: Vec<Node>) -> Option<Node> {
    let (words, mut others): (Vec<Node>, Vec<Node>) =
        nodes.into_iter().partition(|node| matches!(node, Node::Word(_)));
    let words: Vec<Word> = words
        .into_iter()
        .filter_map(|node| match node {
            Node::Word(word) if !word.names.is_empty() => Some(word),
            _ => None,
        })
        .collect();
    let reads_as_question = words.len() >= 3 || words.len() == 2 && words.iter().any(Word::is_stop_word);
    if reads_as_question {
        let (stop, telling): (Vec<Word>, Vec<Word>) =
            words.into_iter().partition(|word| word.is_stop_word() && !word.is_name());
        others.insert(0, Node::Question(if telling.is_empty() { stop } else { telling }));
    } else if words.len() == 2 {
        others.insert(0, Node::Together(words));
    } else {
        others.splice(0..0, words.into_iter().map(Node::Word));
    }
    one_or(others, Node::All)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shape(text: &str) -> String {
        fn show(node: &Node) -> String {
            let list = |nodes: &[Node]| nodes.iter().map(show).collect::<Vec<_>>().join(" ");
            match node {
                Node::Word(word) => word.text.clone(),
                Node::Question(words) => format!(
                    "?[{}]",
                    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
                ),
                Node::Together(words) => {
                    format!("[{}]", words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
                }
                Node::Atom(Atom::Literal(text)) => format!("{text:?}"),
                Node::Atom(Atom::Regex(source)) => format!("/{source}/"),
                Node::Atom(atom) => format!("{atom:?}"),
                Node::All(nodes) => format!("(and {})", list(nodes)),
                Node::Any(nodes) => format!("(or {})", list(nodes)),
                Node::Not(inner) => format!("(not {})", show(inner)),
            }
        }
        show(&parse(text).unwrap().root)
    }

    #[test]
    fn brackets_without_a_partner_cost_no_stack_and_one_note() {
        let query = parse(&format!("open {}close", ")".repeat(4_000))).unwrap();
        assert_eq!(query.notes, ["a closing bracket has no partner"]);
        assert_eq!(shape("open ))) close"), "(or open close)");
        assert!(parse(&format!("{}open{}", "(".repeat(2_000), " OR".repeat(600))).unwrap().notes.len() <= 3);
    }

    #[test]
    fn queries_read_as_written() {
        for (text, expected) in [
            ("session", "session"),
            ("session close", "[session close]"),
            ("a AND b OR c", "(or (and a b) c)"),
            ("NOT a AND b", "(and (not a) b)"),
            ("x or y", "(or x y)"),
            ("x -y", "(and x (not y))"),
            ("-(a OR b) c", "(and c (not (or a b)))"),
            ("\"exact text\" foo", "(and foo \"exact text\")"),
            ("'don't stop'", "\"don't stop\""),
            ("/fn \\w+/i", "/(?i)fn \\w+/"),
            ("/usr/bin/env", "/usr/bin/env"),
            ("how are cancelled requests cleaned up", "?[cancelled requests cleaned up]"),
            ("where is the parser and the lexer", "?[parser lexer]"),
            ("transport AND", "transport"),
            ("(x y", "[x y]"),
            ("a) b", "(or a b)"),
            ("std::fs::read", "std::fs::read"),
            ("foo()", "foo()"),
            ("--flag", "--flag"),
            ("=>", "\"=>\""),
            ("-", "\"-\""),
        ] {
            assert_eq!(shape(text), expected, "{text}");
        }
    }

    #[test]
    fn mistakes_are_the_users_and_say_where() {
        assert!(matches!(parse("  "), Err(IndexError::BadQuery { .. })));
        assert!(matches!(parse("x /(/"), Err(IndexError::BadQuery { at: 2, .. })));
        assert!(matches!(parse("lang:klingon x"), Err(IndexError::BadFilter { field: "lang", .. })));
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_parser(text in "[ -~é→\\n]{0,80}") {
            match parse(&text) {
                Ok(_) | Err(IndexError::BadQuery { .. } | IndexError::BadFilter { .. }) => {}
                Err(other) => prop_assert!(false, "{other}"),
            }
        }

        #[test]
        fn no_mixture_of_operators_breaks_the_parser(tokens in prop::collection::vec(prop::sample::select(vec!["a", "foo_bar", "AND", "OR", "NOT", "and", "(", ")", "-", "!", "\"x y\"", "/r+/", "\"", "path:x", "()"]), 0..24)) {
            let text = tokens.join(" ");
            prop_assert!(text.is_empty() || parse(&text).is_ok());
            prop_assert!(text.is_empty() || parse(&tokens.concat()).is_ok() || tokens.concat().trim().is_empty() || parse(&tokens.concat()).is_err());
        }
    }
}
