//! Where a package is used, from where that is reached, and which tests touch it.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use mainstay_contract::Call;
use mainstay_index::chunk::{Chunk, Kind};
use mainstay_index::{Hit, Index, Mode, Options, Query};
use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::record::{Location, Package};
use super::imports::{Import, Importing};
use super::{Evidence, MAX_FILE_BYTES, shown, text_of};
use crate::SearchError;

const MAX_HITS: usize = 1_000;
/// Files looked into: programs, and tests.
const MAX_FILES: usize = 60;
const MAX_TEST_FILES: usize = 20;
const MAX_SITES_PER_FILE: usize = 8;
const MAX_IMPORTS_PER_FILE: usize = 2;
/// Functions whose callers are looked for, and callers shown of each.
const MAX_FUNCTIONS: usize = 16;
const MAX_CALLERS: usize = 5;
/// Files looked into for callers.
const MAX_CALLER_FILES: usize = 100;
const MAX_TESTS: usize = 40;
/// Lines shown around the place a finding names.
const AROUND: u32 = 3;

/// Names so common that who calls them says nothing.
const COMMON: &[&str] = &[
    "main",
    "new",
    "run",
    "init",
    "get",
    "set",
    "call",
    "default",
    "constructor",
    "__init__",
    "setup",
    "test",
    "add",
    "open",
    "close",
    "read",
    "write",
    "from",
    "into",
    "clone",
    "fmt",
    "drop",
    "next",
    "len",
    "create",
    "update",
    "delete",
    "remove",
    "find",
    "handle",
    "index",
    "render",
    "use",
    "map",
    "filter",
    "parse",
    "build",
    "start",
    "stop",
    "apply",
    "send",
    "load",
    "save",
    "list",
    "execute",
    "process",
    "register",
    "validate",
    "reset",
];

/// A line that uses the package.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallSite {
    /// The file, relative to the repository.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// The definition it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Whether it names a function the advisory calls vulnerable.
    pub vulnerable: bool,
    /// Where that definition is called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reached_from: Vec<Caller>,
}

/// A line that calls something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Caller {
    /// The file, relative to the repository.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The definition it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

/// A test that touches the package.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Touch {
    /// The file, relative to the repository.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The test it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// What it touches: the package itself, or a function that uses it.
    pub touches: String,
}

/// The place a finding names.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// The file, relative to the repository.
    pub file: String,
    /// First line shown.
    pub start_line: u32,
    /// Last line shown.
    pub end_line: u32,
    /// The lines.
    pub text: String,
    /// The definition it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Where that definition is called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reached_from: Vec<Caller>,
}

/// A file with its definitions.
struct Source {
    text: String,
    chunks: Vec<Chunk>,
}

impl Source {
    /// The innermost definition that holds a line.
    fn symbol(&self, line: u32) -> Option<&Chunk> {
        let holds = |chunk: &&Chunk| {
            !chunk.name.is_empty()
                && chunk.kind.is_definition()
                && chunk.lines.0 <= line
                && line <= chunk.lines.1
        };
        self.chunks.iter().filter(holds).min_by_key(|chunk| chunk.lines.1 - chunk.lines.0)
    }

    fn is_test(&self, line: u32) -> bool {
        self.chunks.iter().any(|chunk| chunk.is_test && chunk.lines.0 <= line && line <= chunk.lines.1)
    }
}

/// Looks into the code of one repository.
pub struct Reach<'a> {
    call: &'a Call,
    repo: &'a Path,
    index: &'a Index,
    sources: HashMap<String, Option<Rc<Source>>>,
    pub queries: usize,
    pub warnings: Vec<String>,
}

