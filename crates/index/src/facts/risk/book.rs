//! All rules that hold: those of the program, and those of its user.

use super::{Book, CATEGORIES, Category, RULES, Rule};
use crate::facts::Fact;
use crate::hash::FastMap;
use crate::lang::LangId;
use std::sync::{Mutex, OnceLock, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// A file of rules larger than this is a mistake.
const MAX_BYTES: usize = 256 << 10;
/// Rules stay until the process ends; whoever changes them more often starts it again.
const MAX_BOOKS: usize = 256;

/// Rules about risks. Cheap to copy: they are kept until the process ends.
#[derive(Clone, Copy)]
pub struct RiskRules(&'static Rules);

struct Rules {
    mark: u64,
    all: FastMap<&'static str, Book>,
    /// Those of the user alone.
    own: FastMap<&'static str, Book>,
}

impl Default for RiskRules {
    fn default() -> RiskRules {
        static BUILT_IN: OnceLock<Rules> = OnceLock::new();
        RiskRules(BUILT_IN.get_or_init(|| Rules { mark: 0, all: books(RULES), own: FastMap::default() }))
    }
}

impl std::fmt::Debug for RiskRules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RiskRules({:016x})", self.0.mark)
    }
}

impl PartialEq for RiskRules {
    fn eq(&self, other: &RiskRules) -> bool {
        self.mark() == other.mark()
    }
}

impl RiskRules {
    /// Adds the rules in a text of the shape of `risk/rules.toml` to those of the program.
    pub fn with(text: &str) -> Result<RiskRules, String> {
        static KNOWN: OnceLock<Mutex<FastMap<u64, &'static Rules>>> = OnceLock::new();
        if text.len() > MAX_BYTES {
            return Err(format!("it is larger than {MAX_BYTES} bytes"));
        }
        let mark = xxh3_64(text.as_bytes()).max(1);
        let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = known.get(&mark) {
            return Ok(RiskRules(rules));
        }
        let own = super::read::read(text)?;
        if known.len() >= MAX_BOOKS {
            return Err(format!("this process has read {MAX_BOOKS} other versions of it; start it again"));
        }
        let own: &'static [Rule] = Vec::leak(own);
        let mut all = books(RULES);
        let mine = books(own);
        for (language, book) in books(own) {
            all.entry(language).or_default().extend(book);
        }
        let rules: &'static Rules = Box::leak(Box::new(Rules { mark, all, own: mine }));
        known.insert(mark, rules);
        Ok(RiskRules(rules))
    }

    /// Differs where the rules do; 0 for those of the program.
    pub fn mark(self) -> u64 {
        self.0.mark
    }

    pub(crate) fn book(self, lang: LangId) -> Option<&'static Book> {
        self.0.all.get(lang.get().id)
    }

    pub(crate) fn own(self, lang: LangId) -> Option<&'static Book> {
        self.0.own.get(lang.get().id)
    }

    /// Whether a rule of any language may be about a value of a fact.
    pub(crate) fn names(self, fact: Fact, value: &str) -> bool {
        self.0.all.values().any(|book| book.has_any(fact, value))
    }

    /// Whether a user added any.
    pub(crate) fn has_own(self) -> bool {
        !self.0.own.is_empty()
    }
}

/// The rules of the program for a language; `None` where there are none.
pub(crate) fn book(lang: LangId) -> Option<&'static Book> {
    RiskRules::default().book(lang)
}

fn books(rules: &'static [Rule]) -> FastMap<&'static str, Book> {
    let mut books: FastMap<&'static str, Book> = FastMap::default();
    for rule in rules {
        for language in rule.languages {
            books.entry(*language).or_default().add(rule);
        }
    }
    books
}

pub(super) fn category(name: &str) -> Option<&'static Category> {
    CATEGORIES.iter().find(|category| category.name == name)
}

#[cfg(test)]
mod tests {
    use super::super::Role;
    use super::*;

    #[test]
    fn every_rule_is_of_a_known_language_and_a_sink_has_a_category() {
        for rule in RULES {
            assert!(rule.languages.iter().all(|name| LangId::by_name(name).is_some()), "{}", rule.name);
            assert_eq!(rule.role == Role::Sink, rule.category.is_some(), "{}", rule.name);
            assert!(rule.role != Role::Source || !rule.tags.is_empty(), "{}", rule.name);
        }
    }

    #[test]
    fn mistakes_in_rules_are_named() {
        let sink = "[[sink]]\nname = \"run\"\nlanguages = [\"python\"]\ncalls = [\"run_it\"]\n";
        for (text, expected) in [
            ("[[sink", "line 1"),
            ("[[snk]]\nname = \"x\"\n", "snk"),
            (sink, "sink \"run\" names no category"),
            (&format!("{sink}category = \"nonsense\"\n"), "no category is named \"nonsense\""),
            (&sink.replace("python", "cobra"), "no language is named \"cobra\""),
            (&sink.replace("calls", "cals"), "cals"),
            (
                "[[source]]\nname = \"x\"\nlanguages = [\"python\"]\ntags = [\"t\"]\n",
                "source \"x\" names nothing",
            ),
            ("[[category]]\nname = \"xss\"\nseverity = \"high\"\n", "category \"xss\" exists"),
            ("[[category]]\nname = \"mine\"\nseverity = \"awful\"\n", "severity"),
        ] {
            let error = RiskRules::with(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn rules_of_a_user_join_those_of_the_program() {
        let text = "[[category]]\nname = \"mine\"\nids = [\"CWE-1\"]\nseverity = \"low\"\nalone = true\n\n\
                    [[sink]]\nname = \"launch\"\nlanguages = [\"python\"]\ncalls = [\"launch\"]\ncategory = \"mine\"\n";
        let rules = RiskRules::with(text).unwrap();
        let python = LangId::by_name("python").unwrap();
        let book = rules.book(python).unwrap();
        assert!(book.knows_call("launch") && book.knows_call("os.system"));
        assert!(!RiskRules::default().book(python).unwrap().knows_call("launch"));
        assert_eq!(rules, RiskRules::with(text).unwrap());
        assert_ne!(rules, RiskRules::default());
    }
}
