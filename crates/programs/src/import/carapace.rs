//! carapace specs: commands and flags in YAML.

use std::path::Path;

use serde_json::Value;

use super::draft::{Draft, DraftArg, DraftTool};
use super::option::parse_option;
use crate::config::Scalar;
use crate::document;

pub fn parse(program: &str, path: &Path, text: &str) -> Result<Draft, String> {
    let root = document::parse(path, text).map_err(|error| error.to_string())?.to_json();
    let mut draft = Draft {
        name: format!("{program}-tools"),
        description: text_of(&root, "description"),
        command: program.to_owned(),
        ..Draft::default()
    };
    visit(&root, &mut Vec::new(), &[], &mut draft);
    Ok(draft)
}

fn visit(command: &Value, words: &mut Vec<String>, inherited: &[DraftArg], draft: &mut Draft) {
    let mut persistent = inherited.to_vec();
    persistent.extend(flags(command, "persistentflags"));
    let children = command["commands"].as_array().filter(|children| !children.is_empty());
    if let Some(children) = children.filter(|_| words.len() < 8) {
        for child in children.iter().filter(|child| child["hidden"] != true) {
            words.push(text_of(child, "name").split_whitespace().next().unwrap_or_default().to_owned());
            visit(child, words, &persistent, draft);
            words.pop();
        }
        return;
    }
    let completion = &command["completion"];
    let mut args: Vec<DraftArg> = Vec::new();
    for (position, values) in completion["positional"].as_array().into_iter().flatten().enumerate() {
        args.push(DraftArg {
            choices: choices(values),
            ..DraftArg::positional(&format!("arg{}", position + 1))
        });
    }
    if completion["positionalany"].is_array() || args.is_empty() {
        args.push(DraftArg { is_many: true, ..DraftArg::positional("args") });
    }
    args.extend(flags(command, "flags"));
    args.extend(persistent);
    for arg in &mut args {
        let values = &completion["flag"][arg.name.replace('_', "-")];
        if arg.kind != Scalar::Boolean && values.is_array() {
            arg.choices = choices(values);
        }
    }
    let description = text_of(command, "description");
    draft.tools.push(DraftTool {
        words: words.clone(),
        description,
        args,
        end_of_options: true,
        effect: None,
    });
}

fn text_of(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// `"-f, --force"`, `"--opt="` takes a value, `"--opt?"` may, `*` repeats, `!` is required, `&` is hidden.
fn flags(command: &Value, key: &str) -> Vec<DraftArg> {
    let entries = command[key].as_object().into_iter().flatten();
    entries
        .filter_map(|(written, described)| {
            let marks: String = written.chars().rev().take_while(|c| "=?*!&".contains(*c)).collect();
            let (mut arg, _) = parse_option(written.trim_end_matches(['=', '?', '*', '!', '&']))?;
            if marks.contains('&') {
                return None;
            }
            if marks.contains('=') || marks.contains('?') {
                arg.kind = Scalar::String;
            }
            if marks.contains('?') {
                arg.flag = arg.flag.map(|flag| format!("{flag}="));
            }
            arg.is_many = marks.contains('*') && arg.kind != Scalar::Boolean;
            arg.is_required = marks.contains('!');
            let described = described.as_str().or_else(|| described["description"].as_str());
            Some(arg.described(described.unwrap_or_default()))
        })
        .collect()
}

/// Plain words; macros that ask the system are not a fixed choice.
fn choices(values: &Value) -> Vec<String> {
    let words: Vec<&str> = values.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match words.iter().any(|word| word.starts_with('$')) {
        true => Vec::new(),
        false => words.iter().map(|word| word.split('\t').next().unwrap_or(word).to_owned()).collect(),
    }
}
