//! Paths of this machine that clients over HTTP have no business with, shown by a name instead.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mainstay_contract::{Body, Fault};
use mainstay_runtime::{Failure, Outcome, Request, Step};
use memchr::memmem::Finder;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// A folder or file with the name it is shown by.
#[derive(Debug, Clone)]
pub struct Place {
    /// Shown as `${NAME}`.
    pub name: String,
    pub path: PathBuf,
    /// Whether every mention is ours; otherwise only a text that begins with the path is.
    pub is_ours: bool,
}

#[derive(Debug)]
struct Rule {
    shown: String,
    /// As it stands in JSON.
    path: String,
    finder: Finder<'static>,
    is_ours: bool,
}

/// What is shown by name. Paths below the roots that clients may use are shown as they are.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// Longest path first.
    rules: Arc<[Rule]>,
    roots: Arc<[String]>,
}

impl Places {
    pub fn new(places: Vec<Place>, roots: &[PathBuf]) -> Places {
        let roots: Vec<PathBuf> = roots.iter().flat_map(|root| spellings(root)).collect();
        let mut rules = Vec::new();
        for place in places {
            for path in spellings(&place.path) {
                let is_visible = roots.iter().any(|root| path.starts_with(root));
                if path.is_absolute() && path.parent().is_some() && !is_visible {
                    let text = in_json(&path);
                    rules.push(Rule {
                        shown: format!("${{{}}}", place.name),
                        finder: Finder::new(&text).into_owned(),
                        path: text,
                        is_ours: place.is_ours,
                    });
                }
            }
        }
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.path.len()));
        Places { rules: rules.into(), roots: roots.iter().map(|root| in_json(root)).collect() }
    }

    /// Lets the steps of a call pass without paths.
    pub fn concealing(&self, mut request: Request) -> Request {
        if let Some(steps) = request.steps.take() {
            let places = self.clone();
            request = request.on_step(move |def, mut step: Step| {
                places.conceal_message(&mut step.progress.message);
                steps(def, step);
            });
        }
        request
    }

    /// The outcome of a call without paths.
    pub fn concealed(&self, mut outcome: Outcome) -> Outcome {
        if self.rules.is_empty() {
            return outcome;
        }
        match &mut outcome.result {
            Ok(Body::Json(raw)) => {
                if let Some(text) = self.replaced(raw.get(), false)
                    && let Ok(changed) = RawValue::from_string(text)
                {
                    *raw = changed;
                }
            }
            Ok(Body::Text { text, .. }) => self.conceal_message(text),
            Ok(Body::Content { blocks, structured, .. }) => {
                self.conceal_value(blocks);
                self.conceal_value(structured);
            }
            Ok(Body::Planned { plan, text, result }) => {
                self.conceal_value(plan);
                self.conceal_message(text);
                result.iter_mut().for_each(|result| self.conceal_value(result));
            }
            Ok(Body::Forward { .. } | Body::Input { .. }) => {}
            Err(failed) => self.conceal_failure(failed),
        }
        outcome
    }

    fn conceal_failure(&self, failed: &mut Failure) {
        let Fault { message, hint, details, .. } = &mut failed.fault;
        self.conceal_message(message);
        hint.iter_mut().for_each(|hint| self.conceal_message(hint));
        self.conceal_value(&mut **details);
    }

    fn conceal_message(&self, text: &mut String) {
        if let Some(changed) = self.replaced(text, true) {
            *text = changed;
        }
    }

    /// The same for data of our own.
    pub fn conceal_value<T: serde::Serialize + DeserializeOwned>(&self, value: &mut T) {
        let text = serde_json::to_string(value).ok();
        let changed = text.and_then(|text| self.replaced(&text, true));
        if let Some(changed) = changed.and_then(|text| serde_json::from_str(&text).ok()) {
            *value = changed;
        }
    }

    /// The text with names for paths; nothing when it stays as it is. Texts that are not JSON are `messages`: all they
    /// say is ours.
    fn replaced(&self, text: &str, is_message: bool) -> Option<String> {
        let mut changed: Option<String> = None;
        for rule in &*self.rules {
            let now = changed.as_deref().unwrap_or(text);
            if let Some(next) = self.replaced_by(rule, now, is_message || rule.is_ours) {
                changed = Some(next);
            }
        }
        changed
    }

    fn replaced_by(&self, rule: &Rule, text: &str, anywhere: bool) -> Option<String> {
        let mut new = String::new();
        let mut kept = 0;
        for at in rule.finder.find_iter(text.as_bytes()) {
            let before = text[..at].chars().next_back();
            let after = &text[at + rule.path.len()..];
            let begins = match anywhere {
                true => before.is_none_or(|c| !is_in_name(c) && c != '/'),
                false => before.is_none_or(|c| c == '"'),
            };
            let is_visible =
                self.roots.iter().any(|root| text[at..].strip_prefix(root.as_str()).is_some_and(ends_name));
            if begins && ends_name(after) && !is_visible {
                new.push_str(&text[kept..at]);
                new.push_str(&rule.shown);
                kept = at + rule.path.len();
            }
        }
        (kept > 0).then(|| new + &text[kept..])
    }
}

/// A path as it was given and with its links resolved.
fn spellings(path: &Path) -> Vec<PathBuf> {
    let mut all = vec![path.to_owned()];
    all.extend(path.canonicalize().ok().filter(|real| real != path));
    all
}

fn in_json(path: &Path) -> String {
    let text = serde_json::to_string(&path.to_string_lossy()).expect("a string is always JSON");
    text[1..text.len() - 1].to_owned()
}

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Whether a name has ended where this text begins; a full stop may end a sentence.
fn ends_name(rest: &str) -> bool {
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    rest.chars().next().is_none_or(|c| !is_in_name(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        let place = |name: &str, path: &str, is_ours| Place { name: name.into(), path: path.into(), is_ours };
        let all = vec![
            place("CACHE_DIR", "/var/cache/us", true),
            place("BROWSER", "/usr/bin/show", false),
            place("ROOT", "/", true),
            place("INSIDE", "/srv/repo/cache", true),
        ];
        Places::new(all, &["/srv/repo".into(), "/var/cache/us/repo".into()])
    }

    #[test]
    fn a_path_outside_the_roots_is_shown_by_its_name() {
        let check = |text: &str, is_message, expected: Option<&str>| {
            assert_eq!(places().replaced(text, is_message).as_deref(), expected, "{text}");
        };
        check(r#"{"dir":"/var/cache/us/a"}"#, false, Some(r#"{"dir":"${CACHE_DIR}/a"}"#));
        check("could not read /var/cache/us.", true, Some("could not read ${CACHE_DIR}."));
        check("a /var/cache/us and /var/cache/us", true, Some("a ${CACHE_DIR} and ${CACHE_DIR}"));
        for same in
            ["/var/cache/user", "/x/var/cache/us", "/var/cache/us.old", "/var/cache/us/repo/a", "/srv/repo"]
        {
            check(same, true, None);
        }
        check("/srv/repo/cache/x", true, None);
    }

    #[test]
    fn what_files_say_stays_as_it_is() {
        let code = r#"{"text":"exec /usr/bin/show"}"#;
        assert_eq!(places().replaced(code, false), None);
        assert_eq!(
            places().replaced(r#"{"browser":"/usr/bin/show"}"#, false).as_deref(),
            Some(r#"{"browser":"${BROWSER}"}"#)
        );
    }
}
