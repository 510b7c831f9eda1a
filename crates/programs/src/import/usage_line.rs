//! The `usage:` line: which words a command takes, and npm's way to list options.

use super::draft::{DraftArg, identifier};
use super::option::parse_option;

/// What a usage line gives.
#[derive(Debug, Default, PartialEq)]
pub struct Usage {
    pub positionals: Vec<DraftArg>,
    pub options: Vec<DraftArg>,
    /// Words after `--` mean something of their own, so it cannot fence values off.
    pub passes_on: bool,
}

/// Names that stand for the rest of the line, not for a value.
const NOT_VALUES: &[&str] = &[
    "options",
    "option",
    "flags",
    "command",
    "subcommand",
    "cmd",
    "commands",
    "global_options",
    "args_for_command",
];

/// Reads everything behind the program and its subcommands.
pub fn parse_usage(line: &str, words: &[String]) -> Usage {
    let mut usage = Usage { passes_on: line.contains("-- [") || line.contains("-- <"), ..Usage::default() };
    let mut skips_next = false;
    for item in items(line).into_iter().skip(1) {
        if std::mem::take(&mut skips_next) || words.contains(&item) {
            continue;
        }
        match item.as_str() {
            "..." | "…" => {
                if let Some(last) = usage.positionals.last_mut() {
                    last.is_many = true;
                }
            }
            "|" => skips_next = true,
            // A bare option with a value of its own: neither is a word of the command.
            option if option.starts_with('-') => skips_next = option != "--" && !option.contains('='),
            item => read_item(item, true, &mut usage),
        }
    }
    let mut seen = Vec::new();
    usage.positionals.retain(|arg| {
        !seen.contains(&arg.name) && {
            seen.push(arg.name.clone());
            true
        }
    });
    usage
}

fn read_item(item: &str, is_required: bool, usage: &mut Usage) {
    let is_many = item.ends_with("...") || item.ends_with('…');
    let item = item.trim_end_matches("...").trim_end_matches('…');
    if let Some(inner) = item.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        let inner = inner.trim();
        // What stands behind `--` is for another program.
        if inner.starts_with("-- ") {
            return;
        }
        if inner.starts_with('-') && inner != "--" {
            // Alternatives and nested repetitions repeat what the first part says.
            let first = inner.split(" [").next().unwrap_or(inner);
            usage.options.extend(parse_option(first).map(|(arg, _)| DraftArg {
                is_many: arg.kind != crate::config::Scalar::Boolean && inner.contains("..."),
                ..arg
            }));
            return;
        }
        let before = usage.positionals.len();
        for part in items(inner).iter().filter(|part| part.as_str() != "[--]" && part.as_str() != "--") {
            match part.as_str() {
                "..." | "…" => usage.positionals[before..].iter_mut().for_each(|arg| arg.is_many = true),
                part if part.starts_with('-') => {}
                part => read_item(part, false, usage),
            }
        }
        if is_many {
            usage.positionals[before..].iter_mut().for_each(|arg| arg.is_many = true);
        }
        return;
    }
    let is_placeholder = item.starts_with('<')
        || item.len() > 1 && item.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c == '-');
    let name = identifier(item.split(['[', '(', '=']).next().unwrap_or(item));
    // Inside brackets even a plain word is a value; outside it is a word of the command.
    if name.is_empty()
        || (is_required && !is_placeholder)
        || NOT_VALUES.contains(&name.as_str())
        || name.ends_with("options")
    {
        return;
    }
    usage.positionals.push(DraftArg { is_required, is_many, ..DraftArg::positional(&name) });
}

/// Splits on blanks outside brackets.
fn items(line: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut item = String::new();
    let mut depth = 0_usize;
    for c in line.chars() {
        match c {
            '[' | '<' | '(' | '{' => depth += 1,
            ']' | '>' | ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c.is_whitespace() && depth == 0 {
            if !item.is_empty() {
                items.push(std::mem::take(&mut item));
            }
        } else {
            item.push(c);
        }
    }
    if !item.is_empty() {
        items.push(item);
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, words: &[&str], want: &[(&str, bool, bool)]) {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let usage = parse_usage(line, &words);
        let got: Vec<_> =
            usage.positionals.iter().map(|arg| (arg.name.as_str(), arg.is_required, arg.is_many)).collect();
        assert_eq!(got, want, "{line}");
    }

    #[test]
    fn values_are_told_from_words() {
        check("git add [<options>] [--] <pathspec>...", &["add"], &[("pathspec", true, true)]);
        check(
            "git log [<options>] [<revision-range>] [[--] <path>...]",
            &["log"],
            &[("revision_range", false, false), ("path", false, true)],
        );
        check(
            "grep [OPTION]... PATTERNS [FILE]...",
            &[],
            &[("patterns", true, false), ("file", false, true)],
        );
        check("tar [OPTION...] [FILE]...", &[], &[("file", false, true)]);
        check("cargo build [OPTIONS]", &["build"], &[]);
        check("cargo search [OPTIONS] [QUERY]...", &["search"], &[("query", false, true)]);
        check(
            "pip install [options] <requirement specifier> [package-index-options] ...",
            &["install"],
            &[("requirement_specifier", true, true)],
        );
        check("npm install [<package-spec> ...]", &["install"], &[("package_spec", false, true)]);
        check("docker logs [OPTIONS] CONTAINER", &["logs"], &[("container", true, false)]);
        check("prog [-h] [--foo FOO] infile [outfile]", &[], &[("outfile", false, false)]);
    }

    #[test]
    fn options_in_brackets_are_options() {
        let usage = parse_usage("x [-g|--global] [--omit <dev|peer> [--omit <dev|peer> ...]]", &[]);
        let flags: Vec<_> =
            usage.options.iter().map(|arg| (arg.flag.as_deref().unwrap(), arg.is_many)).collect();
        assert_eq!(flags, [("--global", false), ("--omit", true)]);
        assert_eq!(usage.options[1].choices, ["dev", "peer"]);
        assert!(parse_usage("cargo test [OPTIONS] [TESTNAME] [-- [ARGS]...]", &[]).passes_on);
    }
}
