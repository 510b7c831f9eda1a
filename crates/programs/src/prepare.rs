//! From a caller's arguments to words: validation in the contract's order, defaults, policy, command line.

use serde_json::{Map, Value};

use crate::catalog::ProgramTool;
use crate::config::{Arg, Kind, Slot, Words};
use crate::expand::{self, Vars};
use crate::policy::Dialect;
use crate::value::{self, Given, Item, Refusal, shown, spelled};

/// A call that passed every check.
#[derive(Debug, PartialEq)]
pub struct Prepared {
    pub program: String,
    pub words: Vec<String>,
    /// The directory the caller chose.
    pub cwd: Option<String>,
    pub stdin: Option<String>,
    /// Values that must not be shown.
    pub secrets: Vec<String>,
}

/// Checks the arguments and builds the command line; the error is the contract's text.
pub fn prepare(
    tool: &ProgramTool,
    args: &Map<String, Value>,
    vars: &Vars,
    dialect: Dialect,
) -> Result<Prepared, String> {
    let (mut given, needs_fence) =
        validate(tool, args).map_err(|failures| list("Argument validation failed:", &failures))?;
    // Defaults come before policy: what runs is what was checked.
    for (slot, arg) in given.iter_mut().zip(&tool.spec.args) {
        // The original shows the default of any argument and applies it to flags alone.
        let is_applied = dialect == Dialect::Strict || matches!(arg.slot, Slot::Flag(_));
        if slot.is_none()
            && is_applied
            && let Some(default) = &arg.default
        {
            *slot = value::coerce(arg, default).ok();
        }
    }
    check_policy(tool, &given).map_err(|failures| list("Policy validation failed:", &failures))?;
    Ok(build(tool, &given, needs_fence, vars))
}

fn list(heading: &str, failures: &[String]) -> String {
    let mut text = heading.to_owned();
    for failure in failures {
        text.push_str("\n  - ");
        text.push_str(failure);
    }
    text
}

/// Values by argument, and whether one of them must be fenced off with `--`.
type Checked = (Vec<Option<Given>>, bool);

/// Required arguments first, in the order of the definition; then types and choices in the caller's order.
fn validate(tool: &ProgramTool, args: &Map<String, Value>) -> Result<Checked, Vec<String>> {
    let specs = &tool.spec.args;
    let is_given = |arg: &Arg| args.get(&arg.name).is_some_and(|value| !value.is_null());
    let missing = specs.iter().filter(|arg| arg.required && !is_given(arg));
    let mut failures: Vec<String> =
        missing.map(|arg| format!("Missing required argument '{}'", arg.name)).collect();
    let mut given: Vec<Option<Given>> = specs.iter().map(|_| None).collect();
    let mut needs_fence = false;
    for (name, raw) in args {
        let Some(position) = specs.iter().position(|arg| arg.name == *name) else { continue };
        let arg = &specs[position];
        if raw.is_null() {
            continue;
        }
        match value::coerce(arg, raw) {
            Err(refusal) => failures.push(refusal.to_string()),
            Ok(values) => {
                if let Some(word) = option_like(arg, &values) {
                    match arg.slot == Slot::Positional && tool.has_end_of_options() {
                        true => needs_fence = true,
                        false => {
                            let refusal = Refusal::Dash { arg: arg.name.clone(), shown: shown(arg, &word) };
                            failures.push(refusal.to_string());
                        }
                    }
                }
                given[position] = Some(values);
            }
        }
    }
    if failures.is_empty() { Ok((given, needs_fence)) } else { Err(failures) }
}

/// Returns the value a program would take for an option, if there is one.
///
/// A value behind a flag with a dash is that flag's own; one behind a bare word stands as free as a positional.
fn option_like(arg: &Arg, given: &Given) -> Option<String> {
    let is_free = match &arg.slot {
        Slot::Positional => true,
        Slot::Flag(flag) => !flag.starts_with('-') && !flag.ends_with('=') && !arg.is_boolean(),
        Slot::Cwd | Slot::Stdin => false,
    };
    if !is_free || arg.allow_dash || arg.choices.is_some() {
        return None;
    }
    given.items().iter().map(Item::word).find(|word| word.starts_with('-'))
}

