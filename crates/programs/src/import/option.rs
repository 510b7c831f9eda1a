//! One option as a help text writes it: `-o, --output <FILE>  Where to write`.

use super::draft::DraftArg;

/// Reads an option at the start of a line; also returns the description behind it.
pub fn parse_option(line: &str) -> Option<(DraftArg, &str)> {
    let mut rest = line.trim_start();
    let mut short = None;
    let mut long = None;
    let mut value: Option<Value> = None;
    while let Some((flag, after)) = read_flag(rest) {
        match flag.starts_with("--") {
            true => long = long.or(Some(flag)),
            false => short = short.or(Some(flag)),
        }
        let (read, after) = read_value(after);
        value = read.or(value);
        rest = after;
        match next_alternative(rest) {
            Some(next) => rest = next,
            None => break,
        }
    }
    let flag = long.or(short)?;
    let description = rest.trim_start_matches("...").trim_start_matches(':').trim();
    let arg = match value {
        None => DraftArg::switch(&flag),
        // What is attached or optional must stay attached.
        Some(value) if value.is_attached && flag.starts_with("--") => {
            DraftArg::switch(&format!("{flag}=")).taking(value.name)
        }
        Some(value) => DraftArg::switch(&flag).taking(value.name),
    };
    let arg = match value {
        Some(value) => as_default_says(arg, value),
        None => arg,
    };
    Some((arg.described(description), description))
}

#[derive(Clone, Copy)]
struct Value<'a> {
    name: &'a str,
    is_attached: bool,
    is_many: bool,
}

/// Go's flags are shown with their defaults: `--watch=false`, `--limit=0`, `--name=''`.
fn as_default_says(mut arg: DraftArg, value: Value<'_>) -> DraftArg {
    use crate::config::Scalar;
    arg.is_many |= value.is_many;
    match value.name {
        "true" | "false" => {
            arg.kind = Scalar::Boolean;
            arg.flag = arg.flag.map(|flag| flag.trim_end_matches('=').to_owned());
        }
        "[]" => arg.is_many = true,
        name if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) => {
            arg.kind = Scalar::Integer
        }
        _ => {}
    }
    arg
}

fn read_flag(text: &str) -> Option<(String, &str)> {
    let dashes = text.bytes().take_while(|byte| *byte == b'-').count();
    if !(1..=2).contains(&dashes) {
        return None;
    }
    let after = &text[dashes..];
    let after = if dashes == 2 { after.strip_prefix("[no-]").unwrap_or(after) } else { after };
    let end = after
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.'))
        .unwrap_or(after.len());
    let name = after[..end].trim_end_matches('.');
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    // `-NUM` and the like stand for a value, not for a flag.
    let is_placeholder = dashes == 1 && name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase());
    (is_name && !is_placeholder).then(|| (format!("{}{name}", &text[..dashes]), &after[name.len()..]))
}

/// Reads `=X`, `[=X]`, ` <X>`, ` {a,b}`, ` X` and Go's ` string  `.
fn read_value(text: &str) -> (Option<Value<'_>>, &str) {
    if let Some(inner) = text.strip_prefix("[=")
        && let Some((name, after)) = inner.split_once(']')
    {
        return (Some(Value { name, is_attached: true, is_many: false }), after);
    }
    if let Some(after) = text.strip_prefix('=') {
        let end = after.find([' ', ',', '\t']).unwrap_or(after.len());
        let name = after[..end].trim_end_matches(':');
        return (Some(Value { name, is_attached: true, is_many: name.ends_with("...") }), &after[end..]);
    }
    let Some(after) = text.strip_prefix(' ').filter(|after| !after.starts_with(' ')) else {
        return (None, text);
    };
    let end = match after.chars().next() {
        Some('<') => after.find('>').map(|end| end + 1),
        Some('[') if after.starts_with("[<") => after.find(">]").map(|end| end + 2),
        Some('{') => after.find('}').map(|end| end + 1),
        Some(c) if c.is_ascii_uppercase() => {
            let end = after.find(|c: char| !is_placeholder_char(c)).unwrap_or(after.len());
            let is_whole = after[end..].is_empty() || after[end..].starts_with([' ', ',', '.']);
            is_whole.then_some(end)
        }
        // A type word of Go's flags stands before a wide gap; prose does not.
        Some(c) if c.is_ascii_lowercase() => {
            let end = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
            after[end..].starts_with("  ").then_some(end)
        }
        _ => None,
    };
    let Some(end) = end else { return (None, text) };
    let rest = &after[end..];
    let is_many = rest.trim_start().starts_with("...");
    (Some(Value { name: &after[..end], is_attached: false, is_many }), rest)
}

fn is_placeholder_char(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit() || "_-|=:/".contains(c)
}

/// Skips the separator between two spellings of one option.
fn next_alternative(text: &str) -> Option<&str> {
    let text = text.trim_start_matches("...");
    let after = text.trim_start().strip_prefix([',', '|', '/'])?;
    let after = after.trim_start();
    after.starts_with('-').then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Scalar;

    fn check(line: &str, flag: &str, kind: Scalar, description: &str) -> DraftArg {
        let (arg, rest) = parse_option(line).unwrap_or_else(|| panic!("no option in {line}"));
        assert_eq!((arg.flag.as_deref(), arg.kind, rest), (Some(flag), kind, description), "{line}");
        arg
    }

    #[test]
    fn every_style_is_read() {
        check("  -v, --[no-]verbose    be verbose", "--verbose", Scalar::Boolean, "be verbose");
        check(
            "    --[no-]refresh don't add, only refresh",
            "--refresh",
            Scalar::Boolean,
            "don't add, only refresh",
        );
        check("  -v, --verbose...   Use verbose output", "--verbose", Scalar::Boolean, "Use verbose output");
        check("      --color <WHEN>   Coloring", "--color", Scalar::String, "Coloring");
        check("  -p, --package [<SPEC>]  Package", "--package", Scalar::String, "Package");
        check("  -m, --max-count=NUM  stop", "--max-count=", Scalar::Integer, "stop");
        check("      --occurrence[=NUMBER]  only", "--occurrence=", Scalar::Integer, "only");
        check("  -A, --catenate, --concatenate   append", "--catenate", Scalar::Boolean, "append");
        check("  -C <DIRECTORY>   Change", "-C", Scalar::String, "Change");
        check("  -r, --requirement <file>    Install", "--requirement", Scalar::String, "Install");
        check("      --since string     Show logs since", "--since", Scalar::String, "Show logs since");
        check("  -n, --tail int   Lines", "--tail", Scalar::Integer, "Lines");
        check("  -n NUM, --lines NUM   Lines", "--lines", Scalar::Integer, "Lines");
        check("    -w, --watch=false:", "--watch", Scalar::Boolean, "");
        check("    --raw='':", "--raw=", Scalar::String, "");
        check("  -S|--save", "--save", Scalar::Boolean, "");
        let filter = check("  -f, --filter strings   Filter", "--filter", Scalar::String, "Filter");
        assert!(filter.is_many);
        let format = check("  --format {json,text}  Format", "--format", Scalar::String, "Format");
        assert_eq!(format.choices, ["json", "text"]);
        assert!(parse_option("  -NUM   same as --context=NUM").is_none());
        assert!(parse_option("  - a list item").is_none());
    }
}
