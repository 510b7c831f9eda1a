//! From what a file imports to files of the repository, by the scheme its language names in `language.toml`.

use super::manifests::Manifests;
use super::paths::{Paths, folder, join, stem};
use crate::lang::{Imports, LangId, Language};

/// A folder with more files is no answer to "which file".
const MAX_TARGETS: usize = 200;

/// What imports are looked up in.
pub(super) struct Places<'p> {
    pub paths: &'p Paths,
    pub manifests: &'p Manifests,
}

/// Where an import leads.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Target {
    pub files: Vec<u32>,
    /// The folder it names, whose files may be named beside it.
    pub folder: Option<String>,
}

impl From<Option<u32>> for Target {
    fn from(file: Option<u32>) -> Target {
        Target { files: file.into_iter().collect(), folder: None }
    }
}

impl Places<'_> {
    /// The files an import of `from` means; none where they lie elsewhere or cannot be told.
    pub fn resolve(&self, lang: LangId, from: &str, import: &str) -> Target {
        let language = lang.get();
        let import = import.trim();
        if import.is_empty() {
            return Target::default();
        }
        match language.imports {
            Imports::Unknown => Target::default(),
            Imports::Modules => self.module(language, from, import),
            Imports::Files => self.ecma(from, import).into(),
            Imports::Crates => self.krate(from, import).into(),
            Imports::Folders => self.go(from, import),
            Imports::Packages => self.package(language, from, import),
            Imports::Includes => self.include(from, import).into(),
            Imports::Paths => self.path(language, from, import).into(),
            Imports::Targets => self.folder_files(language, &format!("Sources/{import}"), from),
        }
    }

    fn module(&self, language: &Language, from: &str, import: &str) -> Target {
        let dots = import.bytes().take_while(|byte| *byte == b'.').count();
        let rest = import[dots..].replace('.', "/");
        if dots > 0 {
            let up = "../".repeat(dots - 1);
            let Some(base) = join(folder(from), &format!("{up}{rest}")) else { return Target::default() };
            return match base.is_empty() {
                true => {
                    Target { files: self.paths.file("__init__.py").into_iter().collect(), folder: Some(base) }
                }
                false => self.module_at(language, &base),
            };
        }
        // From the nearest folder up to the root, then anywhere below a folder such as `src`.
        let mut above = folder(from);
        loop {
            let base = if above.is_empty() { rest.clone() } else { format!("{above}/{rest}") };
            // A file beside the one that imports is not meant inside of a package: `import types` is the library's.
            let is_package = self.paths.file(&format!("{above}/__init__.py")).is_some();
            let found = if is_package { Target::default() } else { self.module_at(language, &base) };
            if found != Target::default() {
                return found;
            }
            if above.is_empty() {
                break;
            }
            above = folder(above);
        }
        if !rest.contains('/') {
            let top = self.paths.ending(&format!("{rest}/__init__.py"), from);
            let folder = top.map(|file| folder(self.paths.path(file)).to_owned());
            return Target { files: top.into_iter().collect(), folder };
        }
        let ends = language.extensions.iter().map(|ext| format!("{rest}.{ext}"));
        if let Some(file) = ends.into_iter().find_map(|end| self.paths.ending(&end, from)) {
            return Some(file).into();
        }
        let base = self.paths.folder_ending(&rest, from).map(str::to_owned);
        base.map(|base| self.module_at(language, &base)).unwrap_or_default()
    }

    fn module_at(&self, language: &Language, base: &str) -> Target {
        let file = language.extensions.iter().find_map(|ext| self.paths.file(&format!("{base}.{ext}")));
        if file.is_some() {
            return file.into();
        }
        let own = |path: &&u32| {
            let name = self.paths.path(**path);
            language.extensions.iter().any(|ext| name.ends_with(&format!(".{ext}")))
        };
        if base.is_empty() || !self.paths.in_folder(base).iter().any(|file| own(&file)) {
            return Target::default();
        }
        let init = self.paths.file(&format!("{base}/__init__.py"));
        Target { files: init.into_iter().collect(), folder: Some(base.to_owned()) }
    }

    fn ecma(&self, from: &str, import: &str) -> Option<u32> {
        let import = import.split(['?', '#']).next().filter(|path| !path.is_empty()).unwrap_or(import);
        if import.starts_with('.') {
            return self.ecma_at(&join(folder(from), import)?);
        }
        let above = self.manifests.aliases.iter().filter(|aliases| aliases.is_above(from));
        if let Some(file) =
            above.flat_map(|aliases| aliases.places(import)).find_map(|base| self.ecma_at(&base))
        {
            return Some(file);
        }
        if let Some(rest) = import.strip_prefix("@/").or_else(|| import.strip_prefix("~/")) {
            let mut above = folder(from);
            loop {
                for root in ["src", "app", ""] {
                    let base = join(above, root).and_then(|base| join(&base, rest))?;
                    if let Some(file) = self.ecma_at(&base) {
                        return Some(file);
                    }
                }
                if above.is_empty() {
                    return None;
                }
                above = folder(above);
            }
        }
        let parts: Vec<&str> = import.split('/').collect();
        let own = if import.starts_with('@') { 2 } else { 1 };
        let package = parts.get(..own)?.join("/");
        let base = self.manifests.packages.get(&package)?;
        let rest = parts[own..].join("/");
        let places = match rest.as_str() {
            "" => ["src/index", "index", "lib/index", "src/main", "main"].map(str::to_owned).to_vec(),
            rest => vec![rest.to_owned(), format!("src/{rest}"), format!("lib/{rest}")],
        };
        places.iter().find_map(|place| self.ecma_at(&join(base, place)?))
    }

    /// A file as modules name it: with its ending, with another, without, or as a folder.
    fn ecma_at(&self, base: &str) -> Option<u32> {
        const ENDS: [&str; 12] =
            ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte", "d.ts", "json"];
        let exact = || self.paths.file(base);
        let ended = |base: &str| ENDS.iter().find_map(|end| self.paths.file(&format!("{base}.{end}")));
        let compiled = || {
            let known = [(".js", "ts"), (".js", "tsx"), (".jsx", "tsx"), (".mjs", "mts"), (".cjs", "cts")];
            let source = |(end, source): &(&str, &str)| {
                self.paths.file(&format!("{}.{source}", base.strip_suffix(end)?))
            };
            known.iter().find_map(source)
        };
        exact().or_else(|| ended(base)).or_else(compiled).or_else(|| ended(&format!("{base}/index")))
    }

    fn krate(&self, from: &str, import: &str) -> Option<u32> {
        let parts: Vec<&str> = import.split("::").map(str::trim).filter(|part| !part.is_empty()).collect();
        let (first, rest) = parts.split_first()?;
        match *first {
            "crate" => self.rust_module(&crate_root(from), rest, true),
            "self" => self.rust_module(&module_folder(from), rest, false).or_else(|| self.paths.file(from)),
            "super" => {
                let ups = 1 + rest.iter().take_while(|part| **part == "super").count();
                let mut base = module_folder(from);
                for _ in 0..ups {
                    base = folder(&base).to_owned();
                }
                let rest = &rest[ups - 1..];
                let own = || {
                    let module = [format!("{base}.rs"), format!("{base}/mod.rs"), format!("{base}/lib.rs")];
                    module.iter().chain(&[format!("{base}/main.rs")]).find_map(|path| self.paths.file(path))
                };
                self.rust_module(&base, rest, false).or_else(own)
            }
            _ => {
                let sibling = self.rust_module(&module_folder(from), &parts, false);
                sibling.or_else(|| {
                    let base = self.manifests.crates.get(*first)?;
                    self.rust_module(&join(base, "src")?, rest, true)
                })
            }
        }
    }

    /// The deepest module a path names; the root of the crate where it names none and `root` says so.
    fn rust_module(&self, base: &str, parts: &[&str], root: bool) -> Option<u32> {
        for length in (1..=parts.len()).rev() {
            let path = join(base, &parts[..length].join("/"))?;
            let found = self.paths.file(&format!("{path}.rs"));
            if let Some(file) = found.or_else(|| self.paths.file(&format!("{path}/mod.rs"))) {
                return Some(file);
            }
        }
        let roots = ["lib.rs", "main.rs"].iter().filter(|_| root);
        roots.into_iter().find_map(|name| self.paths.file(&join(base, name)?))
    }

    fn go(&self, from: &str, import: &str) -> Target {
        let inside = self.manifests.modules.iter().find_map(|(module, base)| {
            let rest = import.strip_prefix(module.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| join(base, rest)).flatten()
        });
        let base = inside.or_else(|| {
            // Without a manifest only a path of several folders says enough.
            let end = import.split_once('/').filter(|(host, _)| host.contains('.')).map(|(_, rest)| rest)?;
            let end = if end.contains('/') { end.split_once('/').map_or(end, |(_, rest)| rest) } else { end };
            self.manifests
                .modules
                .is_empty()
                .then(|| self.paths.folder_ending(end, from))
                .flatten()
                .map(str::to_owned)
        });
        let Some(base) = base else { return Target::default() };
        let files = self.paths.in_folder(&base).iter().copied().filter(|file| {
            let path = self.paths.path(*file);
            path.ends_with(".go") && !path.ends_with("_test.go")
        });
        Target { files: files.take(MAX_TARGETS).collect(), folder: Some(base) }
    }

    fn package(&self, language: &Language, from: &str, import: &str) -> Target {
        let import = import.trim_end_matches(".*").trim_end_matches("._");
        let path = import.replace('.', "/");
        let family = ["java", "kt", "scala"];
        let ends: Vec<&str> = match family.iter().any(|end| language.extensions.contains(end)) {
            true => family.to_vec(),
            false => language.extensions.to_vec(),
        };
        // A type, or a member of one.
        for path in [path.as_str(), folder(&path)] {
            let found = ends.iter().find_map(|end| match path.contains('/') {
                true => self.paths.ending(&format!("{path}.{end}"), from),
                false => None,
            });
            if found.is_some() {
                return found.into();
            }
        }
        self.folder_files(language, &path, from)
    }

    fn folder_files(&self, language: &Language, end: &str, from: &str) -> Target {
        let Some(base) = self.paths.folder_ending(end, from) else { return Target::default() };
        let files = self.paths.in_folder(base).iter().copied().filter(|file| {
            let path = self.paths.path(*file);
            language.extensions.iter().any(|ext| path.ends_with(&format!(".{ext}")))
        });
        Target { files: files.take(MAX_TARGETS).collect(), folder: Some(base.to_owned()) }
    }

    fn include(&self, from: &str, import: &str) -> Option<u32> {
        let beside = join(folder(from), import).and_then(|path| self.paths.file(&path));
        let rooted = || self.paths.file(import).or_else(|| self.paths.file(&format!("include/{import}")));
        let plain = import.trim_start_matches("../").trim_start_matches("./");
        beside.or_else(rooted).or_else(|| self.paths.ending(plain, from))
    }

    fn path(&self, language: &Language, from: &str, import: &str) -> Option<u32> {
        // `__DIR__ . '/x.php` and `"$(dirname "$0")/x.sh` end in the path that counts.
        let import = match import.rfind(['\'', '"', '}', ')']) {
            Some(at) => import[at + 1..].trim_start_matches('/'),
            None => import,
        };
        let spelled = import.replace('\\', "/");
        let has_end = language.extensions.iter().any(|ext| spelled.ends_with(&format!(".{ext}")));
        let path = match has_end || spelled.contains('/') {
            true => spelled,
            false => snake(&spelled.replace('.', "/"), language),
        };
        let ends: Vec<String> = match has_end {
            true => vec![String::new()],
            false => language
                .extensions
                .iter()
                .flat_map(|ext| [format!(".{ext}"), format!("/init.{ext}")])
                .collect(),
        };
        let beside = join(folder(from), &path)?;
        if let Some(file) = ends.iter().find_map(|end| self.paths.file(&format!("{beside}{end}"))) {
            return Some(file);
        }
        // Roots of autoloaders leave out the first names: `App\Models\User` is `app/Models/User.php`.
        let mut rest = path.trim_start_matches("./").trim_start_matches('/');
        loop {
            if let Some(file) = ends.iter().find_map(|end| self.paths.ending(&format!("{rest}{end}"), from)) {
                return Some(file);
            }
            rest = rest.split_once('/').filter(|_| import.contains('\\'))?.1;
        }
    }
}

