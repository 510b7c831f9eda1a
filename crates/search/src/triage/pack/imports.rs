//! How a package is imported: the names it goes by in code, and the names an import binds.

use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::record::Package;

/// A line that imports the package.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Import {
    /// The file, relative to the repository.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// Whether it is a test.
    pub test: bool,
}

/// Packages on PyPI whose module has another name.
const PYTHON_MODULES: &[(&str, &str)] = &[
    ("pyyaml", "yaml"),
    ("pillow", "PIL"),
    ("beautifulsoup4", "bs4"),
    ("scikit-learn", "sklearn"),
    ("python-dateutil", "dateutil"),
    ("pyjwt", "jwt"),
    ("opencv-python", "cv2"),
    ("msgpack-python", "msgpack"),
    ("protobuf", "google.protobuf"),
    ("python-jose", "jose"),
    ("djangorestframework", "rest_framework"),
    ("pycrypto", "Crypto"),
    ("pycryptodome", "Crypto"),
    ("attrs", "attr"),
    ("gitpython", "git"),
];

/// How one package is found in code.
pub struct Importing {
    /// The names its modules go by.
    modules: Vec<String>,
    forms: &'static [Form],
}

/// The import statements of a family of languages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Rust,
    Script,
    Python,
    Go,
    Java,
    Ruby,
    Php,
    Sharp,
    C,
}

const ALL: &[Form] = &[
    Form::Rust,
    Form::Script,
    Form::Python,
    Form::Go,
    Form::Java,
    Form::Ruby,
    Form::Php,
    Form::Sharp,
    Form::C,
];

impl Importing {
    pub fn new(package: &Package) -> Importing {
        let name = package.name.as_str();
        let snake = || vec![name.replace('-', "_")];
        let (modules, forms): (Vec<String>, &'static [Form]) = match package.ecosystem.as_deref() {
            Some("cargo") => (snake(), &[Form::Rust]),
            Some("npm") => (vec![name.to_owned()], &[Form::Script]),
            Some("pypi") => (python_modules(name), &[Form::Python]),
            Some("go") => (vec![name.to_owned()], &[Form::Go]),
            Some("maven") => (java_packages(name), &[Form::Java]),
            Some("rubygems") => (vec![name.to_owned(), name.replace('-', "/")], &[Form::Ruby]),
            Some("composer") => (vec![php_namespace(name)], &[Form::Php]),
            Some("nuget") => (vec![name.to_owned()], &[Form::Sharp]),
            _ => (vec![name.to_owned(), name.replace('-', "_")], ALL),
        };
        let mut modules: Vec<String> = modules.into_iter().filter(|name| name.len() > 1).collect();
        modules.dedup();
        Importing { modules, forms }
    }

    /// An expression that holds on the lines that import the package; `None` when its name tells nothing.
    pub fn pattern(&self) -> Option<String> {
        if self.modules.is_empty() {
            return None;
        }
        // A slash would end the expression in a query.
        let names: Vec<String> =
            self.modules.iter().map(|name| regex::escape(name).replace('/', r"\x2F")).collect();
        let name = format!("(?:{})", names.join("|"));
        let forms: Vec<String> = self.forms.iter().map(|form| form.pattern(&name)).collect();
        Some(forms.join("|"))
    }

    /// The names that the imports of a text bind, and those of the package itself where it can be used by its path.
    pub fn bound(&self, text: &str) -> Vec<String> {
        let mut bound = Vec::new();
        for form in self.forms {
            for module in &self.modules {
                form.bound(module, text, &mut bound);
            }
        }
        bound.sort();
        bound.dedup();
        bound.retain(|name| name.len() > 1 || name == "_" || name == "$");
        bound
    }
}

fn python_modules(name: &str) -> Vec<String> {
    let lower = name.to_ascii_lowercase();
    let known = PYTHON_MODULES.iter().find(|(package, _)| *package == lower).map(|(_, module)| *module);
    known.map_or_else(
        || vec![name.replace(['-', '.'], "_"), lower.replace(['-', '.'], "_")],
        |module| vec![module.to_owned()],
    )
}

/// The packages of a Maven artifact usually begin like its group.
fn java_packages(name: &str) -> Vec<String> {
    vec![name.split(':').next().unwrap_or(name).to_owned()]
}

/// `vendor/some-package` becomes `Vendor\SomePackage`.
fn php_namespace(name: &str) -> String {
    let camel = |part: &str| -> String {
        part.split('-')
            .map(|word| {
                word.chars()
                    .take(1)
                    .flat_map(char::to_uppercase)
                    .chain(word.chars().skip(1))
                    .collect::<String>()
            })
            .collect()
    };
    name.split('/').map(camel).collect::<Vec<_>>().join("\\")
}

