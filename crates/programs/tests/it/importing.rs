//! Drafts from real programs and real formats: what comes out loads, and runs.

use mainstay_programs::config;
use mainstay_programs::import::{Draft, ImportOptions, asking, from_file, from_help};
use serde_json::{Value, json};

use crate::site::{Answer, Site};

/// Imports some commands of an installed program; nothing where it is not installed.
fn import(program: &str, only: &[&str]) -> Option<(Site, Draft)> {
    let mut site = Site::new();
    mainstay_programs::find_program(program, &site.given.vars)?;
    let options = ImportOptions {
        only: only.iter().map(|word| (*word).to_owned()).collect(),
        ..ImportOptions::default()
    };
    let draft = from_help(program, &options, &mut asking(&site.given.launcher, &site.given.vars, program));
    let draft = draft.unwrap_or_else(|error| panic!("{error}"));
    // A toolchain that is not in its usual place is found by these, which are not let through unasked.
    let yaml = format!("{}env_allow: [RUSTUP_HOME, CARGO_HOME]\n", draft.to_yaml());
    let path = site.write("imported.yaml", &yaml);
    site.given.configs.push(path.display().to_string());
    Some((site, draft))
}

fn works(site: &Site, tool: &str, args: Value) -> Answer {
    let answer = site.call(tool, args);
    assert!(!answer.is_error, "{tool}: {}", answer.text);
    answer
}

fn arg<'a>(draft: &'a Draft, tool: &str, name: &str) -> &'a mainstay_programs::import::DraftArg {
    let tool = draft
        .tools
        .iter()
        .find(|found| found.words.join(" ") == tool)
        .unwrap_or_else(|| panic!("no tool {tool}"));
    tool.args.iter().find(|arg| arg.name == name).unwrap_or_else(|| panic!("no argument {name} in {tool:#?}"))
}

#[test]
fn git_imports_and_runs() {
    let Some((site, draft)) = import("git", &["init", "status", "add", "log", "rm"]) else { return };
    let here = site.dir.path().display().to_string();
    works(&site, "git_init", json!({ "directory": here, "quiet": true }));
    site.write("a file", "x");
    works(&site, "git_add", json!({ "directory": here, "pathspec": ["a file"], "verbose": true }));
    assert!(
        works(&site, "git_status", json!({ "directory": here, "short": true }))
            .text
            .contains("A  \"a file\"")
    );
    assert!(arg(&draft, "add", "pathspec").is_many);
    let yaml = draft.to_yaml();
    assert!(yaml.contains("effect: destructive") && yaml.contains("effect: read"), "{yaml}");
}

#[test]
fn cargo_imports_and_runs() {
    let Some((site, draft)) = import("cargo", &["new", "check", "test"]) else { return };
    let here = site.dir.path().display().to_string();
    works(
        &site,
        "cargo_new",
        json!({ "directory": here, "path": "probe", "vcs": "none", "lib": true, "quiet": true }),
    );
    works(
        &site,
        "cargo_check",
        json!({ "directory": format!("{here}/probe"), "offline": true, "quiet": true }),
    );
    assert_eq!(arg(&draft, "new", "vcs").choices[0], "git");
    let test = draft.tools.iter().find(|tool| tool.words == ["test"]).unwrap();
    assert!(!test.end_of_options, "what follows `--` is for the test binary");
}

#[test]
fn gnu_programs_import_and_run() {
    let Some((site, _)) = import("tar", &[]) else { return };
    let here = site.dir.path().display().to_string();
    site.write("-dashed", "text");
    // `--directory` holds for the files, not for the archive.
    let archive = site.path("a.tar").display().to_string();
    works(&site, "tar", json!({ "directory": here, "create": true, "file": archive, "files": ["-dashed"] }));
    assert_eq!(
        works(&site, "tar", json!({ "directory": here, "list": true, "file": archive })).text,
        "-dashed"
    );

    let Some((site, draft)) = import("grep", &[]) else { return };
    site.write("hay", "one\nneedle\n");
    let file = site.path("hay").display().to_string();
    let found = works(
        &site,
        "grep",
        json!({ "patterns": "need.e", "files": [file], "line_number": true, "max_count": 1 }),
    );
    assert_eq!(found.text, "2:needle");
    assert_eq!(arg(&draft, "", "max_count").flag.as_deref(), Some("--max-count="));
}

