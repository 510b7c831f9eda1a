//! From the document to a [`Config`], with every rule about what fits together.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use mainstay_contract::{Effect, is_hidden, plain};

use super::fields::list_of_texts;
use super::{Arg, Config, Fields, Findings, Kind, Limits, OutputRule, Place, Scalar, Slot, ToolSpec, Words};
use crate::document::{self, Data, Node};
use crate::error::{Problem, ProgramsError};
use crate::value;

const SCALARS: &[(&str, Option<Scalar>)] = &[
    ("string", Some(Scalar::String)),
    ("integer", Some(Scalar::Integer)),
    ("number", Some(Scalar::Number)),
    ("boolean", Some(Scalar::Boolean)),
    ("array", None),
];

const ITEMS: &[(&str, Scalar)] = &[
    ("string", Scalar::String),
    ("integer", Scalar::Integer),
    ("number", Scalar::Number),
    ("boolean", Scalar::Boolean),
];

const EFFECTS: &[(&str, Effect)] = &[
    ("read", Effect::Read),
    ("write", Effect::Write),
    ("destructive", Effect::Destructive),
    ("network", Effect::Network),
];

/// Names the discovery tools answer to.
const RESERVED: &[&str] = &["climax_search", "climax_call", "climax_describe"];

/// Reads a configuration file.
pub fn load(path: &Path) -> Result<Config, ProgramsError> {
    parse(path, &document::read(path)?)
}

/// Reads a configuration from text; `path` decides the language.
pub fn parse(path: &Path, text: &str) -> Result<Config, ProgramsError> {
    if let Some(node) = document::parse_json_quickly(text) {
        let mut findings = Findings::default();
        let config = read_config(path, &node, &mut findings);
        if let Some(config) = config.filter(|_| findings.problems.is_empty() && findings.warnings.is_empty())
        {
            return Ok(config);
        }
    }
    from_document(path, &document::parse(path, text)?)
}

fn from_document(path: &Path, node: &Node) -> Result<Config, ProgramsError> {
    let mut findings = Findings::default();
    let config = read_config(path, node, &mut findings);
    match config {
        Some(mut config) if findings.problems.is_empty() => {
            config.warnings = findings.warnings;
            Ok(config)
        }
        _ => Err(ProgramsError::Invalid { path: path.to_owned(), problems: findings.problems }),
    }
}

fn read_config(path: &Path, node: &Node, findings: &mut Findings) -> Option<Config> {
    let mut fields = Fields::open(node, Place::default(), findings)?;
    let config = Config {
        source: path.to_owned(),
        name: fields.shown("name", findings).unwrap_or_else(|| "climax".to_owned()),
        description: fields.shown("description", findings).unwrap_or_default(),
        command: read_base_command(&mut fields, findings),
        env: read_env(&mut fields, findings),
        env_allow: fields.texts("env_allow", findings).unwrap_or_default(),
        working_dir: fields.text("working_dir", findings),
        category: fields.shown("category", findings),
        tags: fields
            .texts("tags", findings)
            .unwrap_or_default()
            .iter()
            .map(|tag| plain(tag).into())
            .collect(),
        global_args: read_args(&mut fields, "global_args", findings),
        end_of_options: fields.flag("end_of_options", findings).unwrap_or(false),
        options_first: fields.flag("options_first", findings).unwrap_or(false),
        effect: fields.word("effect", EFFECTS, findings),
        timeout: fields.seconds("timeout", findings).map(Duration::from_secs_f64),
        output: read_output(&mut fields, findings).unwrap_or_default(),
        limits: read_limits(&mut fields, findings),
        tools: read_tools(&mut fields, findings),
        warnings: Vec::new(),
    };
    fields.finish(findings);
    Some(config)
}

fn read_base_command(fields: &mut Fields<'_>, findings: &mut Findings) -> Words {
    let words = read_words(fields, "command", findings);
    let is_empty = match &words {
        Some(Words::Text(text)) => text.trim().is_empty(),
        Some(Words::List(words)) => words.first().is_none_or(|word| word.is_empty()),
        None => {
            if !fields.has("command") {
                fields.missing("command", findings);
            }
            false
        }
    };
    if is_empty && let Some(node) = fields.take("command") {
        fields.problem("command", node, "the command is empty", findings);
    }
    words.unwrap_or_else(|| Words::List(Vec::new()))
}

fn read_words(fields: &mut Fields<'_>, name: &'static str, findings: &mut Findings) -> Option<Words> {
    let node = fields.take(name)?;
    match &node.data {
        Data::Text(text) => Some(Words::Text(text.clone())),
        Data::List(_) => list_of_texts(node, &fields.place.at(name), findings).map(Words::List),
        _ => {
            fields.problem(name, node, "Input should be a valid string", findings);
            None
        }
    }
}

