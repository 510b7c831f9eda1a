//! Which language a file is in: file name, then extension, then `#!` line; claims settle shared extensions.

use super::{LangId, TABLE};
use std::collections::HashMap;
use std::sync::OnceLock;

#[derive(Default)]
struct Names {
    files: HashMap<&'static str, LangId>,
    extensions: HashMap<&'static str, LangId>,
    shebangs: HashMap<&'static str, LangId>,
    claims: HashMap<&'static str, Vec<(LangId, &'static [&'static str])>>,
}

fn names() -> &'static Names {
    static NAMES: OnceLock<Names> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut names = Names::default();
        for (lang, language) in LangId::all().zip(TABLE) {
            names.files.extend(language.files.iter().map(|file| (*file, lang)));
            names.extensions.extend(language.extensions.iter().map(|extension| (*extension, lang)));
            names.shebangs.extend(language.shebangs.iter().map(|program| (*program, lang)));
            for claim in language.claims {
                names.claims.entry(claim.extension).or_default().push((lang, claim.any));
            }
        }
        names
    })
}

/// Detects the language of `path` (repository-relative, `/` separated) from its name and the head of its text.
///
/// A file nothing recognises is source if it looks like code, and plain text otherwise: it is still cut by layout and
/// searched.
pub fn detect(path: &str, text: &str) -> LangId {
    let names = names();
    let file = path.rsplit('/').next().unwrap_or(path);
    if let Some(lang) = names.files.get(file) {
        return *lang;
    }
    // `Dockerfile.dev`, `Makefile.am`: a known file name with a suffix, when the suffix itself says nothing.
    let (stem, extension) = file.split_once('.').unwrap_or((file, ""));
    let extension = extension.rsplit('.').next().unwrap_or(extension);
    let lower = extension.to_ascii_lowercase();
    let owner = names.extensions.get(extension).or_else(|| names.extensions.get(lower.as_str()));
    if let Some(owner) = owner {
        let head = head(text, 16 * 1024);
        let claims = names.claims.get(lower.as_str()).map(Vec::as_slice).unwrap_or_default();
        let claimed = claims.iter().find(|(_, signs)| signs.iter().any(|sign| head.contains(sign)));
        return claimed.map_or(*owner, |(lang, _)| *lang);
    }
    if let Some(lang) = names.files.get(stem) {
        return *lang;
    }
    shebang(text).unwrap_or_else(|| if looks_like_code(text) { source() } else { LangId::text() })
}

/// The language whose extension a path has, whatever the text.
pub(crate) fn by_extension(path: &str) -> Option<LangId> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let (_, extension) = file.rsplit_once('.')?;
    names().extensions.get(extension.to_ascii_lowercase().as_str()).copied()
}

/// Prose has few braces, semicolons and equal signs, and hardly a line that ends in one.
fn looks_like_code(text: &str) -> bool {
    let head = head(text, 8 * 1024);
    let (mut lines, mut marked) = (0u32, 0u32);
    for line in head.lines().map(str::trim).filter(|line| !line.is_empty()) {
        lines += 1;
        marked += u32::from(line.ends_with(['{', '}', ';', ')', '(', ']', '=']) || line.contains(" = "));
    }
    lines >= 5 && marked * 10 >= lines * 4
}

fn source() -> LangId {
    static SOURCE: OnceLock<LangId> = OnceLock::new();
    *SOURCE.get_or_init(|| LangId::by_name("source").expect("the folder is part of this crate"))
}

fn shebang(text: &str) -> Option<LangId> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_ascii_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let mut program = words.next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let names = names();
    let bare = program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    names.shebangs.get(program).or_else(|| names.shebangs.get(bare)).copied()
}

/// The first `limit` bytes of `text`, cut at a character boundary.
pub(crate) fn head(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit.min(text.len()))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_recognised_by_name_extension_shebang_and_content() {
        let cases = [
            ("src/lib.rs", "", "rust"),
            ("a/Dockerfile", "", "dockerfile"),
            ("Dockerfile.dev", "", "dockerfile"),
            ("x/CMakeLists.txt", "", "cmake"),
            ("bin/run", "#!/usr/bin/env -S python3.12 -u\n", "python"),
            ("bin/run", "#!/bin/sh\n", "bash"),
            ("a.h", "int f(void);\n", "c"),
            ("a.h", "\nnamespace x { }\n", "cpp"),
            ("A.PY", "", "python"),
            ("a.test.tsx", "", "tsx"),
            ("LICENSE", "", "text"),
            (".gitignore", "", "ignorefile"),
            ("no-idea.zzz", "", "text"),
            ("no-idea.zzz", "a = 1;\nb {\n c = 2;\n}\nd();\n", "source"),
            ("grammar.y", "", "yacc"),
        ];
        for (path, text, expected) in cases {
            assert_eq!(detect(path, text).get().id, expected, "{path}");
        }
    }
}
