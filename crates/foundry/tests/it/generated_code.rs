//! Generated code is built by the real compilers and opened in a real browser.
//!
//! Needs the packages of `tests/npm/package.json`, installed into `.deps/foundry-npm` of the
//! repository or wherever `MAINSTAY_TEST_NPM` points.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mainstay_foundry::codegen::Framework;
use mainstay_foundry::kit::{Kit, LazyKit};
use mainstay_foundry::scaffold;
use mainstay_foundry::tree::Tree;
use serde_json::{Value, json};

use crate::compose::INTENTS;
use crate::harness::Site;

pub fn modules() -> PathBuf {
    let folder = std::env::var_os("MAINSTAY_TEST_NPM").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.deps/foundry-npm/node_modules"),
        PathBuf::from,
    );
    let folder = if folder.join("node_modules").is_dir() { folder.join("node_modules") } else { folder };
    assert!(
        folder.join("vite/package.json").is_file(),
        "{} has no packages: run `npm install` with crates/foundry/tests/npm/package.json there, or set MAINSTAY_TEST_NPM",
        folder.display()
    );
    folder.canonicalize().unwrap()
}

fn kit() -> std::sync::Arc<Kit> {
    LazyKit::new(Default::default()).get().unwrap()
}

/// A tree with everything that is hard to print: quotes, braces, layout, style, bindings, tabs.
fn difficult() -> Value {
    let text = "It's \"5 < 6\" & {{curly}} `tick` ${dollar} \\ back\nline";
    json!({ "version": "2026.02", "theme": "light", "screens": [{
        "id": "s\"<1>", "component": "Stack", "layout": { "type": "sidebar", "gapToken": "cluster-loose" },
        "style": { "spacingToken": "inset-default", "colorToken": "secondary", "marginTop": "1rem", "--x": 1 },
        "children": [
            { "id": "tabs", "component": "Tabs", "props": { "label": text }, "children": [
                { "id": "t1", "component": "Card", "props": { "title": text, "label": "One" }, "layout": { "type": "section" }, "children": [{ "id": "tx", "component": "Text", "props": { "content": text, "as": "h3" } }] },
                { "id": "t2", "component": "Table", "props": { "caption": text, "columns": [{ "key": "a'b", "label": text }], "rows": [{ "a'b": text }] } }
            ] },
            { "id": "b", "component": "Button", "props": { "label": text, "disabled": true, "aria-label": text, "data-test": text, "wild": 1 }, "bindings": { "onClick": "save it!", "label": "user.name" } },
            { "id": "f", "component": "Input", "props": { "label": text, "value": 3, "tabindex": "2" }, "bindings": { "onChange": "changed" } },
            { "id": "z", "component": "Zork", "children": [{ "id": "zz", "component": "Badge", "props": { "status": "active" } }] }
        ]
    }] })
}

struct Project {
    folder: tempfile::TempDir,
    modules: PathBuf,
}

impl Project {
    fn new(framework: Framework, tree: &Value) -> Project {
        let modules = modules();
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::read(tree).unwrap();
        let files = scaffold::project(&kit(), framework, Some(&tree));
        scaffold::write(folder.path(), &files).unwrap();
        std::os::unix::fs::symlink(&modules, folder.path().join("node_modules")).unwrap();
        Project { folder, modules }
    }

    fn run(&self, program: &str, args: &[&str]) {
        let output = Command::new("node")
            .arg(self.modules.join(program))
            .args(args)
            .current_dir(self.folder.path())
            .env("NO_COLOR", "1")
            .output()
            .expect("node is installed");
        let code = fs::read_dir(self.folder.path().join("src")).unwrap().filter_map(|entry| {
            let path = entry.unwrap().path();
            path.file_name()?.to_str()?.starts_with("GeneratedUI").then(|| fs::read_to_string(&path).unwrap())
        });
        assert!(
            output.status.success(),
            "{program} {args:?}\n{}{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
            code.collect::<String>()
        );
    }

    fn check_types(&self) {
        self.run("typescript/bin/tsc", &["--noEmit"]);
    }

