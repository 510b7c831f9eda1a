//! Settings from defaults, files, variables and flags, each with its origin.

mod file;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use mainstay_runtime::{Origin, Sourced};
use serde_json::{Map, Value, json};

pub use self::table::{Kind, SETTINGS, Setting};

/// The configuration file of a project.
pub const FILE_NAME: &str = "mainstay.toml";

/// The configuration file for every project of the user.
pub fn user_file(env: &BTreeMap<String, String>) -> Option<PathBuf> {
    let config_home = env.get("XDG_CONFIG_HOME").map(PathBuf::from);
    let config_home = config_home.or_else(|| env.get("HOME").map(|home| Path::new(home).join(".config")));
    config_home.map(|dir| dir.join("mainstay").join(FILE_NAME))
}

#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("{path}:{line}: {reason}")]
    File { path: String, line: usize, reason: String },
    #[error("could not read {path}: {reason}")]
    Unreadable { path: String, reason: String },
    #[error("{origin}: {reason}")]
    Value { origin: String, reason: String },
}

/// A value somebody chose.
pub struct Given {
    pub key: &'static str,
    pub value: String,
    pub origin: Origin,
}

/// The settings of this run. Later layers win: defaults, user file, project file, variables, flags.
#[derive(Debug)]
pub struct Settings {
    values: BTreeMap<&'static str, Sourced<String>>,
    pub work_dir: PathBuf,
    pub env: BTreeMap<String, String>,
}

impl Settings {
    pub fn load(
        matches: &ArgMatches,
        env: BTreeMap<String, String>,
        work_dir: PathBuf,
    ) -> Result<Settings, SettingsError> {
        let mut settings = Settings { values: BTreeMap::new(), work_dir, env };
        for setting in SETTINGS.iter().filter(|setting| !setting.default.is_empty()) {
            settings.values.insert(setting.key, Sourced::new(setting.default.to_owned(), Origin::Default));
        }
        for path in settings.files(matches) {
            for given in file::read(&path)? {
                settings.put(given)?;
            }
        }
        for setting in SETTINGS {
            let names = setting.seed_env.iter().map(|name| (*name).to_owned()).chain([setting.env()]);
            for name in names {
                if let Some(value) = settings.env.get(&name).filter(|value| !value.is_empty()).cloned() {
                    settings.put(Given { key: setting.key, value, origin: Origin::env(&name) })?;
                }
            }
        }
        for given in from_flags(matches) {
            settings.put(given)?;
        }
        Ok(settings)
    }

    /// The configuration files that exist, weakest first.
    pub fn files(&self, matches: &ArgMatches) -> Vec<PathBuf> {
        let named = matches.try_get_one::<String>("config").ok().flatten().cloned();
        if let Some(path) = named.or_else(|| self.env.get("MAINSTAY_CONFIG").cloned()) {
            return vec![self.work_dir.join(path)];
        }
        let project = self.work_dir.ancestors().map(|dir| dir.join(FILE_NAME)).find(|path| path.is_file());
        user_file(&self.env).into_iter().filter(|path| path.is_file()).chain(project).collect()
    }

    fn put(&mut self, given: Given) -> Result<(), SettingsError> {
        let setting = Setting::find(given.key).expect("a given key stands in the table");
        let value = normal(setting, &given.value)
            .map_err(|reason| SettingsError::Value { origin: given.origin.to_string(), reason })?;
        self.values.insert(setting.key, Sourced::new(value, given.origin));
        Ok(())
    }

    pub fn get(&self, key: &str) -> Option<&Sourced<String>> {
        debug_assert!(Setting::find(key).is_some(), "{key} stands in the table");
        self.values.get(key)
    }

    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).map(|sourced| sourced.value.as_str())
    }

    pub fn switch(&self, key: &str) -> Sourced<bool> {
        self.map(key, |text| text == "true").unwrap_or_default()
    }

    pub fn number(&self, key: &str) -> Option<u64> {
        self.text(key).and_then(|text| text.parse().ok())
    }

    pub fn list(&self, key: &str) -> Sourced<Vec<String>> {
        let split = |text: &str| {
            text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
        };
        self.map(key, split).unwrap_or_default()
    }

    /// A path, taken from the working directory.
    pub fn path(&self, key: &str) -> Option<PathBuf> {
        self.text(key).map(|text| self.work_dir.join(text))
    }

    /// The repository the tools work on.
    pub fn repo(&self) -> PathBuf {
        self.path("repo").unwrap_or_else(|| self.work_dir.clone())
    }

    fn map<T>(&self, key: &str, read: impl Fn(&str) -> T) -> Option<Sourced<T>> {
        self.get(key).map(|sourced| Sourced::new(read(&sourced.value), sourced.origin.clone()))
    }

    /// Every setting with value and origin; secrets are masked.
    pub fn show(&self) -> Vec<(&'static Setting, Option<Sourced<String>>)> {
        let mask = |setting: &Setting, sourced: &Sourced<String>| match setting.secret {
            true => Sourced::new("***".to_owned(), sourced.origin.clone()),
            false => sourced.clone(),
        };
        SETTINGS
            .iter()
            .map(|setting| (setting, self.get(setting.key).map(|sourced| mask(setting, sourced))))
            .collect()
    }
}