fn read_env(fields: &mut Fields<'_>, findings: &mut Findings) -> Vec<(String, String)> {
    let Some(node) = fields.take("env") else { return Vec::new() };
    let place = fields.place.at("env");
    let Data::Map(entries) = &node.data else {
        fields.problem("env", node, "Input should be a mapping", findings);
        return Vec::new();
    };
    let mut env = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let place = place.at(&key.name).to_string();
        match &value.data {
            Data::Text(_) if key.name.is_empty() || key.name.contains(['=', '\0']) => {
                findings.problems.push(Problem::new(key.line, place, "not a name for a variable"));
            }
            Data::Text(text) => env.push((key.name.clone(), text.clone())),
            _ => findings.problems.push(Problem::new(value.line, place, "Input should be a valid string")),
        }
    }
    env
}

fn read_output(fields: &mut Fields<'_>, findings: &mut Findings) -> Option<OutputRule> {
    let node = fields.take("output")?;
    let mut output = Fields::open(node, fields.place.at("output"), findings)?;
    let rule = OutputRule {
        max_bytes: output.count("max_bytes", findings).map(|bytes| bytes as usize),
        save: output.flag("save", findings).unwrap_or(false),
    };
    output.finish(findings);
    Some(rule)
}

fn read_limits(fields: &mut Fields<'_>, findings: &mut Findings) -> Limits {
    let Some(node) = fields.take("limits") else { return Limits::default() };
    let Some(mut limits) = Fields::open(node, fields.place.at("limits"), findings) else {
        return Limits::default();
    };
    let read = Limits {
        concurrency: limits.count("concurrency", findings),
        rate_per_minute: limits.count("rate_per_minute", findings),
    };
    limits.finish(findings);
    read
}

fn read_tools(fields: &mut Fields<'_>, findings: &mut Findings) -> Vec<ToolSpec> {
    let Some(node) = fields.take("tools") else {
        fields.missing("tools", findings);
        return Vec::new();
    };
    let Data::List(items) = &node.data else {
        fields.problem("tools", node, "Input should be a valid list", findings);
        return Vec::new();
    };
    let mut tools: Vec<ToolSpec> = Vec::with_capacity(items.len());
    for (position, item) in items.iter().enumerate() {
        let place = fields.place.at("tools").at(position);
        let Some(tool) = read_tool(item, place.clone(), findings) else { continue };
        // The later definition wins, as in the original; a warning says so.
        if let Some(earlier) = tools.iter().position(|other| other.name == tool.name) {
            let message = format!("tool '{}' is defined twice; the later definition is used", tool.name);
            findings.warnings.push(Problem::new(tool.line, place.at("name").to_string(), message));
            tools.remove(earlier);
        }
        tools.push(tool);
    }
    tools
}

fn read_tool(node: &Node, place: Place, findings: &mut Findings) -> Option<ToolSpec> {
    let mut fields = Fields::open(node, place, findings)?;
    let tool = ToolSpec {
        name: fields.required_text("name", findings),
        description: read_description(&mut fields, findings),
        command: read_words(&mut fields, "command", findings).unwrap_or_else(|| Words::List(Vec::new())),
        args: read_args(&mut fields, "args", findings),
        timeout: fields.seconds("timeout", findings).map(Duration::from_secs_f64),
        effect: fields.word("effect", EFFECTS, findings),
        output: read_output(&mut fields, findings),
        end_of_options: fields.flag("end_of_options", findings),
        options_first: fields.flag("options_first", findings),
        line: node.line,
    };
    if let Some(name) = fields.take("name") {
        let problem = if RESERVED.contains(&tool.name.as_str()) {
            Some("this name belongs to a discovery tool")
        } else if !is_tool_name(&tool.name) {
            Some("a tool name has 1 to 64 letters, digits and `_`, `-`, `.`, `/`, as clients demand")
        } else {
            None
        };
        if let Some(problem) = problem {
            fields.problem("name", name, problem, findings);
        }
    }
    let piped = tool.args.iter().filter(|arg| arg.slot == Slot::Stdin).count();
    let placed = tool.args.iter().filter(|arg| arg.slot == Slot::Cwd).count();
    for (count, what) in [(piped, "stdin"), (placed, "cwd")] {
        if count > 1
            && let Some(args) = fields.take("args")
        {
            fields.problem("args", args, format!("more than one argument is `{what}`"), findings);
        }
    }
    fields.finish(findings);
    Some(tool)
}

fn read_description(fields: &mut Fields<'_>, findings: &mut Findings) -> String {
    if !fields.has("description") {
        fields.missing("description", findings);
    }
    fields.shown("description", findings).unwrap_or_default()
}

fn is_tool_name(name: &str) -> bool {
    let is_accepted = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    (1..=64).contains(&name.len()) && name.chars().all(is_accepted)
}