    /// Builds one classic script and style, and gives the page after scripts ran.
    fn build_and_open(&self) -> String {
        self.run("vite/bin/vite.js", &["build", "--logLevel", "error", "--base", "./"]);
        let dist = self.folder.path().join("dist");
        let page = fs::read_to_string(dist.join("index.html")).unwrap();
        // Module scripts do not load from files, so the bundle moves to the end of the page as a plain script.
        let asset = |end: &str| {
            let mut files = fs::read_dir(dist.join("assets")).unwrap().map(|entry| entry.unwrap().path());
            fs::read_to_string(files.find(|path| path.to_str().unwrap().ends_with(end)).unwrap()).unwrap()
        };
        let body = &page[page.find("<body").unwrap()..];
        let html = format!(
            "<!doctype html><html lang=\"en\" data-theme=\"light\"><head><meta charset=\"utf-8\"><title>Built</title><style>{}</style></head>{}<script type=\"module\">{}</script></html>",
            asset(".css"),
            body.replace("</html>", ""),
            asset(".js").replace("</script", "<\\/script")
        );
        open(self.folder.path(), "built.html", &html)
    }
}

fn open(folder: &Path, name: &str, html: &str) -> String {
    let file = folder.join(name);
    fs::write(&file, html).unwrap();
    let start = |attempt: &str| {
        Command::new("chromium")
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args(["--disable-extensions", "--disable-background-networking", "--disable-component-update"])
            .args(["--disable-breakpad", "--virtual-time-budget=4000", "--dump-dom"])
            .arg(format!("--user-data-dir={}", folder.join(attempt).display()))
            .arg(format!("file://{}", file.display()))
            .output()
            .expect("chromium is installed")
    };
    // As the product does: on a busy machine Chromium crashes now and then, and comes up with a new profile.
    let mut output = start("profile");
    if !output.status.success() || output.stdout.is_empty() {
        output = start("profile-again");
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn react_type_checks_builds_and_runs() {
    let project = Project::new(Framework::React, &difficult());
    project.check_types();
    let dom = project.build_and_open();
    assert!(dom.contains("It's \"5 &lt; 6\" &amp; {{curly}} `tick` ${dollar} \\ back"), "{dom}");
    assert!(dom.contains("role=\"tabpanel\"") && dom.contains("data-oods-component=\"Table\""), "{dom}");
}

#[test]
fn every_composed_screen_type_checks_in_react() {
    let site = Site::new();
    let composed = site.call("design.compose", json!({ "intent": INTENTS[0].0 }));
    let project = Project::new(Framework::React, &composed["schema"]);
    for (index, (intent, _)) in INTENTS.iter().enumerate() {
        let schema = site.call("design.compose", json!({ "intent": intent }))["schema"].clone();
        for styling in ["tokens", "inline"] {
            let answer = site.call(
                "code.generate",
                json!({ "schema": schema, "framework": "react", "options": { "styling": styling } }),
            );
            assert_eq!(answer["warnings"], json!([]), "{intent}");
            fs::write(
                project.folder.path().join(format!("src/Screen{index}{styling}.tsx")),
                answer["code"].as_str().unwrap(),
            )
            .unwrap();
        }
        let script = site.call(
            "code.generate",
            json!({ "schema": schema, "framework": "react", "options": { "typescript": false } }),
        );
        assert_eq!(script["fileExtension"], ".jsx");
    }
    // Every component of the kit, with the properties it is shown with.
    let children: Vec<Value> = kit()
        .components
        .iter()
        .map(|c| json!({ "id": c.name, "component": c.name, "props": c.example }))
        .collect();
    let all =
        json!({ "version": "1", "screens": [{ "id": "all", "component": "Stack", "children": children }] });
    let answer = site.call("code.generate", json!({ "schema": all, "framework": "react" }));
    fs::write(project.folder.path().join("src/All.tsx"), answer["code"].as_str().unwrap()).unwrap();
    project.check_types();
}

/// Tags and classes inside `main`, in order.
fn outline(html: &str) -> Vec<String> {
    let main = html.split("<main").nth(1).unwrap().split("</main>").next().unwrap();
    let tags = crate::hostile::tags(&format!("<main{main}"));
    let class = |tag: &html5ever::tokenizer::Tag| {
        tag.attrs
            .iter()
            .find(|attr| &*attr.name.local == "class")
            .map(|attr| attr.value.to_string())
            .unwrap_or_default()
    };
    tags.iter().skip(1).map(|tag| format!("{}.{}", tag.name, class(tag))).collect()
}

#[test]
fn react_vue_and_svelte_draw_what_the_page_draws() {
    let children: Vec<Value> = kit()
        .components
        .iter()
        .map(|c| json!({ "id": c.name, "component": c.name, "props": c.example }))
        .collect();
    let all =
        json!({ "version": "1", "screens": [{ "id": "all", "component": "Stack", "children": children }] });
    let page = Site::new().call("repl.render", json!({ "mode": "full", "schema": all, "apply": true }));
    let expected = outline(page["html"].as_str().unwrap());
    assert!(expected.len() > 500, "{}", expected.len());
    for framework in [Framework::React, Framework::Vue, Framework::Svelte] {
        let drawn = outline(&Project::new(framework, &all).build_and_open());
        for (at, (ours, theirs)) in expected.iter().zip(&drawn).enumerate() {
            assert_eq!(
                ours,
                theirs,
                "{framework:?} at {at}, after {:?}",
                &expected[at.saturating_sub(3)..at]
            );
        }
        assert_eq!(expected.len(), drawn.len(), "{framework:?}");
    }
}

#[test]
fn a_project_is_not_written_over_something() {
    let folder = tempfile::tempdir().unwrap();
    let files = scaffold::project(&kit(), Framework::React, None);
    scaffold::write(folder.path(), &files).unwrap();
    assert!(folder.path().join("src/GeneratedUI.tsx").is_file());
    assert!(scaffold::write(folder.path(), &files).is_err());
}

#[test]
fn vue_builds_and_runs() {
    let dom = Project::new(Framework::Vue, &difficult()).build_and_open();
    assert!(dom.contains("It's \"5 &lt; 6\" &amp; {{curly}} `tick` ${dollar} \\ back"), "{dom}");
    assert!(dom.contains("role=\"tabpanel\"") && dom.contains("data-oods-component=\"Table\""), "{dom}");
}

#[test]
fn svelte_builds_and_runs() {
    let dom = Project::new(Framework::Svelte, &difficult()).build_and_open();
    assert!(dom.contains("It's \"5 &lt; 6\" &amp; {{curly}} `tick` ${dollar} \\ back"), "{dom}");
    assert!(dom.contains("role=\"tabpanel\"") && dom.contains("data-oods-component=\"Table\""), "{dom}");
}

#[test]
fn web_components_build_and_run() {
    let dom = Project::new(Framework::Lit, &difficult()).build_and_open();
    assert!(dom.contains("generated-ui"), "{dom}");
}

#[test]
fn composed_screens_have_no_serious_violation() {
    let axe = fs::read_to_string(modules().join("axe-core/axe.min.js")).unwrap();
    let site = Site::new();
    let folder = tempfile::tempdir().unwrap();
    for (intent, _) in &INTENTS[..4] {
        for theme in ["light", "dark", "hc"] {
            let mut schema = site.call("design.compose", json!({ "intent": intent }))["schema"].clone();
            schema["theme"] = theme.into();
            let page =
                site.call("repl.render", json!({ "mode": "full", "schema": schema, "apply": true }))["html"]
                    .as_str()
                    .unwrap()
                    .to_owned();
            let script = "axe.run().then(r => { const bad = r.violations.filter(v => ['serious','critical'].includes(v.impact)).map(v => v.id + ': ' + v.nodes.map(n => n.html).join(' | ')); const out = document.createElement('pre'); out.id = 'axe'; out.textContent = 'AXE ' + r.passes.length + ' BAD ' + JSON.stringify(bad); document.body.append(out); });";
            let html =
                page.replace("</body>", &format!("<script>{axe}</script><script>{script}</script></body>"));
            let dom = open(folder.path(), "page.html", &html);
            let report = dom.split("AXE ").last().unwrap_or_default();
            assert!(
                report.contains("BAD []"),
                "{intent} in {theme}: {}",
                report.chars().take(2000).collect::<String>()
            );
        }
    }
}
