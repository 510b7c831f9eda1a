//! What discovery searches: one lowered text per tool, made once per set of tools.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mainstay_contract::{Call, ToolDef};
use memchr::memmem::Finder;

/// A tool, prepared for searching.
pub struct Entry {
    pub def: Arc<ToolDef>,
    /// The program's or the toolset's name.
    pub cli: String,
    name: String,
    cli_lower: String,
    category_lower: Option<String>,
    /// Name, description, program, category and tags, joined by blanks; begins with the name.
    text: String,
}

impl Entry {
    fn new(def: Arc<ToolDef>) -> Entry {
        let cli = def.group.clone().unwrap_or_else(|| def.toolset.name().to_owned());
        let mut parts = vec![def.id.as_str(), def.summary.as_str(), cli.as_str()];
        parts.extend(category(&def));
        parts.extend(def.tags.iter().map(String::as_str));
        Entry {
            name: def.id.to_lowercase(),
            cli_lower: cli.to_lowercase(),
            category_lower: category(&def).map(str::to_lowercase),
            text: parts.join(" ").to_lowercase(),
            cli,
            def,
        }
    }
}

/// Programs have the category their configuration gives them; the tools of a toolset have the toolset's name.
pub fn category(def: &ToolDef) -> Option<&str> {
    match (&def.category, &def.group) {
        (Some(category), _) => Some(category),
        (None, Some(_)) => None,
        (None, None) => Some(def.toolset.name()),
    }
}

/// What a caller is looking for; filters are joined with "and".
#[derive(Debug, Default)]
pub struct Filter {
    pub query: Option<String>,
    pub category: Option<String>,
    pub cli: Option<String>,
}

impl Filter {
    pub fn is_empty(&self) -> bool {
        self.query.is_none() && self.category.is_none() && self.cli.is_none()
    }
}

/// How well a query fits; smaller is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    ExactName,
    NamePrefix,
    WordStart,
    Inside,
    /// Every word occurs, not in this order.
    Words,
}

/// One set of tools, searchable.
pub struct Index {
    pub entries: Vec<Entry>,
    names: HashMap<String, usize>,
}

impl Index {
    fn new(defs: Vec<Arc<ToolDef>>) -> Index {
        let mut names = HashMap::with_capacity(defs.len());
        for (position, def) in defs.iter().enumerate() {
            let aliases = def.aliases.iter().map(|alias| alias.name.clone());
            for name in [def.id.clone(), def.wire_name()].into_iter().chain(aliases) {
                names.entry(name).or_insert(position);
            }
        }
        Index { entries: defs.into_iter().map(Entry::new).collect(), names }
    }

    fn is_of(&self, defs: &[Arc<ToolDef>]) -> bool {
        self.entries.len() == defs.len()
            && self.entries.iter().zip(defs).all(|(entry, def)| Arc::ptr_eq(&entry.def, def))
    }

    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.names.get(name).map(|position| &self.entries[*position])
    }

    /// Returns at most `limit` entries: best fit first, load order among equals.
    pub fn search(&self, filter: &Filter, limit: usize) -> Vec<&Entry> {
        let query = filter.query.as_deref().map(Query::new);
        let category = filter.category.as_deref().map(str::to_lowercase);
        let cli = filter.cli.as_deref().map(str::to_lowercase);
        let fits = |entry: &&Entry| {
            category.as_ref().is_none_or(|wanted| entry.category_lower.as_ref() == Some(wanted))
                && cli.as_ref().is_none_or(|wanted| entry.cli_lower == *wanted)
        };
        let mut hits: Vec<(Rank, &Entry)> = self
            .entries
            .iter()
            .filter(fits)
            .filter_map(|entry| {
                let rank = query.as_ref().map_or(Some(Rank::WordStart), |query| query.rank(entry))?;
                Some((rank, entry))
            })
            .collect();
        hits.sort_by_key(|(rank, _)| *rank);
        hits.truncate(limit);
        hits.into_iter().map(|(_, entry)| entry).collect()
    }

    /// Returns the names most like `name`.
    pub fn near(&self, name: &str, most: usize) -> Vec<&str> {
        // Likeness of very long names costs more than it is worth.
        let name: String = name.chars().take(64).collect();
        let mut scored: Vec<(f64, &str)> = self
            .entries
            .iter()
            .map(|entry| (strsim::jaro_winkler(&name, &entry.def.id), entry.def.id.as_str()))
            .filter(|(likeness, _)| *likeness > 0.7)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        scored.truncate(most);
        scored.into_iter().map(|(_, name)| name).collect()
    }
}

struct Query {
    text: String,
    finder: Finder<'static>,
    /// Empty for a query of one word.
    words: Vec<Finder<'static>>,
}

impl Query {
    fn new(query: &str) -> Query {
        let text = query.to_lowercase();
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = match words.len() {
            0 | 1 => Vec::new(),
            _ => words.iter().map(|word| Finder::new(word.as_bytes()).into_owned()).collect(),
        };
        Query { finder: Finder::new(text.as_bytes()).into_owned(), words, text }
    }

    fn rank(&self, entry: &Entry) -> Option<Rank> {
        if self.text.is_empty() {
            return Some(Rank::WordStart);
        }
        if let Some(rest) = entry.name.strip_prefix(&self.text) {
            return Some(if rest.is_empty() { Rank::ExactName } else { Rank::NamePrefix });
        }
        let bytes = entry.text.as_bytes();
        let mut is_inside = false;
        for at in self.finder.find_iter(bytes) {
            let before = entry.text[..at].chars().next_back();
            if before.is_none_or(|c| !c.is_alphanumeric()) {
                return Some(Rank::WordStart);
            }
            is_inside = true;
        }
        if is_inside {
            return Some(Rank::Inside);
        }
        let all = !self.words.is_empty() && self.words.iter().all(|word| word.find(bytes).is_some());
        all.then_some(Rank::Words)
    }
}

/// The index of the tools a server has at the moment.
#[derive(Default)]
pub struct Cache(Mutex<Option<Arc<Index>>>);

impl Cache {
    /// Returns the index, made anew when the set of tools has changed.
    pub fn index(&self, call: &Call) -> Arc<Index> {
        let defs = call.host().tools(call.caller());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = kept.as_ref()
            && index.is_of(&defs)
        {
            return Arc::clone(index);
        }
        let index = Arc::new(Index::new(defs));
        *kept = Some(Arc::clone(&index));
        index
    }
}
