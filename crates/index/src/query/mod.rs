//! From query text to a tree of what a chunk must hold.
//!
//! | written | means |
//! |---|---|
//! | `session` | the word, in any form: `sessions`, `openSession` |
//! | `session close` | both words in a file; either where no file holds both, and the answer says so |
//! | `how are sessions closed` | a question: any word, the more and rarer the better |
//! | `a AND b`, `a OR b`, `NOT a`, `-a`, `!a`, `( … )` | as they say; NOT binds before AND before OR |
//! | `"exact text"`, `'exact text'` | the text itself, verified on the bytes |
//! | `/re+gex/i` | a match of the expression, verified on the bytes |
//! | `sym:Name` | a definition of that name |
//! | `path:text`, `lang:rust`, `ext:rs`, `type:function` | a filter, which may be negated like anything else |
//!
//! Three or more plain words, or two with a word like *how* or *the*, read as a question. A word with `_`, `::` or a
//! capital inside is a name. Whatever is malformed is read as words: the only errors are an empty query and an
//! expression that is not one.

mod parse;

use crate::chunk::Kind;
use crate::error::IndexError;
use crate::lang::LangId;
use crate::token;

/// A parsed query.
#[derive(Clone, Debug)]
pub struct Query {
    pub(crate) text: String,
    pub(crate) root: Node,
    /// What was read otherwise than written: dangling operators, open quotes.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Word(Word),
    /// A question: holds where any of the words does.
    Question(Vec<Word>),
    /// Two plain words side by side: both in a file, or either where no file holds both.
    Together(Vec<Word>),
    Atom(Atom),
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
}

/// A word as written, and its index terms.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    pub text: String,
    /// For each identifier in it: the whole, and its parts. It holds where the whole or all parts occur.
    pub names: Vec<Vec<String>>,
}

/// What is looked up other than by words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Atom {
    Literal(String),
    Regex(String),
    Symbol(String),
    Path(String),
    Lang(LangId),
    Ext(String),
    Kind(Kind),
}

/// Bounds what one query can cost.
pub(crate) const MAX_QUERY_BYTES: usize = 4_096;
pub(crate) const MAX_ATOMS: usize = 32;

impl Query {
    pub fn parse(text: &str) -> Result<Query, IndexError> {
        parse::parse(text)
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Every word that counts for a hit, in order.
    pub(crate) fn words(&self) -> Vec<&Word> {
        let mut out = Vec::new();
        collect(&self.root, &mut out);
        out
    }

    /// Text that is looked for as it stands, for showing where it is.
    pub(crate) fn atoms(&self) -> Vec<&Atom> {
        let mut out = Vec::new();
        atoms(&self.root, &mut out);
        out
    }
}

fn collect<'q>(node: &'q Node, out: &mut Vec<&'q Word>) {
    match node {
        Node::Word(word) => out.push(word),
        Node::Question(words) | Node::Together(words) => out.extend(words),
        Node::All(nodes) | Node::Any(nodes) => nodes.iter().for_each(|node| collect(node, out)),
        Node::Atom(_) | Node::Not(_) => {}
    }
}

fn atoms<'q>(node: &'q Node, out: &mut Vec<&'q Atom>) {
    match node {
        Node::Atom(atom) => out.push(atom),
        Node::All(nodes) | Node::Any(nodes) => nodes.iter().for_each(|node| atoms(node, out)),
        Node::Word(_) | Node::Question(_) | Node::Together(_) | Node::Not(_) => {}
    }
}

impl Word {
    pub(crate) fn new(text: &str) -> Word {
        let mut names = Vec::new();
        token::words(text, |_, word| {
            let mut terms = Vec::new();
            token::terms(word, |term| terms.push(term.to_owned()));
            // The whole comes last from the splitter and first here.
            terms.reverse();
            if !terms.is_empty() {
                names.push(terms);
            }
        });
        Word { text: text.to_owned(), names }
    }

    /// Written like a name in code rather than like a word of a sentence.
    pub(crate) fn is_name(&self) -> bool {
        let inner = self.text.trim_matches(|letter: char| !letter.is_alphanumeric());
        inner.contains(['_', ':', '.', '/', '#', '$'])
            || inner.chars().skip(1).any(char::is_uppercase)
            || inner.chars().any(|letter| letter.is_ascii_digit())
    }

    pub(crate) fn is_stop_word(&self) -> bool {
        STOP_WORDS
            .contains(&self.text.to_ascii_lowercase().trim_matches(|letter: char| !letter.is_alphanumeric()))
    }
}

/// Words that make a query a sentence and say nothing about code.
const STOP_WORDS: &[&str] = &[
    "a",
    "an",
    "and",
    "are",
    "as",
    "at",
    "be",
    "been",
    "being",
    "but",
    "by",
    "can",
    "could",
    "did",
    "do",
    "does",
    "done",
    "for",
    "from",
    "had",
    "has",
    "have",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "may",
    "me",
    "might",
    "must",
    "my",
    "no",
    "not",
    "of",
    "on",
    "or",
    "our",
    "shall",
    "should",
    "so",
    "such",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "use",
    "used",
    "uses",
    "using",
    "via",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "whose",
    "why",
    "will",
    "with",
    "within",
    "without",
    "would",
    "you",
    "your",
    "find",
    "show",
    "code",
    "happens",
    "responsible",
    "work",
    "works",
    "get",
    "gets",
];