fn check_policy(tool: &ProgramTool, given: &[Option<Given>]) -> Result<(), Vec<String>> {
    let mut failures = Vec::new();
    for rule in &tool.rules {
        let named = tool.spec.args.iter().zip(given).find(|(arg, _)| arg.name == rule.name);
        if let Some((arg, Some(values))) = named {
            rule.check(arg, values, &mut failures);
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

fn build(tool: &ProgramTool, given: &[Option<Given>], needs_fence: bool, vars: &Vars) -> Prepared {
    let config = &tool.program.config;
    let mut base = base_words(&config.command, vars).into_iter();
    let program = base.next().unwrap_or_default();
    let mut words: Vec<String> = base.collect();
    words.extend(plain_words(&tool.spec.command));

    let mut positionals = Vec::new();
    let mut options = Vec::new();
    let mut prepared = Prepared { program, words: Vec::new(), cwd: None, stdin: None, secrets: Vec::new() };
    for (arg, values) in tool.spec.args.iter().zip(given) {
        let Some(values) = values else { continue };
        if arg.secret {
            prepared.secrets.extend(values.items().iter().map(Item::word).filter(|word| !word.is_empty()));
        }
        match &arg.slot {
            Slot::Positional => positionals.extend(value_words(arg, values)),
            Slot::Flag(flag) => push_flag(&mut options, arg, flag, values),
            Slot::Cwd => prepared.cwd = Some(values.items()[0].word()).filter(|path| !path.is_empty()),
            Slot::Stdin => prepared.stdin = Some(values.items()[0].word()),
        }
    }
    let globals = global_words(&config.global_args, vars, &mut prepared.secrets);
    if needs_fence || tool.has_options_first() {
        words.extend(options.into_iter().chain(globals));
        words.extend(needs_fence.then(|| "--".to_owned()));
        words.extend(positionals);
    } else {
        words.extend(positionals.into_iter().chain(options).chain(globals));
    }
    prepared.words = words;
    prepared
}

/// Returns the words of the base command: variables are expanded first, then blanks separate.
pub fn base_words(command: &Words, vars: &Vars) -> Vec<String> {
    match command {
        Words::Text(text) => expand::path(text, vars).split_whitespace().map(str::to_owned).collect(),
        Words::List(words) => words.iter().map(|word| expand::path(word, vars)).collect(),
    }
}

fn plain_words(command: &Words) -> Vec<String> {
    match command {
        Words::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
        Words::List(words) => words.clone(),
    }
}

/// The values of one argument as words: one each, or one in all with a separator.
fn value_words(arg: &Arg, given: &Given) -> Vec<String> {
    let words: Vec<String> = given.items().iter().map(Item::word).collect();
    match &arg.kind {
        Kind::Many { separator: Some(separator), .. } if !words.is_empty() => vec![words.join(separator)],
        _ => words,
    }
}

fn push_flag(options: &mut Vec<String>, arg: &Arg, flag: &str, given: &Given) {
    if arg.is_boolean() {
        if given.items() == [Item::Flag(true)] {
            options.push(flag.to_owned());
        }
        return;
    }
    for word in value_words(arg, given) {
        push_option(options, flag, word);
    }
}

fn push_option(options: &mut Vec<String>, flag: &str, word: String) {
    match flag.ends_with('=') {
        true => options.push(format!("{flag}{word}")),
        false => options.extend([flag.to_owned(), word]),
    }
}

/// Constants of the configuration; one whose variable is not set, or that is empty, is left out.
fn global_words(args: &[Arg], vars: &Vars, secrets: &mut Vec<String>) -> Vec<String> {
    let mut words = Vec::new();
    for arg in args {
        let Some(default) = &arg.default else { continue };
        let Some(word) = expand::variables_if_set(&spelled(default), vars) else { continue };
        if word.is_empty() {
            continue;
        }
        if arg.secret {
            secrets.push(word.clone());
        }
        match &arg.slot {
            Slot::Flag(flag) if arg.is_boolean() => {
                if matches!(word.as_str(), "true" | "True" | "1") {
                    words.push(flag.clone());
                }
            }
            Slot::Flag(flag) => push_option(&mut words, flag, word),
            Slot::Positional => words.push(word),
            Slot::Cwd | Slot::Stdin => {}
        }
    }
    words
}
