//! Completion scripts of fish and zsh, read for what they know about commands and options.

use super::draft::{Draft, DraftArg, DraftTool};
use super::option::parse_option;

fn draft(program: &str) -> Draft {
    Draft { name: format!("{program}-tools"), command: program.to_owned(), ..Draft::default() }
}

/// Tools by subcommand; options of no subcommand belong to the program itself.
#[derive(Default)]
struct Commands {
    described: Vec<(String, String)>,
    options: Vec<(Option<String>, DraftArg)>,
}

impl Commands {
    fn describe(&mut self, name: &str, description: &str) {
        if self.described.iter().all(|(known, _)| known != name) {
            self.described.push((name.to_owned(), description.to_owned()));
        }
    }

    fn into_tools(self, draft: &mut Draft) {
        let args_of = |command: Option<&str>| -> Vec<DraftArg> {
            let rest = DraftArg { is_many: true, ..DraftArg::positional("args") };
            let own = self
                .options
                .iter()
                .filter(|(owner, _)| owner.as_deref() == command)
                .map(|(_, arg)| arg.clone());
            let is_about_help = |arg: &DraftArg| matches!(arg.name.as_str(), "help" | "version" | "h" | "V");
            std::iter::once(rest).chain(own.filter(|arg| !is_about_help(arg))).collect()
        };
        let tool = |words: Vec<String>, description: &str, args| DraftTool {
            words,
            description: description.to_owned(),
            args,
            end_of_options: true,
            effect: None,
        };
        if self.described.is_empty() && !self.options.is_empty() {
            draft.tools.push(tool(Vec::new(), "", args_of(None)));
        }
        for (name, description) in self.described.iter().filter(|(name, _)| name != "help") {
            draft.tools.push(tool(vec![name.clone()], description, args_of(Some(name))));
        }
    }
}

/// Reads `complete -c prog -n 'condition' -s x -l long -d 'text' -a 'words'`.
pub fn fish(program: &str, text: &str) -> Draft {
    let mut commands = Commands::default();
    for line in text.lines().filter(|line| line.trim_start().starts_with("complete ")) {
        let Some(words) = shlex::split(line) else { continue };
        let mut entry = FishLine::default();
        let mut words = words.into_iter().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_default();
            match word.as_str() {
                "-c" | "--command" => entry.program = value(),
                "-n" | "--condition" => entry.condition = value(),
                "-s" | "--short-option" => entry.short = value(),
                "-l" | "--long-option" | "-o" | "--old-option" => entry.long = value(),
                "-d" | "--description" => entry.description = value(),
                "-a" | "--arguments" => entry.words = value(),
                "-r" | "-x" | "--require-parameter" | "--exclusive" => entry.takes_value = true,
                _ => {}
            }
        }
        if entry.program == program {
            entry.read(&mut commands);
        }
    }
    let mut draft = draft(program);
    commands.into_tools(&mut draft);
    draft
}

#[derive(Default)]
struct FishLine {
    program: String,
    condition: String,
    short: String,
    long: String,
    description: String,
    words: String,
    takes_value: bool,
}

impl FishLine {
    fn read(self, commands: &mut Commands) {
        let is_first = ["use_subcommand", "needs_command", "is_first_token", "no_subcommand"]
            .iter()
            .any(|mark| self.condition.contains(mark));
        let owner = self
            .condition
            .split_whitespace()
            .last()
            .filter(|_| self.condition.contains("subcommand") && !is_first);
        let owner = owner.map(|word| word.trim_matches(['"', '\'', ';']).to_owned());
        if self.long.is_empty() && self.short.is_empty() {
            for name in self.words.split_whitespace().filter(|_| is_first && owner.is_none()) {
                commands.describe(name, &self.description);
            }
            return;
        }
        let flag = if self.long.is_empty() { format!("-{}", self.short) } else { format!("--{}", self.long) };
        let mut arg = DraftArg::switch(&flag).described(&self.description);
        if self.takes_value {
            arg.kind = crate::config::Scalar::String;
            let is_fixed = !self.words.contains(['(', '$', '\n']);
            arg.choices = self.words.split_whitespace().filter(|_| is_fixed).map(str::to_owned).collect();
        }
        commands.options.push((owner, arg));
    }
}

/// Reads the specs of `_arguments` and the lists of `_describe`.
pub fn zsh(program: &str, text: &str) -> Draft {
    let mut commands = Commands::default();
    let mut owner: Option<String> = None;
    let mut block = String::new();
    for line in text.lines() {
        let line = line.trim();
        // A branch of `case $words[1]`: what follows belongs to that subcommand.
        if let Some(name) = line.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'))
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        {
            owner = Some(name.to_owned()).filter(|name| name != program);
        }
        if let Some((name, description)) = described_command(line) {
            commands.describe(&name, &description);
        }
        if !block.is_empty() || line.contains("_arguments") {
            let is_open = line.ends_with('\\');
            block.push_str(line.trim_end_matches('\\'));
            block.push(' ');
            if !is_open {
                read_specs(&block, owner.as_deref(), &mut commands);
                block.clear();
            }
        }
    }
    let mut draft = draft(program);
    commands.into_tools(&mut draft);
    draft
}

/// `'name:what it does' \` inside a list of commands.
fn described_command(line: &str) -> Option<(String, String)> {
    let inner = line.trim_end_matches(['\\', ' ']).strip_prefix('\'')?.strip_suffix('\'')?;
    let (name, description) = inner.split_once(':')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    is_name.then(|| (name.to_owned(), description.to_owned()))
}

/// `'(-f --force)'{-f,--force}'[text]'`, `'--out=[text]:file:_files'`, `'*--tag=[text]:…'`.
fn read_specs(block: &str, owner: Option<&str>, commands: &mut Commands) {
    for word in shlex::split(block).unwrap_or_default() {
        let spec = match word.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((_, rest)) => rest,
            None => &word,
        };
        let is_many = spec.starts_with('*');
        let spec = spec.trim_start_matches('*');
        let Some((flags, rest)) = spec.split_once('[') else { continue };
        let Some((description, rest)) = rest.split_once(']') else { continue };
        let flags = flags.trim_matches(['{', '}']);
        let longest =
            flags.split(',').map(|flag| flag.trim_matches(['{', '}', '+'])).max_by_key(|flag| flag.len());
        let Some((mut arg, _)) = longest.and_then(|flag| parse_option(flag.trim_end_matches('='))) else {
            continue;
        };
        if rest.starts_with(':') {
            arg.kind = crate::config::Scalar::String;
            let is_attached = longest.is_some_and(|flag| flag.ends_with('='));
            arg.flag = arg.flag.map(|flag| if is_attached { format!("{flag}=") } else { flag });
            if let Some((_, list)) = rest.split_once(":(")
                && let Some((list, _)) = list.split_once(')')
            {
                arg.choices = list.split_whitespace().map(str::to_owned).collect();
            }
            arg.is_many = is_many;
        }
        let arg = arg.described(description);
        let owner = owner.map(str::to_owned);
        if !commands.options.iter().any(|(known, other)| *known == owner && other.name == arg.name) {
            commands.options.push((owner, arg));
        }
    }
}