/// Checks a value and brings it into one spelling.
fn normal(setting: &Setting, value: &str) -> Result<String, String> {
    let name = setting.key;
    match setting.kind {
        Kind::Switch => match value.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Ok("true".into()),
            "0" | "false" | "no" | "off" => Ok("false".into()),
            _ => Err(format!("{name} must be true or false, not {value}")),
        },
        Kind::Number => match value.parse::<u64>() {
            Ok(number) => Ok(number.to_string()),
            Err(_) => Err(format!("{name} must be a whole number, not {value}")),
        },
        Kind::Choice(words) => match words.contains(&value) {
            true => Ok(value.to_owned()),
            false => Err(format!("{name} must be one of {}, not {value}", words.join(", "))),
        },
        Kind::Text | Kind::Path | Kind::List | Kind::Paths => Ok(value.to_owned()),
    }
}

/// Adds the flag of every setting to a command, once that command is used: most starts use one.
pub fn with_flags(command: Command) -> Command {
    command.defer(add_flags)
}

fn add_flags(command: Command) -> Command {
    let command =
        command.arg(Arg::new("config").long("config").value_name("FILE").help("Configuration file to use"));
    let command = SETTINGS.iter().fold(command, |command, setting| command.arg(flag(setting)));
    SHORT_FLAGS.iter().fold(command, |command, (flag, key, value)| {
        let help = format!("Short for --{key}={value}");
        command
            .arg(Arg::new(*flag).long(*flag).action(ArgAction::SetTrue).help(help).help_heading("Settings"))
    })
}

/// Adds the flags of these settings, for a command to which the others mean nothing.
pub fn with_some_flags(command: Command, keys: &[&str]) -> Command {
    let wanted = SETTINGS.iter().filter(|setting| keys.contains(&setting.key));
    wanted.fold(command, |command, setting| command.arg(flag(setting)))
}

fn flag(setting: &'static Setting) -> Arg {
    let arg = Arg::new(setting.key).long(setting.key).help(setting.help).help_heading("Settings");
    match setting.kind {
        Kind::Switch => arg
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_name("BOOL")
            .hide_default_value(true),
        Kind::List | Kind::Paths => arg.action(ArgAction::Append).value_name("A,B"),
        Kind::Number => arg.value_name("N"),
        Kind::Path => arg.value_name("PATH"),
        Kind::Choice(words) => arg.value_name("WORD").help(format!("{} [{}]", setting.help, words.join("|"))),
        Kind::Text => arg.value_name("TEXT"),
    }
}

/// Flags that set another setting: flag, key, value.
const SHORT_FLAGS: &[(&str, &str, &str)] = &[
    ("classic", "form", "classic"),
    ("discovery", "form", "discovery"),
    ("no-dashboard", "dashboard", "false"),
    ("no-daemon", "join-daemon", "false"),
];

/// What was chosen with flags of this command line.
pub fn from_flags(matches: &ArgMatches) -> Vec<Given> {
    let mut given = Vec::new();
    for setting in SETTINGS {
        let Ok(Some(values)) = matches.try_get_many::<String>(setting.key) else { continue };
        let values: Vec<&str> = values.map(String::as_str).collect();
        given.push(Given {
            key: setting.key,
            value: values.join(","),
            origin: Origin::flag(&setting.flag()),
        });
    }
    for (flag, key, value) in SHORT_FLAGS {
        if matches.try_get_one::<bool>(flag).ok().flatten() == Some(&true) {
            given.push(Given { key, value: (*value).to_owned(), origin: Origin::flag(&format!("--{flag}")) });
        }
    }
    given
}

