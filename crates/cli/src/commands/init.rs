//! `mainstay init`: a first configuration from three questions, each with a flag.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use mainstay_contract::{Fault, FaultResult, Toolset};
use mainstay_runtime::nearest;
use serde_json::json;
use toml_edit::{Array, DocumentMut, Value};

use crate::ask::{self, Person, yes_or_no};
use crate::files;
use crate::output::{DONE, NAME, Output, print};
use crate::settings::{FILE_NAME, Kind, Setting, Settings, from_flags, user_file, with_flags};

const HEADER: &str = "# Settings of Mainstay. `mainstay config show --origin` says what holds and why,\n\
                      # `mainstay config schema` prints what may stand here.\n";

/// What most people begin with: one toolset costs a model few tokens, more are one word away.
const FIRST_TOOLSETS: &str = "search";

pub fn command() -> Command {
    let command = Command::new("init")
        .about("Write a first configuration")
        .arg(
            Arg::new("folder")
                .long("folder")
                .value_name("DIR")
                .action(ArgAction::Append)
                .help("Folder to work on; the first is the repository, the others may be named in calls"),
        )
        .arg(
            Arg::new("user")
                .long("user")
                .action(ArgAction::SetTrue)
                .help("Write the file for every project of yours instead of this one"),
        )
        .arg(
            Arg::new("yes")
                .long("yes")
                .visible_alias("apply")
                .short('y')
                .action(ArgAction::SetTrue)
                .help("Ask nothing and write; what no flag says gets its default"),
        )
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Change a file that exists; what it says otherwise stays"),
        );
    with_flags(command).after_help(
        "Example: mainstay init\n         mainstay init --yes --toolsets search,catalog --read-only",
    )
}

/// One key and its value, in the order of the file.
type Answers = Vec<(&'static str, Value)>;

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    let file = match matches.get_flag("user") {
        true => user_file(&settings.env)
            .ok_or_else(|| Fault::invalid("there is no home directory").hint("set HOME"))?,
        false => settings.work_dir.join(FILE_NAME),
    };
    let existing = std::fs::read_to_string(&file).ok();
    if existing.is_some() && !matches.get_flag("force") {
        let fault = Fault::invalid(format!("{} exists already", file.display()));
        return Err(fault.hint("`--force` changes it and keeps what it says otherwise"));
    }
    let yes = matches.get_flag("yes");
    let mut person = if yes || output.json { None } else { ask::person() };
    let answers = answers(matches, &settings, &file, person.as_mut())?;
    let text = match &existing {
        None => fresh(&answers),
        Some(text) => merged(text, &answers)?,
    };
    if person.is_some() {
        print(&format!("\n{text}"));
    }
    let write = yes
        || person.as_mut().is_some_and(|person| person.agrees(&format!("Write {}?", file.display()), true));
    if write {
        let written =
            if existing.is_some() { files::write(&file, &text) } else { files::write_new(&file, &text) };
        written.map_err(|error| {
            Fault::invalid(format!("could not write {}: {error}", file.display()))
                .hint("check the permissions of the folder")
        })?;
    }
    let is_shown = person.is_some();
    let code = output.result(&json!({ "file": file, "written": write, "text": text }), || {
        let shown = if is_shown { String::new() } else { format!("{text}\n") };
        match write {
            true => format!("{shown}{DONE}Wrote{DONE:#} {}", file.display()),
            false => shown,
        }
    });
    output.note(match write {
        true => format!("Next: {NAME}mainstay connect{NAME:#}, then {NAME}mainstay doctor{NAME:#}"),
        false => "Nothing was written; `mainstay init --yes` writes it".into(),
    });
    Ok(code)
}