impl Form {
    fn pattern(self, name: &str) -> String {
        match self {
            Form::Rust => format!(r"\b(?:use|extern crate)\s+(?:::)?{name}\b|\b{name}::\w"),
            Form::Script => format!(
                r#"(?:\bfrom|\bimport|\brequire|\brequire\.resolve)\s*\(?\s*['"`]{name}(?:['"`]|\x2F)"#
            ),
            Form::Python => format!(
                r"(?m:^[ \t]*)(?:import[ \t]+(?:[\w., \t]+,[ \t]*)?|from[ \t]+){name}(?:\.|[ \t,\r]|(?m:$))"
            ),
            Form::Go => format!(r#""{name}(?:"|\x2F)"#),
            Form::Java => format!(r"\bimport\s+(?:static\s+)?{name}\."),
            Form::Ruby => format!(r#"\brequire\s*\(?\s*['"]{name}(?:['"]|\x2F)"#),
            Form::Php => format!(r"\buse\s+(?:function\s+|const\s+)?\\?{name}\b"),
            Form::Sharp => format!(r"\busing\s+(?:static\s+)?{name}\b"),
            Form::C => format!(r#"#\s*include\s*[<"](?:lib)?{name}[./>"]"#),
        }
    }

    fn bound(self, module: &str, text: &str, bound: &mut Vec<String>) {
        let name = regex::escape(module);
        let clauses = match self {
            Form::Rust => {
                bound.push(module.to_owned());
                format!(r"(?:use|extern crate)\s+(?:::)?{name}\b([^;]*);")
            }
            Form::Script => format!(
                r#"import\s+([^;'"()]*?)\s*from\s*['"]{name}(?:['"/])|(?:const|let|var)\s+([^=;]+?)\s*=\s*(?:await\s+)?(?:require|import)\(\s*['"`]{name}(?:['"`/])"#
            ),
            Form::Python => format!(
                r"(?m)^[ \t]*from[ \t]+{name}(?:\.[\w.]+)?[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)|^[ \t]*import[ \t]+(?:[^\n]*,[ \t]*)?({name}(?:\.[\w.]+)?(?:[ \t]+as[ \t]+\w+)?)"
            ),
            Form::Go => {
                let last = module.rsplit('/').find(|part| !is_version(part)).unwrap_or(module);
                bound.push(last.trim_start_matches("go-").replace(['-', '.'], "_"));
                format!(r#"(?m)^\s*(?:import\s+)?(\w+)\s+"{name}(?:/[^"]*)?""#)
            }
            Form::Java => format!(r"import\s+(?:static\s+)?{name}\.([\w.]+)\s*;?"),
            Form::Php => format!(r"use\s+(?:function\s+)?\\?{name}\\?([\w\\{{}}, ]*);"),
            Form::Ruby | Form::Sharp | Form::C => {
                let last = module.rsplit(['/', '.', '-']).next().unwrap_or(module);
                let mut letters = last.chars();
                let capital: String =
                    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
                bound.push(capital);
                return;
            }
        };
        let Ok(clauses) = Regex::new(&clauses) else { return };
        for found in clauses.captures_iter(text).take(100) {
            let clause = found.iter().skip(1).flatten().next().map_or("", |clause| clause.as_str());
            names(self, clause, bound);
        }
    }
}

fn is_version(part: &str) -> bool {
    part.strip_prefix('v')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// The names one import clause binds: after `as` or `:` the new one, otherwise the last of a path.
fn names(form: Form, clause: &str, bound: &mut Vec<String>) {
    for item in clause.split([',', '{', '}', '(', ')', '\n']) {
        let item = item.trim();
        let renamed = item.rsplit_once(" as ").map(|(_, name)| name);
        let renamed =
            renamed.or_else(|| item.rsplit_once(':').filter(|_| form == Form::Script).map(|(_, name)| name));
        let name = renamed.unwrap_or(item).trim().trim_start_matches("type ");
        let name = match form {
            // `import a.b` binds `a`.
            Form::Python if renamed.is_none() => name.split('.').next().unwrap_or(name),
            _ => name.rsplit(['.', ':', '\\']).next().unwrap_or(name),
        };
        let name = name.trim_start_matches(['*', ' ']);
        let is_word = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$');
        if !name.is_empty() && is_word && !["self", "default", "type", "import", "as"].contains(&name) {
            bound.push(name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(package: (&str, &str), text: &str, names: &[&str]) {
        let package =
            Package { name: package.1.into(), ecosystem: Some(package.0.into()), ..Package::default() };
        let importing = Importing::new(&package);
        let pattern = Regex::new(&importing.pattern().unwrap()).unwrap();
        assert!(pattern.is_match(text), "{text}");
        assert_eq!(importing.bound(text), names, "{text}");
    }

    #[test]
    fn imports_bind_names() {
        check(("npm", "lodash"), "import _, { template as render } from 'lodash';", &["_", "render"]);
        check(("npm", "lodash"), "const { merge, set: put } = require('lodash/fp');", &["merge", "put"]);
        check(("npm", "@scope/x"), "import {\n  one,\n  two\n} from \"@scope/x\"\n", &["one", "two"]);
        check(("npm", "react"), "import * as React from 'react'", &["React"]);
        check(("pypi", "PyYAML"), "import yaml\n", &["yaml"]);
        check(("pypi", "requests"), "import os, requests as http\n", &["http"]);
        check(
            ("pypi", "jinja2"),
            "from jinja2.sandbox import (\n    Sandbox,\n    Other as O1,\n)\n",
            &["O1", "Sandbox"],
        );
        check(
            ("cargo", "serde-json"),
            "use serde_json::{Value, json, value::RawValue as Raw};",
            &["Raw", "Value", "json", "serde_json"],
        );
        check(
            ("go", "golang.org/x/text"),
            "import (\n\tlang \"golang.org/x/text/language\"\n)",
            &["lang", "text"],
        );
        check(("maven", "org.yaml:snakeyaml"), "import org.yaml.snakeyaml.Yaml;", &["Yaml"]);
    }

    #[test]
    fn a_longer_name_is_another_package() {
        let package = Package { name: "lodash".into(), ecosystem: Some("npm".into()), ..Package::default() };
        let pattern = Regex::new(&Importing::new(&package).pattern().unwrap()).unwrap();
        assert!(!pattern.is_match("import x from 'lodash-es'"));
        assert!(!pattern.is_match("const x = lodash"));
    }
}
