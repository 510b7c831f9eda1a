//! A draft as a configuration file.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::draft::{Draft, DraftArg, DraftTool, guess_effect};
use crate::config::Scalar;

impl Draft {
    /// Writes the configuration; every guess is said in a comment at the top.
    pub fn to_yaml(&self) -> String {
        let mut text = format!(
            "# Drafted from what {} says about itself. Check `effect`: it is a guess.\n",
            self.command
        );
        for note in &self.notes {
            push(&mut text, format_args!("# {note}\n"));
        }
        push(&mut text, format_args!("name: {}\n", quoted(&self.name)));
        if !self.description.is_empty() {
            push(&mut text, format_args!("description: {}\n", quoted(&self.description)));
        }
        push(&mut text, format_args!("command: {}\n", quoted(&self.command)));
        // Some programs take everything behind the first positional for themselves.
        text.push_str("options_first: true\ntools:\n");
        let mut names = BTreeSet::new();
        for tool in &self.tools {
            let name = self.tool_name(tool);
            if names.insert(name.clone()) {
                tool.write(&name, &mut text);
            }
        }
        text
    }

    /// `git remote add` is `git_remote_add`.
    fn tool_name(&self, tool: &DraftTool) -> String {
        let stem = self.command.rsplit('/').next().unwrap_or(&self.command);
        let words = std::iter::once(stem).chain(tool.words.iter().map(String::as_str));
        let name = words.collect::<Vec<_>>().join("_");
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        name.chars().take(64).collect()
    }
}

impl DraftTool {
    fn write(&self, name: &str, text: &mut String) {
        let described = if self.description.is_empty() { name } else { &self.description };
        push(text, format_args!("- name: {}\n  description: {}\n", quoted(name), quoted(described)));
        if !self.words.is_empty() {
            push(text, format_args!("  command: {}\n", quoted(&self.words.join(" "))));
        }
        let effect = self.effect.unwrap_or_else(|| guess_effect(&self.words));
        push(text, format_args!("  effect: {effect}\n"));
        if self.end_of_options && self.args.iter().any(|arg| arg.flag.is_none()) {
            text.push_str("  end_of_options: true\n");
        }
        text.push_str("  args:\n");
        let mut names = BTreeSet::new();
        for arg in self.args.iter().filter(|arg| names.insert(arg.name.clone())) {
            arg.write(text);
        }
        // Every program runs somewhere, and a caller cannot change directory otherwise.
        let directory = ["directory", "run_in_directory"].into_iter().find(|name| !names.contains(*name));
        if let Some(directory) = directory {
            push(
                text,
                format_args!("  - {{name: {directory}, cwd: true, description: Directory to run in}}\n"),
            );
        }
    }
}

impl DraftArg {
    fn write(&self, text: &mut String) {
        push(text, format_args!("  - {{name: {}", quoted(&self.name)));
        match (self.is_many, self.kind) {
            (true, Scalar::String) => text.push_str(", type: array"),
            (true, kind) => push(text, format_args!(", type: array, items: {}", kind.name())),
            (false, Scalar::String) => {}
            (false, kind) => push(text, format_args!(", type: {}", kind.name())),
        }
        match &self.flag {
            Some(flag) => push(text, format_args!(", flag: {}", quoted(flag))),
            None => text.push_str(", positional: true"),
        }
        if self.is_required {
            text.push_str(", required: true");
        }
        if !self.choices.is_empty() {
            let choices: Vec<String> = self.choices.iter().map(|choice| quoted(choice)).collect();
            push(text, format_args!(", enum: [{}]", choices.join(", ")));
        }
        if !self.description.is_empty() {
            push(text, format_args!(", description: {}", quoted(&self.description)));
        }
        text.push_str("}\n");
    }
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string cannot fail");
}

/// A YAML scalar: bare where that is safe in every place we use it, JSON's quotes elsewhere.
fn quoted(text: &str) -> String {
    // YAML takes no control characters, not even in quotes.
    let is_refused = |c: char| c.is_control() || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    let text = text.replace(is_refused, " ");
    let text = text.as_str();
    let is_word = |c: char| c.is_ascii_alphanumeric() || " _-./".contains(c);
    let looks_typed = text.parse::<f64>().is_ok()
        || ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"]
            .contains(&text.to_lowercase().as_str());
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !text.ends_with(' ')
        && text.chars().all(is_word)
        && !looks_typed;
    match is_plain {
        true => text.to_owned(),
        false => serde_json::Value::String(text.to_owned()).to_string(),
    }
}