/// The answers of flags, then of the person, then the defaults; other settings given as flags come last.
fn answers<R: BufRead, W: Write>(
    matches: &ArgMatches,
    settings: &Settings,
    file: &Path,
    mut person: Option<&mut Person<R, W>>,
) -> FaultResult<Answers> {
    let ended = || Fault::invalid("no answer").hint("`--yes` takes the defaults; every answer has a flag");
    let given = from_flags(matches);
    let flag = |key: &str| given.iter().find(|given| given.key == key).map(|given| given.value.as_str());
    let work_dir = &settings.work_dir;
    let folders = match (matches.get_many::<String>("folder"), person.as_deref_mut()) {
        (Some(named), _) => {
            let named: Vec<&str> = named.map(String::as_str).collect();
            folders(&named.join(","), work_dir)
                .map_err(|reason| Fault::invalid(reason).hint("name folders that exist with --folder"))?
        }
        (None, Some(person)) if flag("repo").is_none() => person
            .ask("Folders to work on, separated by commas?", ".", |answer| folders(answer, work_dir))
            .ok_or_else(ended)?,
        _ => vec![PathBuf::from(".")],
    };
    let chosen = match (flag("toolsets"), person.as_deref_mut()) {
        (Some(text), _) => toolsets(text)
            .map_err(|reason| Fault::invalid(reason).hint("`mainstay init --help` says what it takes"))?,
        (None, Some(person)) => {
            let question = format!("Toolsets, of {}?", Toolset::ALL.map(Toolset::name).join(", "));
            person.ask(&question, FIRST_TOOLSETS, toolsets).ok_or_else(ended)?
        }
        (None, None) => toolsets(FIRST_TOOLSETS).map_err(Fault::invalid)?,
    };
    let read_only = match (flag("read-only"), person) {
        (Some(text), _) => yes_or_no(text).map_err(Fault::invalid)?,
        (None, Some(person)) => {
            person.ask("Read only, without any tool that can write?", "no", yes_or_no).ok_or_else(ended)?
        }
        (None, None) => false,
    };

    let mut answers: Answers = Vec::new();
    let beside = |folder: &Path| spelled(folder, work_dir, file);
    let (first, others) = folders.split_first().expect("an answer names at least one folder");
    if beside(first) != "." {
        answers.push(("repo", beside(first).into()));
    }
    if !others.is_empty() {
        answers.push(("allowed-repo-roots", list(others.iter().map(|folder| beside(folder)))));
    }
    answers.push(("toolsets", list(chosen.iter().map(|toolset| toolset.name().to_owned()))));
    answers.push(("read-only", read_only.into()));
    for given in given.iter().filter(|given| !["toolsets", "read-only"].contains(&given.key)) {
        let setting = Setting::find(given.key).expect("a given key stands in the table");
        if setting.secret {
            let fault =
                Fault::invalid(format!("{} is a secret, which does not belong into a file", given.key));
            return Err(fault.hint(format!("set the variable {}", setting.env())));
        }
        answers.retain(|(key, _)| *key != given.key);
        answers.push((given.key, value(setting, &given.value, &|path| beside(Path::new(path)))));
    }
    Ok(answers)
}

fn folders(answer: &str, work_dir: &Path) -> Result<Vec<PathBuf>, String> {
    let named: Vec<PathBuf> =
        answer.split(',').map(str::trim).filter(|name| !name.is_empty()).map(PathBuf::from).collect();
    match named.iter().find(|folder| !work_dir.join(folder).is_dir()) {
        Some(missing) => Err(format!("there is no folder {}", missing.display())),
        None if named.is_empty() => Err("name at least one folder".into()),
        None => Ok(named),
    }
}

fn toolsets(answer: &str) -> Result<Vec<Toolset>, String> {
    let names = Toolset::ALL.map(Toolset::name);
    let words = answer.split([',', ' ']).filter(|word| !word.is_empty());
    let chosen = words.map(|word| {
        Toolset::parse(word).ok_or_else(|| match nearest(word, names, 1).first() {
            Some(near) => format!("unknown toolset {word}; did you mean {near}?"),
            None => format!("unknown toolset {word}; the toolsets are {}", names.join(", ")),
        })
    });
    let chosen: Vec<Toolset> = chosen.collect::<Result<_, _>>()?;
    if chosen.is_empty() { Err("name at least one toolset".into()) } else { Ok(chosen) }
}

/// A folder as the file spells it: relative to the file where it lies below it, else whole.
fn spelled(folder: &Path, work_dir: &Path, file: &Path) -> String {
    let whole = work_dir.join(folder);
    let whole = std::fs::canonicalize(&whole).unwrap_or(whole);
    let home = file.parent().and_then(|dir| std::fs::canonicalize(dir).ok());
    let below = home.and_then(|home| whole.strip_prefix(home).ok().map(Path::to_owned));
    match below {
        Some(below) if below.as_os_str().is_empty() => ".".into(),
        Some(below) => below.to_string_lossy().into_owned(),
        None => whole.to_string_lossy().into_owned(),
    }
}

fn list(items: impl Iterator<Item = String>) -> Value {
    Value::Array(items.collect::<Array>())
}

fn value(setting: &Setting, text: &str, beside: &dyn Fn(&str) -> String) -> Value {
    let items = || text.split(',').map(|item| item.trim().to_owned());
    match setting.kind {
        Kind::Switch => yes_or_no(text).unwrap_or_default().into(),
        Kind::Number => text.parse::<i64>().unwrap_or_default().into(),
        Kind::List => list(items()),
        Kind::Paths => list(items().map(|item| beside(&item))),
        Kind::Path => beside(text).into(),
        Kind::Text | Kind::Choice(_) => text.into(),
    }
}

fn fresh(answers: &Answers) -> String {
    let mut text = HEADER.to_owned();
    for (key, value) in answers {
        let help = Setting::find(key).map_or("", |setting| setting.help);
        text.push_str(&format!("\n# {help}\n{key} = {value}\n"));
    }
    text
}

/// The existing file with the answers in it: comments and every other key stay.
fn merged(text: &str, answers: &Answers) -> FaultResult<String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        Fault::invalid(format!("the file cannot be understood: {}", error.message()))
            .hint("mend it, or move it away")
    })?;
    for (key, value) in answers {
        match document.get_mut(key).and_then(toml_edit::Item::as_value_mut) {
            Some(now) => {
                let decor = now.decor().clone();
                *now = value.clone();
                *now.decor_mut() = decor;
            }
            None => drop(document.insert(key, toml_edit::value(value.clone()))),
        }
    }
    Ok(document.to_string())
}
