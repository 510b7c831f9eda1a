//! Languages as data: one folder under `languages/` each, compiled into one table.
//!
//! A folder holds `language.toml` (how files are recognised, which node kinds are comments) and, where a grammar is
//! linked, `chunks.scm`. Nothing in this crate names a language in code except the table of grammars.

mod detect;
mod grammar;

pub use detect::detect;
pub(crate) use detect::{by_extension, head};

use crate::facts::{Fact, Rules, Unmarked, facts_in, risk_book};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// What kind of content a language holds; decides which search mode sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Code,
    Prose,
    Data,
    /// Not text, but holding some: somebody has to read it out first.
    Document,
}

/// How a file of the language is cut into chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunker {
    /// By the definitions its tree-sitter query captures.
    Grammar,
    /// By blank lines and indentation.
    Layout,
    /// By headings; fenced code is cut as its own language.
    Markdown,
    /// By top-level elements; `script` and `style` are cut as their own language.
    Markup,
    /// By form feeds.
    Pages,
    Json,
    Yaml,
    Toml,
    Css,
}

/// A language takes over an extension of another when the text shows one of these signs (`.h` with `namespace`).
#[derive(Debug)]
pub struct Claim {
    pub extension: &'static str,
    pub any: &'static [&'static str],
}

/// How what a file imports leads to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imports {
    Unknown,
    /// Dotted modules, relative ones with leading dots.
    Modules,
    /// Relative paths without endings, and packages by name.
    Files,
    /// Paths of modules in crates.
    Crates,
    /// Folders below the path of a module.
    Folders,
    /// Dotted packages with a file for each type.
    Packages,
    /// Paths with their ending, from the file or from somewhere.
    Includes,
    /// Paths without it, in the spelling of names.
    Paths,
    /// Names of targets, each a folder.
    Targets,
}

/// Where a name may be defined that nobody imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    File,
    Folder,
    Program,
}

#[derive(Debug)]
pub struct Language {
    pub id: &'static str,
    pub aliases: &'static [&'static str],
    pub extensions: &'static [&'static str],
    pub files: &'static [&'static str],
    pub shebangs: &'static [&'static str],
    pub class: Class,
    pub chunker: Chunker,
    pub grammar: &'static str,
    pub query: &'static str,
    /// Node kinds that are comments: those just above a definition are its documentation.
    pub comments: &'static [&'static str],
    /// Node kinds that belong to the definition below them (attributes, decorators, type signatures).
    pub attributes: &'static [&'static str],
    /// Node kinds that only wrap a definition (`export`, decorators, templates): the chunk is the whole of them.
    pub wrappers: &'static [&'static str],
    /// Text in a definition's head that marks it as test code.
    pub tests: &'static [&'static str],
    pub claims: &'static [Claim],
    /// Where facts stand in a syntax tree; empty where none are known.
    pub facts: &'static str,
    /// Who may see a definition that does not say.
    pub unmarked: Unmarked,
    pub imports: Imports,
    pub reach: Reach,
    /// Members of the own type are called by their plain name.
    pub plain_members: bool,
    /// Calls with definitions in them that the grammar does not see.
    pub inner: Option<Inner>,
}

/// Macro calls whose text is read again as items of the language.
#[derive(Debug)]
pub struct Inner {
    /// Kind of the call.
    pub call: &'static str,
    /// Kind of the bracketed tokens in it.
    pub body: &'static str,
    /// Kinds of nodes in which calls are looked for.
    pub through: &'static [&'static str],
    /// Tokens that start a definition.
    pub words: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// Position of a language in the table. It is written into index files as the language's name, not as this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LangId(pub u16);