/// The JSON Schema of `mainstay.toml`.
pub fn file_schema() -> Value {
    let properties: Map<String, Value> = SETTINGS
        .iter()
        .map(|setting| {
            let mut schema = match setting.kind {
                Kind::Switch => json!({ "type": "boolean" }),
                Kind::Number => json!({ "type": "integer", "minimum": 0 }),
                Kind::List | Kind::Paths => json!({ "type": "array", "items": { "type": "string" } }),
                Kind::Choice(words) => json!({ "enum": words }),
                Kind::Text | Kind::Path => json!({ "type": "string" }),
            };
            schema["description"] = setting.help.into();
            (setting.key.to_owned(), schema)
        })
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "mainstay.toml",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(args: &[&str], env: &[(&str, &str)], dir: &Path) -> Result<Settings, SettingsError> {
        let matches = with_flags(Command::new("test")).get_matches_from([&["test"], args].concat());
        let env = env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Settings::load(&matches, env, dir.to_owned())
    }

    #[test]
    fn later_layers_win_and_say_so() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("mainstay.toml"), "\nqueue-max = 3\nread-only = true\n").unwrap();
        let from_file = load(&[], &[], dir.path()).unwrap();
        assert_eq!(from_file.number("queue-max"), Some(3));
        assert!(matches!(&from_file.get("queue-max").unwrap().origin, Origin::File { line: 2, .. }));
        assert!(from_file.switch("read-only").value);
        let from_env = load(&[], &[("PAIROFCLEATS_MCP_QUEUE_MAX", "4")], dir.path()).unwrap();
        assert_eq!(from_env.number("queue-max"), Some(4));
        let from_flag =
            load(&["--queue-max", "5", "--read-only=false"], &[("MAINSTAY_QUEUE_MAX", "4")], dir.path())
                .unwrap();
        assert_eq!(
            from_flag.get("queue-max").unwrap(),
            &Sourced::new("5".into(), Origin::flag("--queue-max"))
        );
        assert!(!from_flag.switch("read-only").value);
    }

    #[test]
    fn every_setting_is_reached_by_flag_variable_and_file() {
        let dir = tempfile::tempdir().unwrap();
        for setting in SETTINGS {
            let (flag_value, file_value) = match setting.kind {
                Kind::Switch => ("true".into(), "true".into()),
                Kind::Number => ("7".to_owned(), "7".into()),
                Kind::List | Kind::Paths => ("/a,/b".into(), "[\"/a\", \"/b\"]".into()),
                Kind::Choice(words) => (words[1].to_owned(), format!("\"{}\"", words[1])),
                Kind::Text | Kind::Path => ("/x".into(), "\"/x\"".into()),
            };
            let by_flag = load(&[&format!("--{}={flag_value}", setting.key)], &[], dir.path()).unwrap();
            let by_env = load(&[], &[(&setting.env(), &flag_value)], dir.path()).unwrap();
            let file = dir.path().join("other.toml");
            std::fs::write(&file, format!("{} = {file_value}\n", setting.key)).unwrap();
            let by_file = load(&["--config", file.to_str().unwrap()], &[], dir.path()).unwrap();
            for settings in [by_flag, by_env, by_file] {
                assert_eq!(settings.text(setting.key), Some(flag_value.as_str()), "{}", setting.key);
            }
        }
    }

    #[test]
    fn paths_in_a_file_are_taken_from_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        let below = dir.path().join("a/b");
        std::fs::create_dir_all(&below).unwrap();
        let text = "repo = \".\"\nkit = \"kit\"\nallowed-repo-roots = [\"a\", \"/z\"]\n";
        std::fs::write(dir.path().join("mainstay.toml"), text).unwrap();
        let settings = load(&[], &[], &below).unwrap();
        assert_eq!(settings.repo(), dir.path());
        assert_eq!(settings.path("kit").unwrap(), dir.path().join("kit"));
        let roots = settings.list("allowed-repo-roots").value;
        assert_eq!(roots, [dir.path().join("a").display().to_string(), "/z".into()]);
        let by_flag = load(&["--kit", "kit"], &[], &below).unwrap();
        assert_eq!(by_flag.path("kit").unwrap(), below.join("kit"));
    }

    #[test]
    fn mistakes_name_their_place() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("mainstay.toml");
        let error = |text: &str| {
            std::fs::write(&file, text).unwrap();
            load(&[], &[], dir.path()).unwrap_err().to_string()
        };
        assert!(
            error("# x\nqueue-mx = 3\n")
                .ends_with("mainstay.toml:2: unknown key queue-mx; did you mean queue-max?")
        );
        assert!(error("queue-max = \"x\"\n").contains(":1: queue-max must be a whole number"));
        assert!(error("a = = 1\n").contains(":1: "));
        std::fs::remove_file(&file).unwrap();
        let bad = load(&[], &[("MAINSTAY_ROLE", "king")], dir.path()).unwrap_err().to_string();
        assert_eq!(bad, "the variable MAINSTAY_ROLE: role must be one of designer, maintainer, not king");
    }
}
