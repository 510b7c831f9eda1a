//! A configuration being drafted, whatever it was drafted from.

use crate::config::Scalar;

/// A program as its own words describe it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    pub name: String,
    pub description: String,
    pub command: String,
    pub tools: Vec<DraftTool>,
    /// What the reader should look at before using it.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct DraftTool {
    /// The words after the program: `remote add`.
    pub words: Vec<String>,
    pub description: String,
    pub args: Vec<DraftArg>,
    pub end_of_options: bool,
    /// What the source says; guessed from the words otherwise.
    pub effect: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DraftArg {
    pub name: String,
    pub description: String,
    pub kind: Scalar,
    pub is_many: bool,
    /// Nothing for a positional.
    pub flag: Option<String>,
    pub is_required: bool,
    pub choices: Vec<String>,
}

impl DraftArg {
    pub fn positional(name: &str) -> DraftArg {
        DraftArg {
            name: identifier(name),
            description: String::new(),
            kind: Scalar::String,
            is_many: false,
            flag: None,
            is_required: false,
            choices: Vec::new(),
        }
    }

    /// A flag without a value; `flag` is written as the program takes it.
    pub fn switch(flag: &str) -> DraftArg {
        let name = flag.trim_start_matches('-').trim_end_matches('=');
        DraftArg { kind: Scalar::Boolean, flag: Some(flag.to_owned()), ..DraftArg::positional(name) }
    }

    pub fn described(mut self, description: &str) -> DraftArg {
        self.description = one_line(description);
        self
    }

    /// Makes the flag one that takes a value, and guesses what kind from the name of the value.
    pub fn taking(mut self, value: &str) -> DraftArg {
        let bare: String = value.trim_matches(['<', '>', '[', ']', '.', '\'']).to_owned();
        let words = [
            "num", "n", "number", "count", "int", "integer", "lines", "level", "depth", "port", "jobs",
            "uint",
        ];
        let lower = bare.to_lowercase();
        self.kind = match lower.as_str() {
            "float" | "float32" | "float64" | "double" => Scalar::Number,
            word if words.contains(&word) || word.starts_with("int") && word.len() <= 5 => Scalar::Integer,
            _ => Scalar::String,
        };
        self.is_many |= matches!(lower.as_str(), "strings" | "stringarray" | "list" | "ints");
        let alternatives: Vec<&str> =
            bare.trim_matches(['{', '}']).split(['|', ',']).map(str::trim).collect();
        let is_word = |word: &&str| {
            !word.is_empty()
                && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c))
        };
        let is_list = bare.starts_with('{') || bare.contains('|');
        if is_list && alternatives.len() > 1 && alternatives.iter().all(is_word) {
            self.choices = alternatives.into_iter().map(str::to_owned).collect();
        }
        self
    }

    /// Reads what help texts say in passing: choices and repetition.
    pub fn with_remarks(mut self) -> DraftArg {
        let text = self.description.clone();
        let lower = text.to_lowercase();
        if self.kind != Scalar::Boolean || self.flag.is_none() {
            let repeats = [
                "multiple times",
                "may be repeated",
                "can be repeated",
                "more than once",
                "can be specified multiple",
            ];
            self.is_many |= repeats.iter().any(|words| lower.contains(words));
            if let Some((_, rest)) = text.split_once("[possible values: ")
                && let Some((list, _)) = rest.split_once(']')
            {
                self.choices = list.split(',').map(|word| word.trim().to_owned()).collect();
            }
        }
        self
    }
}

/// Turns any name into one that can be an argument: `--dry-run` and `<dry run>` are both `dry_run`.
pub fn identifier(name: &str) -> String {
    let mut text = String::new();
    for c in name.trim_matches(|c: char| !c.is_ascii_alphanumeric()).chars() {
        match c.is_ascii_alphanumeric() {
            true => text.push(c),
            false if text.ends_with('_') => {}
            false => text.push('_'),
        }
    }
    // A name in capitals is a placeholder; a single letter keeps its case, because flags differ by it.
    if text.len() > 1 { text.to_lowercase() } else { text }
}

/// Joins lines and cuts a description to what a caller needs.
pub fn one_line(text: &str) -> String {
    const MOST: usize = 200;
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match joined.char_indices().nth(MOST) {
        None => joined,
        Some((end, _)) => match joined[..end].rfind(". ") {
            Some(stop) => joined[..=stop].to_owned(),
            None => format!("{}…", &joined[..end]),
        },
    }
}

const READS: &[&str] = &[
    "list",
    "ls",
    "show",
    "status",
    "log",
    "diff",
    "get",
    "describe",
    "info",
    "search",
    "view",
    "cat",
    "grep",
    "version",
    "check",
    "tree",
    "inspect",
    "outdated",
    "blame",
    "explain",
    "logs",
    "events",
    "top",
    "whoami",
    "ping",
    "freeze",
    "audit",
    "metadata",
    "history",
    "ps",
    "images",
    "stats",
    "find",
    "query",
    "root",
    "prefix",
    "docs",
    "doctor",
    "fund",
    "explore",
    "cluster-info",
    "api-resources",
    "api-versions",
    "hash",
    "debug",
];

const DESTROYS: &[&str] = &[
    "rm",
    "remove",
    "delete",
    "clean",
    "reset",
    "uninstall",
    "purge",
    "prune",
    "drop",
    "kill",
    "destroy",
    "restore",
    "unpublish",
    "yank",
    "rmi",
    "drain",
    "deprecate",
];

/// Guesses what a command can change from its name; what is not known to read is taken to write.
pub fn guess_effect(words: &[String]) -> &'static str {
    let last = words.last().map(String::as_str).unwrap_or_default();
    if READS.contains(&last) {
        "read"
    } else if DESTROYS.contains(&last) {
        "destructive"
    } else {
        "write"
    }
}
