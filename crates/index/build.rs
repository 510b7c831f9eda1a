//! Turns `languages/*/language.toml` and `chunks.scm` into one static table, so that starting up parses nothing.
//!
//! Adding a language is adding a folder; a new grammar also needs its line in `src/lang/grammar.rs`.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::{env, fs};

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets the manifest directory"))
        .join("languages");
    emit(&format!("cargo::rerun-if-changed={}", root.display()));
    let mut folders: Vec<_> = fs::read_dir(&root)
        .expect("the languages folder is part of this crate")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.join("language.toml").is_file())
        .collect();
    folders.sort();

    let mut fingerprint = DefaultHasher::new();
    let mut out = String::from("pub(super) static TABLE: &[Language] = &[\n");
    for folder in &folders {
        emit(&format!("cargo::rerun-if-changed={}", folder.display()));
        let file = folder.join("language.toml");
        emit(&format!("cargo::rerun-if-changed={}", file.display()));
        let text = fs::read_to_string(&file).expect("language.toml is readable");
        let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let id = folder.file_name().and_then(|name| name.to_str()).expect("folder names are plain");
        let known = [
            "aliases",
            "extensions",
            "files",
            "shebangs",
            "class",
            "chunker",
            "grammar",
            "comments",
            "attributes",
            "wrappers",
            "tests",
            "claims",
            "inherits",
            "visibility",
            "imports",
            "reach",
            "plain_members",
            "inner",
        ];
        for key in table.keys() {
            assert!(known.contains(&key.as_str()), "{}: unknown key {key}", file.display());
        }
        let list = |key: &str| format!("&{:?}", strings(&table, key));
        let word =
            |key: &str, or: &str| table.get(key).and_then(|value| value.as_str()).unwrap_or(or).to_owned();
        let grammar = table.get("grammar").and_then(|value| value.as_str());
        let scm = folder.join("chunks.scm");
        assert_eq!(grammar.is_some(), scm.is_file(), "{id}: a grammar and a chunks.scm come together");
        let query = if scm.is_file() {
            format!("include_str!({:?})", scm.display().to_string())
        } else {
            "\"\"".to_owned()
        };
        if scm.is_file() {
            fs::read(&scm).expect("chunks.scm is readable").hash(&mut fingerprint);
            emit(&format!("cargo::rerun-if-changed={}", scm.display()));
        }
        let facts = facts(&root, id, &table, &mut fingerprint);
        word("visibility", "").hash(&mut fingerprint);
        let unmarked = match word("visibility", "").as_str() {
            "" => "Unmarked::Unknown".to_owned(),
            "by-case" => "Unmarked::ByCase".to_owned(),
            "by-underscore" => "Unmarked::ByUnderscore".to_owned(),
            word => format!("Unmarked::Is({word:?})"),
        };
        let plain_members = table.get("plain_members").and_then(|value| value.as_bool()).unwrap_or_default();
        writeln!(
            out,
            "Language {{ id: {id:?}, aliases: {}, extensions: {}, files: {}, shebangs: {}, class: Class::{}, chunker: Chunker::{}, \
             grammar: {:?}, query: {query}, comments: {}, attributes: {}, wrappers: {}, tests: {}, claims: &{}, facts: {facts}, \
             unmarked: {unmarked}, imports: Imports::{}, reach: Reach::{}, plain_members: {plain_members}, inner: {} }},",
            list("aliases"), list("extensions"), list("files"), list("shebangs"),
            camel(&word("class", "code")), camel(&word("chunker", "layout")), grammar.unwrap_or(""),
            list("comments"), list("attributes"), list("wrappers"), list("tests"), claims(&table),
            camel(&word("imports", "unknown")), camel(&word("reach", "file")), inner(&table, &mut fingerprint),
        )
        .expect("writing to a string succeeds");
    }
    out.push_str("];\n");
    risk(&root.with_file_name("risk").join("rules.toml"), &mut fingerprint);
    writeln!(
        out,
        "/// Changes whenever a language folder does.\npub(crate) const FINGERPRINT: u64 = {};",
        fingerprint.finish()
    )
    .expect("writing to a string succeeds");
    let target =
        Path::new(&env::var("OUT_DIR").expect("cargo sets the output directory")).join("languages.rs");
    fs::write(target, out).expect("the output directory is writable");
}

