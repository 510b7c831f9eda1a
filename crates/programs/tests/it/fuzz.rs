//! Damaged configurations and policies in YAML, TOML and JSON: loaded or refused, never a panic.

use std::path::Path;

use mainstay_fuzz::{Target, run};
use mainstay_programs::{config, policy};

const YAML: &[u8] = b"name: notes\ncommand: env\neffect: write\nenv: {A: b}\ntools:\n- name: keep\n  description: Keep\n  command: touch\n  timeout: 5s\n  args:\n  - {name: file, positional: true, required: true, enum: [a, b], default: a}\n";
const TOML: &[u8] = b"name = \"notes\"\ncommand = \"env\"\n[[tools]]\nname = \"keep\"\ncommand = \"touch\"\n[[tools.args]]\nname = \"n\"\ntype = \"integer\"\nflag = \"-n\"\ndefault = 3\n";
const POLICY: &[u8] = b"executor: {type: docker, image: x}\ntools:\n  keep:\n    args:\n      n: {min: 1, max: 9, pattern: '^[0-9]+$'}\n";

const WORDS: &[&str] = &[
    ": ",
    "- ",
    "\n  ",
    "&a ",
    "*a",
    "<<: *a",
    "!!binary ",
    "|\n",
    ">-\n",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "[[tools]]\n",
    "= ",
    "\"\"\"",
    "%YAML 9\n",
    "---\n",
    "? ",
    "name",
    "tools",
    "args",
    "pattern: '",
    "(a+)+$",
    "default",
    "~",
];

fn check(name: &str, ending: &str) {
    let target = Target { name, corpus: &[YAML, TOML, POLICY], words: WORDS };
    run(&target, |input| {
        let text = String::from_utf8_lossy(input);
        // Refused or not: only a panic is a mistake.
        let _ = config::parse(Path::new(&format!("x.{ending}")), &text);
        let _ = policy::parse(Path::new(&format!("x.{ending}")), &text);
    });
}

#[test]
fn any_yaml_is_loaded_or_refused() {
    check("yaml", "yaml");
}

#[test]
fn any_toml_is_loaded_or_refused() {
    check("toml", "toml");
}
