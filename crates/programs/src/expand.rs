//! `$VAR`, `${VAR}` and a leading `~`, from an environment that is passed in.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// The environment of the server, as it was handed to this crate.
pub type Vars = BTreeMap<OsString, OsString>;

/// Replaces variables that are set; the others stay as they are written.
pub fn variables(text: &str, vars: &Vars) -> String {
    replace(text, vars).0
}

/// Replaces variables; nothing when one of them is not set.
pub fn variables_if_set(text: &str, vars: &Vars) -> Option<String> {
    let (expanded, is_complete) = replace(text, vars);
    is_complete.then_some(expanded)
}

/// Replaces a leading `~` by the home directory, then variables.
pub fn path(text: &str, vars: &Vars) -> String {
    let text = variables(text, vars);
    match (text.strip_prefix('~'), lookup("HOME", vars)) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with(['/', ' ']) => {
            format!("{home}{rest}")
        }
        _ => text,
    }
}

fn replace(text: &str, vars: &Vars) -> (String, bool) {
    let mut expanded = String::with_capacity(text.len());
    let mut is_complete = true;
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        expanded.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some((written, name)) = variable_at(rest) else {
            expanded.push('$');
            rest = &rest[1..];
            continue;
        };
        match lookup(name, vars) {
            Some(value) => expanded.push_str(&value),
            None => {
                expanded.push_str(written);
                is_complete = false;
            }
        }
        rest = &rest[written.len()..];
    }
    expanded.push_str(rest);
    (expanded, is_complete)
}

/// Returns a variable at the start of the text, as written and its name.
fn variable_at(text: &str) -> Option<(&str, &str)> {
    let after = &text[1..];
    if let Some(braced) = after.strip_prefix('{') {
        let end = braced.find('}')?;
        return Some((&text[..end + 3], &braced[..end]));
    }
    let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
    (end > 0).then(|| (&text[..=end], &after[..end]))
}

fn lookup(name: &str, vars: &Vars) -> Option<String> {
    vars.get(OsStr::new(name)).map(|value| value.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars() -> Vars {
        [("HOME", "/home/u"), ("A", "one two"), ("E", "")].map(|(k, v)| (k.into(), v.into())).into()
    }

    #[test]
    fn variables_that_are_set_are_replaced() {
        for (text, want) in [
            ("$A/x", "one two/x"),
            ("${A}x", "one twox"),
            ("$NOT ${NOT}", "$NOT ${NOT}"),
            ("5$ $", "5$ $"),
            ("[$E]", "[]"),
            ("${unclosed", "${unclosed"),
        ] {
            assert_eq!(variables(text, &vars()), want, "{text}");
        }
        assert_eq!(variables_if_set("$NOT", &vars()), None);
        assert_eq!(variables_if_set("100$", &vars()).as_deref(), Some("100$"));
    }

    #[test]
    fn home_is_expanded_at_the_start_only() {
        assert_eq!(path("~/bin/x ~", &vars()), "/home/u/bin/x ~");
        assert_eq!(path("~other/x", &vars()), "~other/x");
    }
}