/// The folder with the root module of the crate a file belongs to.
fn crate_root(from: &str) -> String {
    match from.rfind("src/").filter(|at| *at == 0 || from.as_bytes()[at - 1] == b'/') {
        Some(at) => from[..at + 3].to_owned(),
        None => folder(from).to_owned(),
    }
}

/// Where the modules below a file lie.
fn module_folder(from: &str) -> String {
    let is_root = matches!(super::paths::name(from), "mod.rs" | "lib.rs" | "main.rs" | "build.rs");
    match is_root {
        true => folder(from).to_owned(),
        false => join(folder(from), stem(from)).unwrap_or_default(),
    }
}

/// `ledger/client` of `Ledger/Client`, where files are named so.
fn snake(path: &str, language: &Language) -> String {
    if !language.extensions.contains(&"ex") {
        return path.to_owned();
    }
    let mut out = String::new();
    for letter in path.chars() {
        if letter.is_uppercase() && !out.is_empty() && !out.ends_with('/') {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lang: &str, files: &[&str], from: &str, import: &str, expected: &[&str]) {
        let paths = Paths::of((0u32..).zip(files.iter().copied()));
        let mut manifests = Manifests::default();
        manifests.packages.insert("@shop/ui".into(), "packages/ui".into());
        manifests.crates.insert("my_store".into(), "crates/store".into());
        manifests.modules.push(("example.com/shop".into(), String::new()));
        let config =
            r#"{"compilerOptions": {"paths": {"$lib/*": ["./src/lib/*"], "@/*": ["./src/views/*"]}}}"#;
        manifests.aliases.extend(super::super::aliases::Aliases::read("web", config));
        let places = Places { paths: &paths, manifests: &manifests };
        let found = places.resolve(LangId::by_name(lang).unwrap(), from, import);
        let found: Vec<&str> = found.files.iter().map(|file| paths.path(*file)).collect();
        assert_eq!(found, expected, "{lang}: {import} in {from}");
    }

    #[test]
    fn modules_of_python_are_found_from_the_file_the_root_and_below_src() {
        let files =
            ["src/shop/__init__.py", "src/shop/cart.py", "src/shop/pay/card.py", "tools/run.py", "util.py"];
        check("python", &files, "src/shop/cart.py", ".pay.card", &["src/shop/pay/card.py"]);
        check("python", &files, "src/shop/pay/card.py", "..cart", &["src/shop/cart.py"]);
        check("python", &files, "tools/run.py", "shop.cart", &["src/shop/cart.py"]);
        check("python", &files, "tools/run.py", "shop", &["src/shop/__init__.py"]);
        check("python", &files, "tools/run.py", "util", &["util.py"]);
        check("python", &files, "tools/run.py", "numpy", &[]);
        check("python", &files, "src/shop/__init__.py", "cart", &[]);
        check("python", &files, "util.py", "....cart", &[]);
    }

    #[test]
    fn modules_of_javascript_have_no_ending_an_index_or_a_package() {
        let files = [
            "src/a.ts",
            "src/lib/index.ts",
            "packages/ui/src/index.tsx",
            "packages/ui/src/button.tsx",
            "src/b.tsx",
        ];
        check("typescript", &files, "src/a.ts", "./lib", &["src/lib/index.ts"]);
        check("typescript", &files, "src/lib/index.ts", "../a.js", &["src/a.ts"]);
        check("typescript", &files, "src/a.ts", "@shop/ui", &["packages/ui/src/index.tsx"]);
        check("typescript", &files, "src/a.ts", "@shop/ui/button", &["packages/ui/src/button.tsx"]);
        check("typescript", &files, "src/lib/index.ts", "@/b", &["src/b.tsx"]);
        check("typescript", &files, "src/a.ts", "react", &[]);
        let files = [
            "web/src/lib/index.ts",
            "web/src/views/b.ts",
            "web/src/b.ts",
            "web/a.ts",
            "src/lib/index.ts",
            "a.ts",
        ];
        check("typescript", &files, "web/a.ts", "$lib/index.js", &["web/src/lib/index.ts"]);
        check("typescript", &files, "web/a.ts", "@/b", &["web/src/views/b.ts"]);
        check("typescript", &files, "a.ts", "$lib/index", &[]);
    }

    #[test]
    fn modules_of_rust_are_found_in_their_crate_and_in_others() {
        let files = [
            "crates/app/src/main.rs",
            "crates/app/src/net.rs",
            "crates/app/src/net/tls.rs",
            "crates/store/src/lib.rs",
            "crates/store/src/disk/mod.rs",
        ];
        check("rust", &files, "crates/app/src/main.rs", "net", &["crates/app/src/net.rs"]);
        check("rust", &files, "crates/app/src/net.rs", "tls", &["crates/app/src/net/tls.rs"]);
        check("rust", &files, "crates/app/src/net/tls.rs", "crate::net::Client", &["crates/app/src/net.rs"]);
        check("rust", &files, "crates/app/src/net/tls.rs", "super", &["crates/app/src/net.rs"]);
        check(
            "rust",
            &files,
            "crates/app/src/main.rs",
            "my_store::disk::Disk",
            &["crates/store/src/disk/mod.rs"],
        );
        check("rust", &files, "crates/app/src/main.rs", "my_store::Store", &["crates/store/src/lib.rs"]);
        check("rust", &files, "crates/app/src/main.rs", "std::fmt", &[]);
    }

    #[test]
    fn other_languages_name_folders_types_and_paths() {
        let files = [
            "pay/card.go",
            "pay/card_test.go",
            "app/src/main/java/com/shop/Cart.java",
            "include/shop/cart.h",
            "src/cart.c",
            "lib/shop/cart.rb",
            "app/Models/User.php",
            "src/ledger/init.lua",
            "lib/ledger/client.ex",
            "bin/lib/records.sh",
            "Sources/Ledger/Book.swift",
        ];
        check("go", &files, "main.go", "example.com/shop/pay", &["pay/card.go"]);
        check("java", &files, "x/Y.java", "com.shop.Cart", &["app/src/main/java/com/shop/Cart.java"]);
        check("kotlin", &files, "x/Y.kt", "com.shop.Cart.total", &["app/src/main/java/com/shop/Cart.java"]);
        check("c", &files, "src/cart.c", "shop/cart.h", &["include/shop/cart.h"]);
        check("ruby", &files, "lib/shop.rb", "shop/cart", &["lib/shop/cart.rb"]);
        check("php", &files, "public/index.php", "App\\Models\\User", &["app/Models/User.php"]);
        check("lua", &files, "main.lua", "ledger", &["src/ledger/init.lua"]);
        check("elixir", &files, "lib/app.ex", "Ledger.Client", &["lib/ledger/client.ex"]);
        check("bash", &files, "bin/run.sh", "lib/records.sh", &["bin/lib/records.sh"]);
        check("swift", &files, "Sources/App/main.swift", "Ledger", &["Sources/Ledger/Book.swift"]);
    }
}
