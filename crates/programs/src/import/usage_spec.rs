//! `usage` specs: a program's commands, flags and arguments in KDL.

use super::draft::{Draft, DraftArg, DraftTool};
use super::kdl::{self, KdlNode};
use super::option::parse_option;

pub fn parse(program: &str, text: &str) -> Result<Draft, String> {
    let root = KdlNode { children: kdl::parse(text)?, ..KdlNode::default() };
    let first = |name: &str| root.child(name).and_then(|node| node.args.first()).cloned();
    let mut draft = Draft {
        name: format!("{program}-tools"),
        description: first("about").unwrap_or_default(),
        command: program.to_owned(),
        ..Draft::default()
    };
    let globals: Vec<DraftArg> = root
        .children
        .iter()
        .filter(|node| node.name == "flag" && node.is_set("global"))
        .filter_map(flag)
        .collect();
    visit(&root, &mut Vec::new(), &globals, &mut draft);
    Ok(draft)
}

fn visit(node: &KdlNode, words: &mut Vec<String>, globals: &[DraftArg], draft: &mut Draft) {
    let commands: Vec<&KdlNode> =
        node.children.iter().filter(|child| child.name == "cmd" && !child.is_set("hide")).collect();
    if !commands.is_empty() && words.len() < 8 {
        for command in commands {
            let Some(name) = command.args.first() else { continue };
            words.push(name.clone());
            visit(command, words, globals, draft);
            words.pop();
        }
        return;
    }
    let own = node.children.iter().filter_map(|child| match child.name.as_str() {
        "arg" => Some(positional(child)),
        "flag" if !child.is_set("hide") => flag(child),
        _ => None,
    });
    let mut args: Vec<DraftArg> = own.collect();
    args.extend(
        globals
            .iter()
            .filter(|global| args.iter().all(|arg| arg.name != global.name))
            .cloned()
            .collect::<Vec<_>>(),
    );
    let described = node.prop("help").or_else(|| node.child("help")?.args.first().map(String::as_str));
    draft.tools.push(DraftTool {
        words: words.clone(),
        description: described.unwrap_or(&draft.description).to_owned(),
        args,
        end_of_options: true,
        effect: match node.prop("effect") {
            Some("read") => Some("read"),
            Some("write") => Some("write"),
            Some("destructive") => Some("destructive"),
            _ => None,
        },
    });
}

fn described(node: &KdlNode, arg: DraftArg) -> DraftArg {
    let help = node.prop("help").or_else(|| node.child("help")?.args.first().map(String::as_str));
    let mut arg = arg.described(help.unwrap_or_default());
    if let Some(choices) = node.child("choices") {
        arg.choices.clone_from(&choices.args);
    }
    arg
}

/// `arg "<file>"`, `arg "[file]…"`.
fn positional(node: &KdlNode) -> DraftArg {
    let written = node.args.first().map(String::as_str).unwrap_or_default();
    let mut arg = described(node, DraftArg::positional(written));
    arg.is_required =
        written.starts_with('<') && node.prop("default").is_none() && node.prop("required") != Some("#false");
    arg.is_many = node.is_set("var") || written.contains('…') || written.contains("...");
    arg
}

/// `flag "-f --force"`, `flag "--user <user>"`, or the value as a child `arg`.
fn flag(node: &KdlNode) -> Option<DraftArg> {
    let written = node.args.join(" ").replace(" -", ", -");
    let (arg, _) = parse_option(&written)?;
    let arg = match node.child("arg") {
        Some(value) => {
            let taking = arg.taking(value.args.first().map(String::as_str).unwrap_or_default());
            let choices = value.child("choices").map(|choices| choices.args.clone());
            DraftArg { choices: choices.unwrap_or(taking.choices.clone()), ..taking }
        }
        None => arg,
    };
    let choices = arg.choices.clone();
    let mut arg = described(node, arg);
    if arg.choices.is_empty() {
        arg.choices = choices;
    }
    arg.is_required = node.is_set("required");
    arg.is_many = node.is_set("var") && arg.kind != crate::config::Scalar::Boolean;
    Some(arg)
}