#[test]
fn pip_and_npm_import_and_run() {
    if let Some((site, draft)) = import("pip", &["list", "install", "cache"]) {
        works(&site, "pip_list", json!({ "format": "json", "disable_pip_version_check": true }));
        assert!(arg(&draft, "install", "requirement").is_many);
    }
    if let Some((site, draft)) = import("npm", &["ls", "install"]) {
        let here = site.dir.path().display().to_string();
        site.write("package.json", "{\"name\": \"probe\", \"version\": \"1.0.0\"}");
        assert!(works(&site, "npm_ls", json!({ "directory": here, "json": true })).text.contains("probe"));
        assert_eq!(arg(&draft, "install", "omit").choices, ["dev", "optional", "peer"]);
        assert!(arg(&draft, "install", "global").description.contains("global"));
    }
}

#[test]
fn a_program_without_help_is_refused_clearly() {
    let site = Site::new();
    let ask = &mut asking(&site.given.launcher, &site.given.vars, "true-but-missing");
    let error = from_help("true-but-missing", &ImportOptions::default(), ask).unwrap_err().to_string();
    assert_eq!(error, "could not import true-but-missing: it gives no help text with --help or -h");
}

/// Reads a file, checks that what comes out loads, and returns it.
fn from_text(name: &str, text: &str) -> Draft {
    let site = Site::new();
    let path = site.write(name, text);
    let draft = from_file("tool", &path).unwrap_or_else(|error| panic!("{error}"));
    config::parse(std::path::Path::new("x.yaml"), &draft.to_yaml())
        .unwrap_or_else(|error| panic!("{error}\n{}", draft.to_yaml()));
    draft
}

#[test]
fn usage_specs_are_read() {
    let draft = from_text(
        "tool.usage.kdl",
        r#"
        name "Tool"
        bin "tool"
        about "Does things"
        flag "-v --verbose" help="Talk" global=#true
        cmd "add" help="Add a thing" effect="write" {
            arg "<file>" help="What to add"
            arg "[more]..." help="And more"
            flag "-f --format <format>" help="How" { choices "json" "text" }
            flag "--user" required=#true { arg "<user>" }
        }
        cmd "gone" hide=#true
        cmd "remote" { cmd "list" help="List remotes" effect="read" }
    "#,
    );
    let words: Vec<String> = draft.tools.iter().map(|tool| tool.words.join(" ")).collect();
    assert_eq!(words, ["add", "remote list"]);
    assert_eq!((draft.tools[0].effect, draft.tools[1].effect), (Some("write"), Some("read")));
    assert!(arg(&draft, "add", "file").is_required && arg(&draft, "add", "more").is_many);
    assert_eq!(arg(&draft, "add", "format").choices, ["json", "text"]);
    assert_eq!(arg(&draft, "add", "user").flag.as_deref(), Some("--user"));
    assert_eq!(arg(&draft, "remote list", "verbose").description, "Talk");
}

#[test]
fn carapace_specs_are_read() {
    let draft = from_text(
        "tool.yaml",
        "name: tool\ndescription: Does things\npersistentflags:\n  -v, --verbose: Talk\ncommands:\n\
        - name: add\n  description: Add a thing\n  flags:\n    -f, --format=: How\n    --tag=*: Tags\n    --color?: Colour\n    --secret&: Hidden\n  \
        completion:\n    flag:\n      format: [json, text]\n    positional:\n    - [\"$files\"]\n",
    );
    assert_eq!(arg(&draft, "add", "format").choices, ["json", "text"]);
    assert!(arg(&draft, "add", "tag").is_many);
    assert_eq!(arg(&draft, "add", "color").flag.as_deref(), Some("--color="));
    assert!(draft.tools[0].args.iter().all(|arg| arg.name != "secret"));
    arg(&draft, "add", "verbose");
}

#[test]
fn completion_scripts_are_read() {
    let fish = from_text(
        "tool.fish",
        "# c\ncomplete -c tool -n __fish_use_subcommand -a add -d 'Add a thing'\n\
        complete -c tool -n '__fish_seen_subcommand_from add' -s f -l format -d 'How' -x -a 'json text'\n\
        complete -c tool -n '__fish_seen_subcommand_from add' -l force -d 'Do it'\ncomplete -c other -l no\n",
    );
    let zsh = from_text(
        "_tool",
        "#compdef tool\n_tool() {\n_arguments \\\n'-V[version]' \\\n&& ret=0\ncase $line[1] in\n(add)\n_arguments \\\n\
        '(-f --format)'{-f,--format}'[How]:format:(json text)' \\\n'--force[Do it]' \\\n&& ret=0\n;;\nesac\n}\n\
        commands=(\n'add:Add a thing' \\\n)\n",
    );
    for draft in [fish, zsh] {
        assert_eq!(draft.tools.len(), 1, "{draft:?}");
        assert_eq!(draft.tools[0].description, "Add a thing");
        assert_eq!(arg(&draft, "add", "format").choices, ["json", "text"]);
        assert_eq!(arg(&draft, "add", "force").kind, config::Scalar::Boolean);
    }
}