fn strings(table: &toml::Table, key: &str) -> Vec<String> {
    let list = table.get(key).and_then(|value| value.as_array());
    list.into_iter().flatten().filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

/// The rules about risks, as static tables.
fn risk(file: &Path, fingerprint: &mut DefaultHasher) {
    emit(&format!("cargo::rerun-if-changed={}", file.display()));
    let text = fs::read_to_string(file).expect("the rules are part of this crate");
    text.hash(fingerprint);
    let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let entries = |kind: &str| {
        let list = table.get(kind).and_then(|value| value.as_array()).cloned().unwrap_or_default();
        list.into_iter().filter_map(|entry| entry.as_table().cloned()).collect::<Vec<_>>()
    };
    let word = |entry: &toml::Table, key: &str| {
        entry.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
    };
    let categories = entries("category");
    let number = |name: &str| {
        let known = categories.iter().position(|category| word(category, "name") == name);
        known.unwrap_or_else(|| panic!("no category is named {name:?}"))
    };
    let mut out = String::from("pub(super) static CATEGORIES: &[Category] = &[\n");
    for category in &categories {
        let (tags, ids) = (strings(category, "tags"), strings(category, "ids"));
        let (name, severity) = (word(category, "name"), word(category, "severity"));
        let alone = category.get("alone").and_then(|value| value.as_bool()).unwrap_or_default();
        writeln!(
            out,
            "Category {{ name: {name:?}, tags: &{tags:?}, ids: &{ids:?}, severity: {severity:?}, alone: {alone} }},"
        )
        .expect("writing to a string succeeds");
    }
    out.push_str("];\npub(super) static RULES: &[Rule] = &[\n");
    for (kind, role) in [("source", "Source"), ("sink", "Sink"), ("sanitizer", "Sanitizer")] {
        for entry in entries(kind) {
            let mut named = strings(&entry, "categories");
            named.extend(Some(word(&entry, "category")).filter(|name| !name.is_empty()));
            let category = match entry.get("category").and_then(|value| value.as_str()) {
                Some(name) if role == "Sink" => format!("Some(&CATEGORIES[{}])", number(name)),
                _ => "None".to_owned(),
            };
            named.iter().for_each(|name| {
                number(name);
            });
            let list = |key: &str| strings(&entry, key);
            let arg = entry.get("arg").and_then(|value| value.as_integer());
            writeln!(
                out,
                "Rule {{ role: Role::{role}, name: {:?}, languages: &{:?}, calls: &{:?}, reads: &{:?}, fills: &{:?}, \
                 writes: &{:?}, categories: &{named:?}, category: {category}, arg: {arg:?}, when: {:?}, unless: {:?}, tags: &{:?} }},",
                word(&entry, "name"), list("languages"), list("calls"), list("reads"), list("fills"),
                list("writes"), word(&entry, "when"), word(&entry, "unless"), list("tags"),
            )
            .expect("writing to a string succeeds");
        }
    }
    out.push_str("];\n");
    let target = Path::new(&env::var("OUT_DIR").expect("cargo sets the output directory")).join("risk.rs");
    fs::write(target, out).expect("the output directory is writable");
}

/// The fact patterns of a language: its own, then those of the languages it inherits from.
fn facts(root: &Path, id: &str, table: &toml::Table, fingerprint: &mut DefaultHasher) -> String {
    let files: Vec<String> = std::iter::once(id.to_owned())
        .chain(strings(table, "inherits"))
        .map(|language| root.join(language).join("facts.scm"))
        .filter(|file| file.is_file())
        .map(|file| {
            fs::read(&file).expect("facts.scm is readable").hash(fingerprint);
            emit(&format!("cargo::rerun-if-changed={}", file.display()));
            format!("include_str!({:?})", file.display().to_string())
        })
        .collect();
    match files.as_slice() {
        [] => "\"\"".to_owned(),
        [one] => one.clone(),
        several => format!("concat!({})", several.join(", ")),
    }
}

fn claims(table: &toml::Table) -> String {
    let list = table.get("claims").and_then(|value| value.as_array());
    let claims: Vec<String> = list
        .into_iter()
        .flatten()
        .filter_map(|claim| claim.as_table())
        .map(|claim| {
            let extension = claim.get("extension").and_then(|value| value.as_str()).unwrap_or_default();
            format!("Claim {{ extension: {extension:?}, any: &{:?} }}", strings(claim, "any"))
        })
        .collect();
    format!("[{}]", claims.join(", "))
}

fn inner(table: &toml::Table, fingerprint: &mut DefaultHasher) -> String {
    let Some(inner) = table.get("inner").and_then(|value| value.as_table()) else {
        return "None".to_owned();
    };
    inner.to_string().hash(fingerprint);
    let word = |key: &str| inner.get(key).and_then(|value| value.as_str()).unwrap_or_default();
    let (call, body) = (word("call"), word("body"));
    let (through, words) = (strings(inner, "through"), strings(inner, "words"));
    format!("Some(Inner {{ call: {call:?}, body: {body:?}, through: &{through:?}, words: &{words:?} }})")
}

fn camel(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Cargo reads its instructions from the build script's standard output.
#[allow(clippy::print_stdout)]
fn emit(instruction: &str) {
    println!("{instruction}");
}
