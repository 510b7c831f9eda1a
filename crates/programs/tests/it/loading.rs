//! Files that do not load say where and why.

use mainstay_programs::Reloader;
use serde_json::json;

use crate::site::Site;

fn config_error(text: &str) -> String {
    let mut site = Site::new();
    let path = site.write("c.yaml", text);
    site.given.configs.push(path.display().to_string());
    site.load_error().replace(&format!("{}: ", path.display()), "")
}

fn policy_error(text: &str) -> String {
    let mut site = Site::new().fixture(json!([
        { "name": "run_it", "description": "d", "command": "argv", "args": [{ "name": "value" }, { "name": "count" }] }
    ]));
    let path = site.write("p.yaml", text);
    site.given.policy = Some(path.clone());
    site.load_error().replace(&format!("{}: ", path.display()), "")
}

#[test]
fn mistakes_in_a_configuration_name_line_and_key() {
    let tool = "command: x\ntools:\n- name: t\n  description: d\n";
    for (text, want) in [
        ("name: x\ntools: []\n".to_owned(), "line 1: command: Field required"),
        ("command: x\n".to_owned(), "line 1: tools: Field required"),
        ("command: ''\ntools: []\n".to_owned(), "line 1: command: the command is empty"),
        ("".to_owned(), "the file is empty; a mapping of keys to values is expected"),
        ("- a\n".to_owned(), "line 1: Input should be a mapping"),
        ("command: x\ntools:\n- name: t\n".to_owned(), "line 3: tools → 0 → description: Field required"),
        (
            "command: x\nenv: {PORT: 80}\ntools: []\n".to_owned(),
            "line 2: env → PORT: Input should be a valid string",
        ),
        ("command: x\ntols: []\ntools: []\n".to_owned(), "line 2: tols: unknown key; did you mean `tools`?"),
        (format!("{tool}  timeout: -1\n"), "line 5: tools → 0 → timeout: Input should not be negative"),
        (
            format!("{tool}  effect: wild\n"),
            "line 5: tools → 0 → effect: Input should be 'read', 'write', 'destructive' or 'network'",
        ),
        (
            format!("{tool}  args:\n  - name: a\n    type: banana\n"),
            "line 7: tools → 0 → args → 0 → type: Input should be 'string', 'integer', 'number', 'boolean' or 'array'",
        ),
        (
            format!("{tool}  args:\n  - name: a\n  - name: a\n"),
            "line 7: tools → 0 → args → 1 → name: argument 'a' is defined twice",
        ),
        (
            format!("{tool}  args:\n  - {{name: a, positional: true, flag: -a}}\n"),
            "line 6: tools → 0 → args → 0 → positional: an argument cannot be both `positional` and `flag`",
        ),
        (
            format!("{tool}  args:\n  - {{name: a, stdin: true}}\n  - {{name: b, stdin: true}}\n"),
            "tools → 0 → args: more than one argument is `stdin`",
        ),
        (
            format!("{tool}  args:\n  - {{name: a, type: integer, default: many}}\n"),
            "line 6: tools → 0 → args → 0 → default: Argument 'a': cannot convert 'many' to integer",
        ),
        (
            format!("{tool}  args:\n  - {{name: a, enum: [x], default: y}}\n"),
            "default: Argument 'a' must be one of: x",
        ),
        (
            format!("{tool}  args:\n  - {{name: a, separator: ','}}\n"),
            "separator: only an argument of type 'array' has this",
        ),
        (
            "command: x\ntools:\n- {name: climax_call, description: d}\n".to_owned(),
            "tools → 0 → name: this name belongs to a discovery tool",
        ),
        (
            "command: x\ntools:\n- {name: 'a b', description: d}\n".to_owned(),
            "tools → 0 → name: a tool name has 1 to 64 letters",
        ),
    ] {
        let error = config_error(&text);
        assert!(error.contains(want), "{text}\n  gave: {error}\n  want: {want}");
    }
}

#[test]
fn every_mistake_is_reported_at_once() {
    let error = config_error("tools:\n- name: t\n- description: d\n");
    assert_eq!(error.lines().count(), 3, "{error}");
}