impl<'a> Reach<'a> {
    pub fn new(call: &'a Call, repo: &'a Path, index: &'a Index) -> Reach<'a> {
        Reach { call, repo, index, sources: HashMap::new(), queries: 0, warnings: Vec::new() }
    }

    /// Finds imports and uses of a package.
    pub fn package(
        &mut self,
        package: &Package,
        functions: &[String],
        evidence: &mut Evidence,
    ) -> Result<(), SearchError> {
        let importing = Importing::new(package);
        let Some(pattern) = importing.pattern() else { return Ok(()) };
        let Ok(statement) = Regex::new(&format!("(?m){pattern}")) else { return Ok(()) };
        let hits = self.hits(&pattern, MAX_HITS)?;
        let mut files: Vec<(String, bool)> = Vec::new();
        for hit in &hits {
            if !files.iter().any(|(file, _)| *file == hit.path) {
                files.push((hit.path.clone(), hit.traits.contains(&"test")));
            }
        }
        self.vulnerable_first(functions, &mut files);
        let (tests, code): (Vec<_>, Vec<_>) = files.into_iter().partition(|(_, test)| *test);
        if code.len() > MAX_FILES {
            self.warnings.push(format!(
                "{} files use {}; the first {MAX_FILES} were read",
                code.len(),
                package.name
            ));
        }
        for (file, test) in code.into_iter().take(MAX_FILES).chain(tests.into_iter().take(MAX_TEST_FILES)) {
            self.call.cancel().check()?;
            self.file(&file, test, package, &statement, &importing, functions, evidence);
        }
        evidence.call_sites.sort_by_key(|site| !site.vulnerable);
        Ok(())
    }

    /// Brings the files to the front that name a function the advisory calls vulnerable.
    fn vulnerable_first(&self, functions: &[String], files: &mut [(String, bool)]) {
        let names = |text: &str| functions.iter().any(|name| has_word(text, name));
        if !functions.is_empty() {
            files.sort_by_cached_key(|(file, _)| {
                !text_of(self.repo, file, MAX_FILE_BYTES).is_some_and(|text| names(&text))
            });
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn file(
        &mut self,
        file: &str,
        test: bool,
        package: &Package,
        statement: &Regex,
        importing: &Importing,
        functions: &[String],
        evidence: &mut Evidence,
    ) {
        let Some(source) = self.source(file) else { return };
        let Some(usage) = usage(&importing.bound(&source.text)) else { return };
        let (mut imports, mut sites) = (0, 0);
        for (line, text) in (1u32..).zip(source.text.lines()) {
            if is_comment(text) {
                continue;
            }
            let in_test = test || source.is_test(line);
            if statement.is_match(text) && is_import(text) {
                imports += 1;
                if imports <= MAX_IMPORTS_PER_FILE {
                    evidence.imports.push(Import {
                        file: file.to_owned(),
                        line,
                        text: shown(text),
                        test: in_test,
                    });
                }
            } else if usage.is_match(text) {
                sites += 1;
                if sites > MAX_SITES_PER_FILE {
                    break;
                }
                let symbol = source.symbol(line).map(|chunk| chunk.name.clone());
                match in_test {
                    true => add_test(evidence, file, line, symbol, &package.name),
                    false => evidence.call_sites.push(CallSite {
                        file: file.to_owned(),
                        line,
                        text: shown(text),
                        symbol,
                        vulnerable: functions.iter().any(|name| has_word(text, name)),
                        reached_from: Vec::new(),
                    }),
                }
            }
        }
    }

    /// The place a finding names, with its surroundings.
    pub fn place(&mut self, location: &Location) -> Result<Place, String> {
        let file = Path::new(&location.file);
        let relative = file.strip_prefix(self.repo).unwrap_or(file);
        let plain = relative.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let name = relative.to_string_lossy().into_owned();
        let missing =
            || format!("the file of the finding is not in the repository: {}", shown(&location.file));
        let source = plain.then(|| self.source(&name)).flatten().ok_or_else(missing)?;
        let total = u32::try_from(source.text.lines().count()).unwrap_or(u32::MAX).max(1);
        let start = location.start_line.unwrap_or(1).min(total);
        let end = location.end_line.unwrap_or(start).clamp(start, start.saturating_add(20)).min(total);
        let (from, to) = (start.saturating_sub(AROUND).max(1), end.saturating_add(AROUND).min(total));
        let lines: Vec<String> = source
            .text
            .lines()
            .skip(from as usize - 1)
            .take((to - from) as usize + 1)
            .map(|line| super::super::record::cut(line, 200))
            .collect();
        Ok(Place {
            file: name,
            start_line: from,
            end_line: to,
            text: lines.join("\n"),
            symbol: source.symbol(start).map(|chunk| chunk.name.clone()),
            reached_from: Vec::new(),
        })
    }

    /// Finds who calls the definitions the evidence lies in.
    pub fn callers(&mut self, evidence: &mut Evidence) -> Result<(), SearchError> {
        let mut names: Vec<String> = Vec::new();
        let place = evidence.place.iter().filter_map(|place| place.symbol.clone());
        for name in place.chain(evidence.call_sites.iter().filter_map(|site| site.symbol.clone())) {
            let word = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$');
            if word && name.len() > 2 && !COMMON.contains(&name.as_str()) && !names.contains(&name) {
                names.push(name);
            }
        }
        names.truncate(MAX_FUNCTIONS);
        if names.is_empty() {
            return Ok(());
        }
        let pattern = format!(
            r"\b({})\s*\(",
            names.iter().map(|name| regex::escape(name)).collect::<Vec<_>>().join("|")
        );
        let Ok(called) = Regex::new(&pattern) else { return Ok(()) };
        let mut seen = Vec::new();
        for hit in self.hits(&pattern, MAX_HITS)? {
            // Documents and data mention names, they do not call them.
            let calls = !matches!(hit.kind, Kind::Entry | Kind::Section);
            if !calls || seen.contains(&hit.path) || seen.len() >= MAX_CALLER_FILES {
                continue;
            }
            seen.push(hit.path.clone());
            self.call.cancel().check()?;
            let test = hit.traits.contains(&"test");
            let Some(source) = self.source(&hit.path) else { continue };
            for (line, text) in (1u32..).zip(source.text.lines()) {
                let Some(name) = called.captures(text).map(|found| found[1].to_owned()) else { continue };
                let inside = source.symbol(line);
                // The line that defines it, and calls of itself, reach nothing new.
                if is_comment(text) || inside.is_some_and(|chunk| chunk.name == name) {
                    continue;
                }
                let symbol = inside.map(|chunk| chunk.name.clone());
                if test || source.is_test(line) {
                    add_test(evidence, &hit.path, line, symbol, &name);
                    continue;
                }
                let caller = Caller { file: hit.path.clone(), line, symbol };
                let sites = evidence.call_sites.iter_mut().map(|site| (&site.symbol, &mut site.reached_from));
                let place = evidence.place.iter_mut().map(|place| (&place.symbol, &mut place.reached_from));
                // One site is enough to say what reaches a definition.
                let reached = sites.chain(place).find(|(symbol, _)| symbol.as_ref() == Some(&name));
                if let Some((_, callers)) = reached.filter(|(_, callers)| callers.len() < MAX_CALLERS) {
                    callers.push(caller);
                }
            }
        }
        Ok(())
    }

    fn hits(&mut self, pattern: &str, limit: usize) -> Result<Vec<Hit>, SearchError> {
        self.queries += 1;
        let query = Query::parse(&format!("/{pattern}/"))?;
        let mut options = Options { limit, mode: Mode::Code, context: 0, ..Options::default() };
        options.filters.case_tokens = true;
        Ok(self.index.search(&query, &options)?.hits)
    }

    fn source(&mut self, file: &str) -> Option<Rc<Source>> {
        if let Some(known) = self.sources.get(file) {
            return known.clone();
        }
        let source = text_of(self.repo, file, MAX_FILE_BYTES).map(|text| {
            let chunks = mainstay_index::outline(file, &text);
            Rc::new(Source { text, chunks })
        });
        self.sources.insert(file.to_owned(), source.clone());
        source
    }
}

fn add_test(evidence: &mut Evidence, file: &str, line: u32, symbol: Option<String>, touches: &str) {
    let known = |touch: &Touch| touch.file == file && touch.symbol == symbol && touch.touches == touches;
    if evidence.tests.len() < MAX_TESTS && !evidence.tests.iter().any(known) {
        evidence.tests.push(Touch { file: file.to_owned(), line, symbol, touches: touches.to_owned() });
    }
}

/// An expression that holds where one of the names is used, not merely written.
fn usage(names: &[String]) -> Option<Regex> {
    if names.is_empty() {
        return None;
    }
    let names: Vec<String> = names.iter().map(|name| regex::escape(name)).collect();
    Regex::new(&format!(r"(?:^|[^\w$.])(?:{})\s*(?:\(|\.\w|::|!\s*[(\[{{]|\[)", names.join("|"))).ok()
}

fn is_import(text: &str) -> bool {
    ["use ", "extern ", "import", "from ", "require", "include", "using ", "\""]
        .iter()
        .any(|word| text.contains(word))
}

fn is_comment(text: &str) -> bool {
    let text = text.trim_start();
    ["//", "# ", "/*", "* ", "--", "<!--"].iter().any(|mark| text.starts_with(mark)) || text == "#"
}

fn has_word(text: &str, word: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(part)
            && !text[at + word.len()..].chars().next().is_some_and(part)
    })
}
