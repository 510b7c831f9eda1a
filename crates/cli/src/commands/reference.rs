//! The reference pages, written from the definitions: tools, error codes and settings.

use std::fmt::Write;

use mainstay_contract::{ErrorCode, ToolDef, Toolset};
use serde_json::Value;

use crate::settings::{Kind, SETTINGS};

const GENERATED: &str = "<!-- Written by `scripts/generate` from the definitions; edit those. -->\n";

/// Name and text of every page.
pub fn pages(defs: &[&ToolDef]) -> [(&'static str, String); 5] {
    [
        ("tools.md", tools(defs)),
        ("errors.md", errors()),
        ("settings.md", settings()),
        ("facts.md", facts()),
        ("commands.md", super::commands_page::page()),
    ]
}

/// Which filter of `search` works in which language, from the pattern files.
fn facts() -> String {
    let coverage = mainstay_search::fact_coverage();
    let mut filters: Vec<&str> = coverage.iter().flat_map(|(_, filters)| filters).copied().collect();
    filters.sort_unstable();
    filters.dedup();
    let mut page = format!(
        "{GENERATED}\n# Facts by language\n\nWhat the filters of `search` can look at. A filter a language cannot meet \
         leaves its chunks out, and the answer's warnings say so. `signature` works wherever definitions have one, \
         `type`, `lang`, `path`, `file` and `ext` everywhere.\n\n| filter |"
    );
    coverage.iter().for_each(|(language, _)| push(&mut page, format_args!(" {language} |")));
    page.push_str("\n|---|");
    page.push_str(&"---|".repeat(coverage.len()));
    for filter in filters {
        push(&mut page, format_args!("\n| `{filter}` |"));
        for (_, known) in &coverage {
            page.push_str(if known.contains(&filter) { " ✓ |" } else { "  |" });
        }
    }
    page.push('\n');
    page
}

fn tools(defs: &[&ToolDef]) -> String {
    let mut page = format!("{GENERATED}\n# Tools\n");
    for toolset in Toolset::ALL {
        let mut defs = defs.iter().filter(|def| def.toolset == toolset).peekable();
        if defs.peek().is_some() {
            push(&mut page, format_args!("\n## {}\n\n{}.\n", toolset.name(), toolset.summary()));
        }
        for def in defs {
            tool(&mut page, def);
        }
    }
    page
}

fn tool(page: &mut String, def: &ToolDef) {
    push(page, format_args!("\n### `{}`\n\n{}.\n\n", def.id, def.summary.trim_end_matches('.')));
    let effect = serde_json::to_value(def.effect).unwrap_or_default();
    let mut facts = vec![
        format!("effect: {}", effect.as_str().unwrap_or_default()),
        format!("time limit: {} s", def.policy.timeout.as_secs_f64()),
        format!("schema version: {}", def.schema_version),
    ];
    if def.wire_name() != def.id {
        facts.insert(0, format!("over MCP: `{}`", def.wire_name()));
    }
    if !def.aliases.is_empty() {
        let names: Vec<String> = def.aliases.iter().map(|alias| format!("`{}`", alias.name)).collect();
        facts.push(format!("also answers to: {}", names.join(", ")));
    }
    if def.on_demand {
        facts.push("registered on demand".into());
    }
    push(page, format_args!("{}.\n", sentence(&facts.join("; "))));
    arguments(page, &def.input);
    for example in &def.examples {
        push(
            page,
            format_args!(
                "\n{}:\n\n```console\n$ mainstay call {} --args '{}'\n```\n",
                example.summary, def.id, example.args
            ),
        );
    }
}

fn arguments(page: &mut String, input: &Value) {
    let Some(properties) = input["properties"].as_object().filter(|map| !map.is_empty()) else { return };
    let required =
        |name: &str| input["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    page.push_str("\n| argument | type | meaning |\n|---|---|---|\n");
    for (name, schema) in properties {
        let about = schema["description"].as_str().unwrap_or_default();
        let mark = if required(name) { "**required.** " } else { "" };
        let kind = type_of(schema, input);
        push(page, format_args!("| `{name}` | {} | {mark}{} |\n", cell(&kind), cell(about)));
    }
}

/// A schema in a few words; what they leave out is in `mainstay tools show`.
fn type_of(schema: &Value, root: &Value) -> String {
    if let Some(path) = schema["$ref"].as_str().and_then(|path| path.strip_prefix('#')) {
        return root.pointer(path).map_or_else(|| "any".into(), |target| type_of(target, root));
    }
    if let Some(options) = schema["enum"].as_array() {
        return options.iter().map(|option| format!("`{option}`")).collect::<Vec<_>>().join(" or ");
    }
    if let Some(constant) = schema.get("const") {
        return format!("`{constant}`");
    }
    if let Some(options) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        let mut kinds: Vec<String> = options.iter().map(|option| type_of(option, root)).collect();
        kinds.dedup();
        return kinds.join(" or ");
    }
    match &schema["type"] {
        Value::String(name) if name == "array" => format!("array of {}", type_of(&schema["items"], root)),
        Value::String(name) => name.clone(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => "any".into(),
    }
}

fn errors() -> String {
    let mut page = format!(
        "{GENERATED}\n# Error codes\n\nAn answer that failed names its code in `error.code`. Where a second code is \
         given, MCP and HTTP show that one and keep the first in `error.details.foundryCode`.\n\n\
         | code | meaning | what to do | HTTP | exit | JSON-RPC |\n|---|---|---|---|---|---|\n"
    );
    for row in ErrorCode::TABLE {
        let shared = row.shared.map(|code| format!(" (`{code}`)")).unwrap_or_default();
        push(
            &mut page,
            format_args!(
                "| `{}`{shared} | {} | {} | {} | {} | {} |\n",
                row.name,
                cell(row.meaning),
                cell(row.remedy),
                row.http,
                row.exit.status(),
                row.rpc
            ),
        );
    }
    page
}

fn settings() -> String {
    let mut page = format!(
        "{GENERATED}\n# Settings\n\nEach setting is a flag, a variable and a key of `mainstay.toml`. A flag wins over a \
         variable, a variable over the project's file, that over the user's file. `mainstay config show --origin` says \
         what holds and why; `mainstay config schema` prints the JSON Schema of the file.\n\n\
         | key and flag | variables | value | default | meaning |\n|---|---|---|---|---|\n"
    );
    for setting in SETTINGS {
        let variables: Vec<String> = [setting.env()]
            .into_iter()
            .chain(setting.seed_env.iter().map(|name| (*name).to_owned()))
            .map(|name| format!("`{name}`"))
            .collect();
        let kind = match setting.kind {
            Kind::Switch => "true or false".to_owned(),
            Kind::Text => "text".into(),
            Kind::Path => "path".into(),
            Kind::Number => "whole number".into(),
            Kind::List => "list".into(),
            Kind::Paths => "list of paths".into(),
            Kind::Choice(words) => words.join(", "),
        };
        let default =
            if setting.default.is_empty() { String::new() } else { format!("`{}`", setting.default) };
        push(
            &mut page,
            format_args!(
                "| `{}` | {} | {kind} | {default} | {} |\n",
                setting.key,
                variables.join(" "),
                cell(setting.help)
            ),
        );
    }
    page
}

fn push(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("writing to a string cannot fail");
}

/// Text that fits into one cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
