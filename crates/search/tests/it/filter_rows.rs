//! What every filter on facts keeps and drops, as data; the tests of the program use it too.
//!
//! The texts are the fixtures of the language folders: `target` has every fact, `decoy` only mentions the same words in
//! comments, strings and functions without a name.

use std::path::Path;

use serde_json::{Value, json};

#[path = "../../../index/tests/it/fixtures.rs"]
mod fixtures;

pub use fixtures::LANGUAGES as ALL;

pub fn except(languages: &[&str]) -> Vec<&'static str> {
    ALL.iter().copied().filter(|language| !languages.contains(language)).collect()
}

/// The fixture of a language in the folder of all languages: its name and its text.
pub fn fixture(languages: &Path, language: &str) -> (String, Vec<u8>) {
    let path = fixtures::fixture(languages, language);
    (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap())
}

/// What a filter must keep and drop, in which languages.
pub struct Row {
    pub args: Value,
    pub languages: Vec<&'static str>,
    pub keeps: &'static str,
    pub drops: &'static str,
}

pub fn row(args: Value, languages: Vec<&'static str>, (keeps, drops): (&'static str, &'static str)) -> Row {
    Row { args, languages, keeps, drops }
}

const SPLIT: (&str, &str) = ("target", "decoy");

/// One row or more for every filter on facts.
pub fn rows() -> Vec<Row> {
    let typed = except(&["bash", "elixir", "javascript", "lua", "ruby"]);
    let awaiting = vec!["csharp", "javascript", "kotlin", "python", "rust", "swift", "typescript"];
    let mut rows = vec![
        row(json!({"param": "amount"}), except(&["bash"]), SPLIT),
        row(json!({"calls": "settle"}), ALL.to_vec(), SPLIT),
        row(json!({"uses": "settle"}), ALL.to_vec(), SPLIT),
        row(json!({"reads": "BALANCE"}), except(&["elixir"]), SPLIT),
        row(json!({"writes": "total"}), ALL.to_vec(), SPLIT),
        row(json!({"writes": "copy"}), ALL.to_vec(), SPLIT),
        row(json!({"mutates": "state"}), except(&["elixir"]), SPLIT),
        row(json!({"alias": "copy=amount"}), ALL.to_vec(), SPLIT),
        row(json!({"decorator": "audited"}), except(&["bash", "cpp", "elixir", "go", "lua", "ruby"]), SPLIT),
        row(json!({"returnType": "receipt"}), typed, SPLIT),
        row(json!({"inferredType": "Ledger"}), except(&["bash", "c", "elixir"]), SPLIT),
        row(json!({"throws": "LedgerError"}), except(&["bash", "c", "go", "lua"]), SPLIT),
        row(json!({"throws": "panic"}), vec!["go"], SPLIT),
        row(json!({"throws": "error"}), vec!["lua"], SPLIT),
        row(json!({"awaits": "settle"}), awaiting.clone(), SPLIT),
        row(json!({"awaits": "later"}), vec!["cpp"], ("numbers", "target")),
        row(json!({"awaits": "Task.await"}), vec!["elixir"], SPLIT),
        row(json!({"async": true}), awaiting.clone(), SPLIT),
        row(json!({"async": true}), vec!["cpp"], ("numbers", "target")),
        row(json!({"async": false}), awaiting, ("decoy", "target")),
        row(json!({"async": false}), vec!["cpp"], ("decoy", "numbers")),
        row(json!({"returns": true}), except(&["elixir"]), SPLIT),
        row(json!({"returns": false}), except(&["elixir"]), ("decoy", "target")),
        row(json!({"visibility": "private"}), except(&["bash", "go", "javascript", "python", "rust"]), SPLIT),
        row(json!({"visibility": "internal"}), vec!["rust"], SPLIT),
        row(
            json!({"visibility": "public"}),
            except(&["bash", "go", "javascript", "python", "rust", "swift"]),
            ("decoy", "target"),
        ),
        row(json!({"branchesMin": 3}), ALL.to_vec(), SPLIT),
        row(json!({"loopsMin": 2}), except(&["elixir"]), SPLIT),
        row(json!({"breaksMin": 1}), except(&["elixir", "scala"]), SPLIT),
        row(json!({"continuesMin": 1}), except(&["elixir", "lua", "scala"]), SPLIT),
        row(
            json!({"generator": true}),
            vec!["cpp", "csharp", "javascript", "kotlin", "lua", "php", "python", "typescript"],
            ("numbers", "target"),
        ),
        row(
            json!({"generator": false}),
            vec!["cpp", "csharp", "javascript", "kotlin", "lua", "php", "python", "typescript"],
            ("target", "numbers"),
        ),
        row(json!({"extends": "base"}), except(&["bash", "c", "elixir", "lua"]), ("Book", "target")),
    ];
    rows.extend(imports());
    rows.extend(signatures());
    rows
}

/// Imports are a fact of the whole file.
pub fn imports() -> Vec<Row> {
    let import =
        |import: &str, language| row(json!({ "import": import }), vec![language], ("target", "nothing"));
    vec![
        import("ledger.client", "python"),
        import("./ledger/client.js", "javascript"),
        import("./ledger/client", "typescript"),
        import("std::collections::HashMap", "rust"),
        import("example.com/ledger/client", "go"),
        import("java.util.List", "java"),
        import("ledger/client.h", "c"),
        import("ledger/client.hpp", "cpp"),
        import("System.Collections.Generic", "csharp"),
        import("ledger/client", "ruby"),
        import("Ledger\\Client", "php"),
        import("Foundation", "swift"),
        import("./ledger/client.sh", "bash"),
        import("Ledger.Client", "elixir"),
    ]
}

/// Signatures match in their case, whatever the blanks.
pub fn signatures() -> Vec<Row> {
    let signature = |text: &str, language| row(json!({ "signature": text }), vec![language], SPLIT);
    vec![
        signature("def target(self, amount: int", "python"),
        signature("async target(amount, ...rest)", "javascript"),
        signature("target(amount: number", "typescript"),
        signature("async  fn target(&mut self", "rust"),
        signature("target(amount int, rest ...Row)", "go"),
        signature("private Receipt target(int amount", "java"),
        signature("receipt target(int amount", "c"),
        signature("target(int amount, std::vector<Row>&", "cpp"),
        signature("Task<Receipt> target(", "csharp"),
        signature("def target(amount, *rest", "ruby"),
        signature("target(int $amount", "php"),
        signature("suspend fun target(", "kotlin"),
    ]
}
