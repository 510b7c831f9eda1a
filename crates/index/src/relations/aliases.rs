//! `paths` and `baseUrl` of `tsconfig.json`: names that stand for folders.

use super::paths::join;
use serde_json::Value;

/// The aliases of one configuration; they hold below its folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Aliases {
    pub folder: String,
    /// What names without a path are looked up in.
    base: Option<String>,
    patterns: Vec<Pattern>,
}

#[derive(Debug, PartialEq, Eq)]
struct Pattern {
    before: String,
    /// What follows the star; `None` where there is none.
    after: Option<String>,
    /// The places it means, from the root on.
    places: Vec<String>,
}

impl Pattern {
    /// What the star stands for in an import.
    fn rest<'i>(&self, import: &'i str) -> Option<&'i str> {
        let rest = import.strip_prefix(&*self.before)?;
        match &self.after {
            Some(after) => rest.strip_suffix(&**after),
            None => rest.is_empty().then_some(rest),
        }
    }
}

impl Aliases {
    /// Reads a configuration; `None` where it has no aliases.
    pub fn read(folder: &str, text: &str) -> Option<Aliases> {
        let config: Value = serde_json::from_str(&plain(text)).ok()?;
        let options = &config["compilerOptions"];
        let base = options["baseUrl"].as_str().and_then(|base| join(folder, base));
        let root = base.clone().unwrap_or_else(|| folder.to_owned());
        let mut patterns = Vec::new();
        for (pattern, places) in options["paths"].as_object().into_iter().flatten() {
            let places = places.as_array().into_iter().flatten().filter_map(Value::as_str);
            let places: Vec<String> = places.filter_map(|place| join(&root, place)).collect();
            let (before, after) = pattern
                .split_once('*')
                .map_or((pattern.as_str(), None), |(before, after)| (before, Some(after.to_owned())));
            patterns.push(Pattern { before: before.to_owned(), after, places });
        }
        // As the compiler does: what is written in full first, then what says most.
        patterns.sort_by_key(|pattern| (pattern.after.is_some(), std::cmp::Reverse(pattern.before.len())));
        let aliases = Aliases { folder: folder.to_owned(), base, patterns };
        (aliases.base.is_some() || !aliases.patterns.is_empty()).then_some(aliases)
    }

    pub fn is_above(&self, path: &str) -> bool {
        self.folder.is_empty() || path.strip_prefix(&*self.folder).is_some_and(|rest| rest.starts_with('/'))
    }

    /// The places an import may mean, best first.
    pub fn places(&self, import: &str) -> Vec<String> {
        let mut out = Vec::new();
        let fitting = self.patterns.iter().find_map(|pattern| Some((pattern, pattern.rest(import)?)));
        if let Some((pattern, rest)) = fitting {
            out.extend(pattern.places.iter().map(|place| place.replacen('*', rest, 1)));
        }
        out.extend(self.base.iter().filter_map(|base| join(base, import)));
        out
    }
}

/// The text without comments and commas before a bracket, which these files may have.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let taken = match letter {
            '"' => {
                let mut escaped = false;
                let end = rest[1..].find(|letter| {
                    let ends = letter == '"' && !escaped;
                    escaped = letter == '\\' && !escaped;
                    ends
                });
                let length = end.map_or(rest.len(), |end| end + 2);
                out.push_str(&rest[..length]);
                length
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '}' | ']' => {
                let kept = out.trim_end().trim_end_matches(',').len();
                out.truncate(kept);
                out.push(letter);
                1
            }
            letter => {
                out.push(letter);
                letter.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_that_says_most_counts_and_comments_do_not() {
        let text = r#"{
            // "paths" of the shop
            "extends": "./base.json",
            "compilerOptions": {
                "baseUrl": "./src", /* http://x */
                "paths": { "*": ["types/*"], "@shop/*": ["shop/*", "../gen/shop/*"], "@shop/cart": ["cart.ts"], },
            },
        }"#;
        let aliases = Aliases::read("web", text).unwrap();
        assert_eq!(
            aliases.places("@shop/pay"),
            ["web/src/shop/pay", "web/gen/shop/pay", "web/src/@shop/pay"]
        );
        assert_eq!(aliases.places("@shop/cart")[0], "web/src/cart.ts");
        assert_eq!(aliases.places("lodash"), ["web/src/types/lodash", "web/src/lodash"]);
        assert!(aliases.is_above("web/src/a.ts") && !aliases.is_above("website/a.ts"));
        assert_eq!(Aliases::read("", r#"{"compilerOptions": {"strict": true}}"#), None);
        assert_eq!(Aliases::read("", "{ no"), None);
    }
}
