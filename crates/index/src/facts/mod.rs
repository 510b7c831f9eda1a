//! Facts about chunks: what a definition takes, calls, reads, writes, throws and looks like.
//!
//! `languages/*/facts.scm` says in tree-sitter's query language where a fact stands in the syntax tree; `pattern` reads
//! the file, `rules` compiles it into tables, `walk` goes over the tree of the parse that also made the chunks, and
//! `attach` gives every fact to its chunk. Nothing here names a language.

mod attach;
mod pattern;
pub(crate) mod risk;
mod rules;
mod value;
mod walk;

pub(crate) use attach::{ChunkFacts, attach, flag};
pub use risk::RiskRules;
pub(crate) use risk::book as risk_book;
pub(crate) use rules::{Rules, facts_in};
pub(crate) use walk::{Mark, Wanted, collect, own};

macro_rules! facts {
    ($($variant:ident = $name:literal, $argument:literal, $shape:ident, $place:ident;)+) => {
        /// A kind of fact. The numbers are written to disk: append only.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Fact { $($variant),+ }

        impl Fact {
            pub const ALL: &'static [Fact] = &[$(Fact::$variant),+];

            /// The word of query files.
            pub fn name(self) -> &'static str {
                match self { $(Fact::$variant => $name),+ }
            }

            /// The argument of `search` that looks at it.
            pub fn argument(self) -> &'static str {
                match self { $(Fact::$variant => $argument),+ }
            }

            pub(crate) fn shape(self) -> Shape {
                match self { $(Fact::$variant => Shape::$shape),+ }
            }

            pub(crate) fn place(self) -> Place {
                match self { $(Fact::$variant => Place::$place),+ }
            }
        }
    };
}

/// How a fact is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A list of chunks for each value.
    Values,
    /// A bit of the chunk.
    Flag,
    /// A number of the chunk.
    Count,
}

/// Which chunk a fact belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The definition it is written on. One of a function too small for a chunk of its own belongs to nothing.
    Head,
    /// The chunk that owns its text.
    Body,
    /// The whole file.
    File,
}

facts! {
    Param = "param", "param", Values, Head;
    Decorator = "decorator", "decorator", Values, Head;
    Type = "type", "inferredType", Values, Body;
    ReturnType = "return_type", "returnType", Values, Head;
    Visibility = "visibility", "visibility", Values, Head;
    Extends = "extends", "extends", Values, Head;
    Import = "import", "import", Values, File;
    Call = "call", "calls", Values, Body;
    Use = "use", "uses", Values, Body;
    Read = "read", "reads", Values, Body;
    Write = "write", "writes", Values, Body;
    Mutate = "mutate", "mutates", Values, Body;
    Alias = "alias", "alias", Values, Body;
    Await = "await", "awaits", Values, Body;
    Throw = "throw", "throws", Values, Body;
    Async = "async", "async", Flag, Head;
    Generator = "generator", "generator", Flag, Head;
    Returns = "returns", "returns", Flag, Head;
    Branch = "branch", "branchesMin", Count, Body;
    Loop = "loop", "loopsMin", Count, Body;
    Break = "break", "breaksMin", Count, Body;
    Continue = "continue", "continuesMin", Count, Body;
    RiskTag = "risk_tag", "riskTag", Values, Body;
    RiskSource = "risk_source", "riskSource", Values, Body;
    RiskSink = "risk_sink", "riskSink", Values, Body;
    RiskCategory = "risk_category", "riskCategory", Values, Body;
    RiskFlow = "risk_flow", "riskFlow", Values, Body;
    Lint = "lint", "lint", Values, Body;
}

impl Fact {
    /// What rules about risks say; no pattern file does.
    pub(crate) const RISKS: [Fact; 5] =
        [Fact::RiskTag, Fact::RiskSource, Fact::RiskSink, Fact::RiskCategory, Fact::RiskFlow];

    pub(crate) fn by_name(name: &str) -> Option<Fact> {
        let known =
            Fact::ALL.iter().copied().filter(|fact| !Fact::RISKS.contains(fact) && *fact != Fact::Lint);
        known.into_iter().find(|fact| fact.name() == name)
    }
}

/// How many numbers a chunk has: those of `Shape::Count`, in their order.
pub(crate) const COUNTS: usize = 4;

/// The position of a counted fact among a chunk's numbers.
pub(crate) fn count_slot(fact: Fact) -> usize {
    (fact as usize).saturating_sub(Fact::Branch as usize).min(COUNTS - 1)
}

/// Where a definition says nothing about who may see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmarked {
    /// The language has no such notion, or it cannot be read off the text.
    Unknown,
    /// It is this.
    Is(&'static str),
    /// Names that start with a capital are public.
    ByCase,
    /// Names that start with an underscore are private.
    ByUnderscore,
}

impl Unmarked {
    pub(crate) fn visibility(self, name: &str) -> Option<&'static str> {
        let own = name.rsplit(['.', ':']).next().unwrap_or(name);
        let pick = |public: bool| Some(if public { "public" } else { "private" });
        match self {
            Unmarked::Unknown => None,
            Unmarked::Is(word) => Some(word),
            Unmarked::ByCase => pick(own.chars().next().is_some_and(char::is_uppercase)),
            Unmarked::ByUnderscore => {
                pick(!own.starts_with(['_', '#']) || own.starts_with("__") && own.ends_with("__"))
            }
        }
    }
}