impl LangId {
    pub fn get(self) -> &'static Language {
        &TABLE[self.0 as usize]
    }

    /// Finds a language by its id or one of its aliases, ignoring case.
    pub fn by_name(name: &str) -> Option<LangId> {
        let position = TABLE.iter().position(|language| {
            language.id.eq_ignore_ascii_case(name)
                || language.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
        });
        position.map(|at| LangId(at as u16))
    }

    /// The language of files nothing else recognises.
    pub fn text() -> LangId {
        static TEXT: OnceLock<LangId> = OnceLock::new();
        *TEXT.get_or_init(|| LangId::by_name("text").expect("languages/text exists"))
    }

    pub fn all() -> impl Iterator<Item = LangId> {
        (0..TABLE.len() as u16).map(LangId)
    }
}

/// A grammar with the compiled patterns of its language.
pub(crate) struct Syntax {
    pub language: tree_sitter::Language,
    pub definitions: Rules,
    pub facts: Option<Rules>,
}

/// Which facts are known of chunks in a language. Reads the pattern file only; nothing is compiled.
pub(crate) fn facts_of(lang: LangId) -> &'static BTreeSet<Fact> {
    static KNOWN: OnceLock<Vec<OnceLock<BTreeSet<Fact>>>> = OnceLock::new();
    let slots = KNOWN.get_or_init(|| TABLE.iter().map(|_| OnceLock::new()).collect());
    slots[lang.0 as usize].get_or_init(|| {
        let language = lang.get();
        let mut facts = facts_in(language.facts);
        if language.unmarked != Unmarked::Unknown {
            facts.insert(Fact::Visibility);
        }
        if !language.grammar.is_empty() {
            facts.insert(Fact::Lint);
        }
        if risk_book(lang).is_some() {
            facts.extend(Fact::RISKS);
        }
        facts
    })
}

/// Returns the compiled patterns of a language, compiling them on first use; `None` where the language has no grammar.
pub(crate) fn syntax(lang: LangId) -> Option<&'static Syntax> {
    static COMPILED: OnceLock<Vec<OnceLock<Option<Syntax>>>> = OnceLock::new();
    let slots = COMPILED.get_or_init(|| TABLE.iter().map(|_| OnceLock::new()).collect());
    slots[lang.0 as usize].get_or_init(|| compile(lang.get()).ok().flatten()).as_ref()
}

fn compile(language: &Language) -> Result<Option<Syntax>, String> {
    if language.grammar.is_empty() {
        return Ok(None);
    }
    let function =
        grammar::by_name(language.grammar).ok_or_else(|| format!("no grammar named {}", language.grammar))?;
    let grammar: tree_sitter::Language = function.into();
    let definitions = Rules::compile(&grammar, language.query)?;
    let facts = match language.facts {
        "" => None,
        source => Some(Rules::compile(&grammar, source)?),
    };
    Ok(Some(Syntax { language: grammar, definitions, facts }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tree_sitter::Query;

    #[test]
    fn every_query_compiles_against_its_grammar() {
        let broken: Vec<String> = TABLE
            .iter()
            .filter_map(|language| compile(language).err().map(|error| format!("{}: {error}", language.id)))
            .chain(TABLE.iter().filter_map(|language| {
                // Our own reading of the file knows less of the grammar than tree-sitter's.
                let grammar: tree_sitter::Language = grammar::by_name(language.grammar)?.into();
                let error = [language.query, language.facts]
                    .iter()
                    .find_map(|source| Query::new(&grammar, source).err());
                Some(format!("{}: {}", language.id, error?))
            }))
            .collect();
        assert!(broken.is_empty(), "{}", broken.join("\n"));
    }

    #[test]
    fn no_two_languages_own_the_same_extension_or_name() {
        let mut seen = std::collections::BTreeMap::new();
        for language in TABLE {
            for name in std::iter::once(&language.id).chain(language.aliases) {
                assert_eq!(seen.insert(format!("name {name}"), language.id), None, "{name} is taken twice");
            }
            for extension in language.extensions {
                assert_eq!(
                    seen.insert(format!(".{extension}"), language.id),
                    None,
                    ".{extension} is taken twice"
                );
            }
        }
    }

    #[test]
    fn at_least_twenty_five_languages_have_structural_chunks() {
        assert!(TABLE.iter().filter(|language| language.chunker == Chunker::Grammar).count() >= 25);
    }
}
