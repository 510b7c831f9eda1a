//! A git repository in which every filter has something to keep and a near decoy to drop.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::filter_rows::{ALL, fixture};
use crate::history::git;
use crate::site::{Site, workspace};

/// A function of each language that returns something; small enough to be right, wrong or changed.
pub const FUNCTIONS: &[(&str, &str, &str)] = &[
    ("c", "c", "int NAME(void) {\n  return BODY;\n}\n\n"),
    ("cpp", "cpp", "int NAME() {\n  return BODY;\n}\n\n"),
    ("csharp", "cs", "class NAMEBox {\n  int NAME() {\n    return BODY;\n  }\n}\n\n"),
    ("go", "go", "func NAME() int {\n\treturn BODY\n}\n\n"),
    ("java", "java", "class NAMEBox {\n  int NAME() {\n    return BODY;\n  }\n}\n\n"),
    ("javascript", "js", "function NAME() {\n  return BODY;\n}\n\n"),
    ("kotlin", "kt", "fun NAME(): Int {\n  return BODY\n}\n\n"),
    ("lua", "lua", "function NAME()\n  return BODY\nend\n\n"),
    ("php", "php", "function NAME() {\n  return BODY;\n}\n\n"),
    ("python", "py", "def NAME():\n    return BODY\n\n\n"),
    ("ruby", "rb", "def NAME\n  return BODY\nend\n\n"),
    ("rust", "rs", "fn NAME() -> i32 {\n    return BODY;\n}\n\n"),
    ("typescript", "ts", "function NAME(): number {\n  return BODY;\n}\n\n"),
];

/// Programs with values from outside that reach a call they must not, and the languages they are read as.
pub const RISKS: &[(&str, &str, &str)] = &[
    ("c", "tool.c", "c"),
    ("cpp", "tool.c", "cpp"),
    ("go", "web.go", "go"),
    ("java", "Web.java", "java"),
    ("javascript", "web.js", "js"),
    ("php", "web.php", "php"),
    ("python", "web.py", "py"),
    ("ruby", "web.rb", "rb"),
    ("typescript", "web.js", "ts"),
];

/// One file of two functions.
fn two(language: &str, template: &str, [first, second]: [(&str, &str); 2]) -> String {
    let head = if language == "php" { "<?php\n" } else { "" };
    let write = |(name, body): (&str, &str)| template.replace("NAME", name).replace("BODY", body);
    format!("{head}{}{}", write(first), write(second))
}

/// The repository: facts, risks, mistakes, prose, and two people who wrote it at different times.
pub fn repository() -> Site {
    let site = Site::new();
    for language in ALL {
        let (name, text) = fixture(&workspace().join("crates/index/languages"), language);
        site.write(&format!("{language}/{name}"), std::str::from_utf8(&text).unwrap());
    }
    for (language, file, ext) in RISKS {
        let path = workspace().join("crates/index/tests/risk").join(file);
        site.write(&format!("{language}/risk/web.{ext}"), &std::fs::read_to_string(path).unwrap());
    }
    for (language, ext, template) in FUNCTIONS {
        let history = two(language, template, [("settled", "1"), ("disputed", "2")]);
        site.write(&format!("{language}/history/Accounts.{ext}"), &history);
        let lint = two(language, template, [("good", "1"), ("bad", "(1 + * )")]);
        site.write(&format!("{language}/lint/broken.{ext}"), &lint);
    }
    site.write("docs/guide.md", "# Target guide\n\nHow the target of a ledger is settled.\n");
    site.write("docs/noted.dart", "/// Says what the target of a ledger is.\nint noted() => 1;\n");
    site.write("alerts.json", ALERTS);
    commit(&site, "Ann Author", "ann@example.org", "2020-01-01T00:00:00Z", true);
    for (language, ext, template) in FUNCTIONS {
        let history = two(language, template, [("settled", "1"), ("disputed", "3")]);
        site.write(&format!("{language}/history/Accounts.{ext}"), &history);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    commit(&site, "Bob Builder", "bob@example.org", &format!("{} +0000", now - 10 * 86_400), false);
    site
}

const ALERTS: &str = r#"[
  {
    "number": 7,
    "dependency": { "package": { "ecosystem": "npm", "name": "lodash" }, "manifest_path": "package.json" },
    "security_advisory": { "ghsa_id": "GHSA-35jh-r3h4-6jhm", "summary": "Command injection", "severity": "high" }
  },
  {
    "number": 8,
    "dependency": { "package": { "ecosystem": "pip", "name": "flask" }, "manifest_path": "setup.py" },
    "security_advisory": { "ghsa_id": "GHSA-m2qf-hxjv-5gpq", "summary": "Session injection", "severity": "low" }
  }
]"#;

fn commit(site: &Site, name: &str, mail: &str, time: &str, first: bool) {
    let steps: &[&[&str]] =
        &[&["init", "-q", "-b", "main"], &["add", "-A"], &["commit", "-q", "-m", "change"]];
    for words in if first { steps } else { &steps[1..] } {
        git(site, name, mail, time, words);
    }
}