fn read_args(fields: &mut Fields<'_>, name: &'static str, findings: &mut Findings) -> Vec<Arg> {
    let Some(node) = fields.take(name) else { return Vec::new() };
    let Data::List(items) = &node.data else {
        fields.problem(name, node, "Input should be a valid list", findings);
        return Vec::new();
    };
    let mut seen = BTreeSet::new();
    let mut args = Vec::with_capacity(items.len());
    for (position, item) in items.iter().enumerate() {
        let place = fields.place.at(name).at(position);
        let Some(arg) = read_arg(item, place.clone(), findings) else { continue };
        // The default of a global argument may hold variables, so its type is only known at the call.
        if name != "global_args" {
            check_default(item, &arg, &place, findings);
        }
        if !seen.insert(arg.name.clone()) {
            let message = format!("argument '{}' is defined twice", arg.name);
            findings.problems.push(Problem::new(item.line, place.at("name").to_string(), message));
        }
        args.push(arg);
    }
    args
}

fn read_arg(node: &Node, place: Place, findings: &mut Findings) -> Option<Arg> {
    let mut fields = Fields::open(node, place, findings)?;
    let name = fields.required_text("name", findings);
    if let (true, Some(node)) = (name.contains(is_hidden), fields.take("name")) {
        fields.problem("name", node, "a name holds only characters that can be seen", findings);
    }
    let kind = read_kind(&mut fields, findings);
    let arg = Arg {
        description: fields.shown("description", findings).unwrap_or_default(),
        required: fields.flag("required", findings).unwrap_or(false),
        default: fields.take("default").map(Node::to_json),
        slot: read_slot(&name, &mut fields, findings),
        choices: fields.texts("enum", findings),
        allow_dash: fields.flag("allow_dash", findings).unwrap_or(false),
        secret: fields.flag("secret", findings).unwrap_or(false),
        kind,
        name,
    };
    if let (Some(node), Some(choices)) = (fields.take("enum"), &arg.choices)
        && choices.is_empty()
    {
        fields.problem("enum", node, "the list is empty: no value could ever be given", findings);
    }
    if matches!(arg.kind, Kind::Many { .. }) && matches!(arg.slot, Slot::Cwd | Slot::Stdin) {
        fields.problem("type", node, "an array can be neither `cwd` nor `stdin`", findings);
    }
    fields.finish(findings);
    Some(arg)
}

fn check_default(node: &Node, arg: &Arg, place: &Place, findings: &mut Findings) {
    if let Some(default) = &arg.default
        && let Err(refusal) = value::coerce(arg, default)
    {
        findings.problems.push(Problem::new(node.line, place.at("default").to_string(), refusal.to_string()));
    }
}

fn read_kind(fields: &mut Fields<'_>, findings: &mut Findings) -> Kind {
    let kind = match fields.word("type", SCALARS, findings) {
        Some(None) => None,
        Some(Some(scalar)) => Some(scalar),
        None => Some(Scalar::String),
    };
    let item = fields.word("items", ITEMS, findings);
    let separator = fields.text("separator", findings);
    match kind {
        None => Kind::Many { item: item.unwrap_or(Scalar::String), separator },
        Some(scalar) => {
            for name in ["items", "separator"] {
                if let Some(node) = fields.take(name) {
                    fields.problem(name, node, "only an argument of type 'array' has this", findings);
                }
            }
            Kind::One(scalar)
        }
    }
}

fn read_slot(name: &str, fields: &mut Fields<'_>, findings: &mut Findings) -> Slot {
    let flag = fields.text("flag", findings);
    let positional = fields.flag("positional", findings).unwrap_or(false);
    let cwd = fields.flag("cwd", findings).unwrap_or(false);
    let stdin = fields.flag("stdin", findings).unwrap_or(false);
    let chosen: Vec<&str> =
        [("positional", positional), ("flag", flag.is_some()), ("cwd", cwd), ("stdin", stdin)]
            .into_iter()
            .filter_map(|(word, is_set)| is_set.then_some(word))
            .collect();
    if let [first, second, ..] = chosen[..] {
        let message = format!("an argument cannot be both `{first}` and `{second}`");
        findings.problems.push(Problem::new(fields.line, fields.place.at(first).to_string(), message));
    }
    if let (Some(node), Some(flag)) = (fields.take("flag"), &flag)
        && (flag.is_empty() || flag.contains('\0'))
    {
        fields.problem("flag", node, "the flag is empty", findings);
    }
    match (positional, cwd, stdin, flag) {
        (true, ..) => Slot::Positional,
        (_, true, ..) => Slot::Cwd,
        (_, _, true, _) => Slot::Stdin,
        (.., Some(flag)) => Slot::Flag(flag),
        (.., None) => Slot::Flag(format!("--{}", name.replace('_', "-"))),
    }
}