#[test]
fn mistakes_in_a_policy_never_vanish() {
    for (text, want) in [
        ("default: sometimes\n", "line 1: default: Input should be 'enabled' or 'disabled'"),
        ("tools:\n  run_it:\n", "tools → run_it: Input should be a mapping; write `{}` for an empty one"),
        ("tools:\n  run_it: {args: {value: {patern: x}}}\n", "unknown key; did you mean `pattern`?"),
        (
            "tools:\n  run_it: {args: {value: {pattern: '([a-z'}}}\n",
            "line 2: tools → run_it → args → value → pattern: not a regular expression: unclosed character class",
        ),
        ("tools:\n  run_it: {args: {value: {pattern: '(?=x)'}}}\n", "not a regular expression: look-around"),
        ("tools:\n  run_it: {args: {value: {pattern: 'a)(b'}}}\n", "not a regular expression"),
        ("tools:\n  run_it: {args: {count: {min: 5, max: 1}}}\n", "min: 5.0 is above `max` 1.0"),
        ("tools:\n  ran_it: {}\n", "line 2: tools → ran_it: no tool has this name; did you mean `run_it`?"),
        ("tools:\n  'z*': {deny: true}\n", "tools → z*: no tool has this name"),
        (
            "tools:\n  run_it: {args: {valeu: {}}}\n",
            "tools → run_it → args → valeu: the tool has no argument of this name; did you mean `value`?",
        ),
        ("executor: {type: docker}\n", "executor: Value error, Docker executor requires 'image' to be set"),
    ] {
        let error = policy_error(text);
        assert!(error.contains(want), "{text}\n  gave: {error}\n  want: {want}");
    }
}

#[test]
fn the_original_dialect_only_warns_about_names() {
    let site = Site::new()
        .fixture(json!([{ "name": "t", "description": "d", "command": "argv", "args": [] }]))
        .policy(json!({ "tools": { "t": { "args": { "ghost": { "max": 1 } } }, "ghost": {} } }))
        .climax();
    let programs = site.load().unwrap();
    assert_eq!(programs.warnings.len(), 2, "{:?}", programs.warnings);
}

#[test]
fn toml_and_json_load_like_yaml() {
    let mut site = Site::new();
    let toml = "name = 'x'\ncommand = 'echo'\n[[tools]]\nname = 'say'\ndescription = 'd'\n\
                [[tools.args]]\nname = 'zeta'\npositional = true\n[[tools.args]]\nname = 'alpha'\ntype = 'array'\n";
    let path = site.write("c.toml", toml);
    site.given.configs.push(path.display().to_string());
    assert_eq!(site.words_text("say", json!({ "alpha": ["1", "2"], "zeta": "z" })), "z --alpha 1 --alpha 2");
    let bad = site.write("bad.toml", "command = 'x'\ntools = []\nnam = 'y'\n");
    site.given.configs = vec![bad.display().to_string()];
    assert!(site.load_error().contains("line 3: nam: unknown key; did you mean `name`?"));
}

#[test]
fn unquoted_words_of_old_yaml_are_understood() {
    let mut site = Site::new();
    let text = "command: echo\ntools:\n- name: t\n  description: d\n  timeout: '60'\n  args:\n  \
                - {name: a, required: yes, enum: [on, off]}\n";
    let path = site.write("c.yaml", text);
    site.given.configs.push(path.display().to_string());
    assert_eq!(site.words_text("t", json!({ "a": "on" })), "--a on");
    assert!(site.call("t", json!({})).text.contains("Missing required argument 'a'"));
}

#[test]
fn a_changed_file_is_noticed_and_a_broken_one_keeps_the_tools() {
    let mut site = Site::new();
    let path = site.write("c.yaml", "command: echo\ntools: [{name: one, description: d}]\n");
    site.given.configs.push(path.display().to_string());
    let mut reloader = Reloader::new(site.given.clone());
    assert!(reloader.is_needed() && reloader.check().is_none());
    site.write(
        "c.yaml",
        "command: echo\ntools: [{name: one, description: d}, {name: two, description: d}]\n",
    );
    let count = reloader.check().unwrap().unwrap().tools.len();
    assert_eq!(count, 4, "two programs and two discovery tools");
    site.write("c.yaml", "command: echo\ntools: [");
    assert!(reloader.check().unwrap().is_err());
    assert!(reloader.check().is_none(), "said once");
    std::fs::remove_file(&path).unwrap();
    assert!(reloader.check().unwrap().is_err());
}

#[test]
fn nothing_configured_is_two_tools_and_nothing_to_watch() {
    let site = Site::new();
    assert_eq!(site.load().unwrap().tools.len(), 2);
    assert!(!Reloader::new(site.given.clone()).is_needed());
}
