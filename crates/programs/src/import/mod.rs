//! Writing a configuration from what a program says about itself.
//!
//! [`from_help`] asks the program, command by command; [`from_file`] reads a `usage` spec, a carapace spec or a
//! completion script. Both make a [`Draft`], and [`Draft::to_yaml`] writes the file. Nothing is guessed to be harmless:
//! a command that is not known to read is marked as writing.

mod carapace;
mod completion;
mod draft;
mod help;
mod kdl;
mod option;
mod render;
mod usage_line;
mod usage_spec;

use std::path::Path;
use std::time::Duration;

use mainstay_process::{Command, Launcher, Never};

pub use draft::{Draft, DraftArg, DraftTool};

use crate::error::ProgramsError;
use crate::expand::Vars;
use help::Page;

/// How far an import goes.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// Levels of subcommands.
    pub depth: usize,
    /// Only these commands, when any are named.
    pub only: Vec<String>,
    pub max_tools: usize,
}

impl Default for ImportOptions {
    fn default() -> Self {
        ImportOptions { depth: 3, only: Vec::new(), max_tools: 200 }
    }
}

/// Commands that are about the command line itself.
const SKIPPED: &[&str] = &["help", "completion", "completions", "plugin", "options"];

/// Time for one help text.
const PATIENCE: Duration = Duration::from_secs(20);

/// Returns a function that runs `program` with some words and gives what it printed.
pub fn asking<'a>(
    launcher: &'a Launcher,
    vars: &'a Vars,
    program: &'a str,
) -> impl FnMut(&[String]) -> Option<String> + 'a {
    move |words| {
        let mut env = vars.clone();
        // Help must come as plain text, wide, and without anybody pressing a key.
        for (name, value) in [
            ("PAGER", "cat"),
            ("MANPAGER", "cat"),
            ("GIT_PAGER", "cat"),
            ("NO_COLOR", "1"),
            ("TERM", "dumb"),
            ("COLUMNS", "160"),
        ] {
            env.insert(name.into(), value.into());
        }
        let command = Command::new(program, env).args(words).deadline(PATIENCE);
        let finished = launcher.run(&command, &Never, &mut |_, _| {}).ok()?;
        let stdout = finished.stdout.text();
        Some(if stdout.trim().is_empty() { finished.stderr.text() } else { stdout })
    }
}

/// Drafts a configuration from help texts; `ask` gives what the program prints for some words.
pub fn from_help(
    program: &str,
    options: &ImportOptions,
    ask: &mut dyn FnMut(&[String]) -> Option<String>,
) -> Result<Draft, ProgramsError> {
    let failed =
        |reason: &str| ProgramsError::Import { program: program.to_owned(), reason: reason.to_owned() };
    let root = page(&[], ask).ok_or_else(|| failed("it gives no help text with --help or -h"))?;
    let name = Path::new(program).file_stem().map_or(program.into(), |stem| stem.to_string_lossy());
    let mut draft = Draft {
        name: format!("{name}-tools"),
        description: root.summary.clone(),
        command: program.to_owned(),
        ..Draft::default()
    };
    let mut walk = Walk { options, ask, draft: &mut draft };
    walk.visit(root, &mut Vec::new(), "");
    if draft.tools.len() >= options.max_tools {
        draft.notes.push(format!("stopped after {} tools", options.max_tools));
    }
    match draft.tools.is_empty() {
        true => Err(failed("its help text names neither commands nor options")),
        false => Ok(draft),
    }
}

/// Asks for help in the ways programs know; a manual page is the last resort.
fn page(words: &[String], ask: &mut dyn FnMut(&[String]) -> Option<String>) -> Option<Page> {
    let mut fallback = None;
    for flag in ["--help", "-h"] {
        let asked: Vec<String> = words.iter().cloned().chain([flag.to_owned()]).collect();
        let Some(text) = ask(&asked) else { continue };
        let page = Page::parse(&text, words);
        match page.is_help() {
            true if !help::is_manual(&text) => return Some(page),
            true => fallback = fallback.or(Some(page)),
            false => {}
        }
    }
    fallback
}

struct Walk<'a> {
    options: &'a ImportOptions,
    ask: &'a mut dyn FnMut(&[String]) -> Option<String>,
    draft: &'a mut Draft,
}

impl Walk<'_> {
    fn visit(&mut self, page: Page, words: &mut Vec<String>, described: &str) {
        if page.commands.is_empty() || words.len() >= self.options.depth {
            return self.add(page, words, described);
        }
        for (name, description) in &page.commands {
            let is_wanted =
                !words.is_empty() || self.options.only.is_empty() || self.options.only.contains(name);
            if !is_wanted
                || SKIPPED.contains(&name.as_str())
                || self.draft.tools.len() >= self.options.max_tools
            {
                continue;
            }
            words.push(name.clone());
            let child = page_of_child(words, &page, self.ask);
            self.visit(child, words, description);
            words.pop();
        }
    }

    fn add(&mut self, page: Page, words: &[String], described: &str) {
        let description = if described.is_empty() { page.summary.as_str() } else { described };
        let mut args = page.usage.positionals;
        for arg in &mut args {
            // npm writes its values without brackets, optional or not.
            arg.is_required &= self.draft.command != "npm";
            // `tar --file ARCHIVE FILE...`: the option keeps the name it is known by.
            if page.options.iter().any(|option| option.name == arg.name) {
                arg.name.push_str(if arg.is_many { "s" } else { "_arg" });
            }
        }
        for option in page.options {
            let is_about_help = matches!(option.name.as_str(), "help" | "version" | "h" | "V");
            if !is_about_help && args.iter().all(|arg| arg.name != option.name) && !option.name.is_empty() {
                args.push(option);
            }
        }
        self.draft.tools.push(DraftTool {
            words: words.to_vec(),
            description: description.to_owned(),
            args,
            // Git reads `--` as the border between revisions and paths; npm hands what follows on.
            end_of_options: !page.usage.passes_on && !["git", "npm"].contains(&self.draft.command.as_str()),
            effect: None,
        });
    }
}

/// A child that shows its parent's page again has no page of its own.
fn page_of_child(words: &[String], parent: &Page, ask: &mut dyn FnMut(&[String]) -> Option<String>) -> Page {
    page(words, ask)
        .filter(|page| page.commands.is_empty() || page.commands != parent.commands)
        .unwrap_or_default()
}

/// Drafts a configuration from a spec or a completion script; the name of the file says which.
pub fn from_file(program: &str, path: &Path) -> Result<Draft, ProgramsError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ProgramsError::Io { path: path.to_owned(), source })?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_zsh =
        ending == "zsh" || path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('_'));
    let draft = match ending {
        "kdl" => usage_spec::parse(program, &text),
        "yaml" | "yml" => carapace::parse(program, path, &text),
        "fish" => Ok(completion::fish(program, &text)),
        _ if is_zsh => Ok(completion::zsh(program, &text)),
        _ => Err("the file is neither .kdl, .yaml, .fish nor a zsh completion".to_owned()),
    };
    let failed = |reason: String| ProgramsError::Import { program: program.to_owned(), reason };
    match draft {
        Ok(draft) if draft.tools.is_empty() => Err(failed("the file describes no commands".into())),
        Ok(draft) => Ok(draft),
        Err(reason) => Err(failed(reason)),
    }
}
