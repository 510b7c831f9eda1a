//! axe-core on rendered pages. What could not run is said, never passed over.

use std::fs;
use std::path::PathBuf;

use mainstay_contract::{Call, Progress};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::kit::Kit;
use crate::render::{self, Styling};
use crate::sheet::{self, Arrangement};
use crate::tree::Tree;
use crate::{Foundry, FoundryError, exec, specimen};

/// Where npm puts it, relative to the project.
const IN_PROJECT: &str = "node_modules/axe-core/axe.min.js";
const MAX_SCRIPT_BYTES: u64 = 8 << 20;

/// Only what WCAG 2.2 AA asks: advice about whole pages does not fit specimens and fragments.
const SCRIPT: &str = r"
const finish = (result) => { document.body.dataset.axe = encodeURIComponent(JSON.stringify(result)); };
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
axe.run(document, { runOnly: { type: 'tag', values: tags } }).then((result) => finish({
  passes: result.passes.length,
  violations: result.violations.map((rule) => ({
    id: rule.id, impact: rule.impact ?? 'minor', help: rule.help, count: rule.nodes.length,
    nodes: rule.nodes.slice(0, 20).map((node) => {
      const found = document.querySelector(String(node.target[0]));
      const owner = found?.closest('[data-oods-component]');
      return { component: owner?.dataset.oodsComponent ?? null, nodeId: owner?.dataset.oodsNodeId ?? null, html: node.html.slice(0, 300) };
    }),
  })),
})).catch((error) => finish({ error: String(error) }));
";

/// What axe-core found, or why it did not run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Section {
    pub status: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    pub pages: Vec<Page>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Ok,
    /// A browser or axe-core is not there.
    Missing,
    /// The browser did not do its work.
    Failed,
}

/// One page that was opened.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    pub brand: String,
    pub theme: String,
    pub passes: usize,
    pub violations: Vec<Violation>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Violation {
    pub id: String,
    pub impact: String,
    pub help: String,
    pub count: usize,
    pub nodes: Vec<Node>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    pub component: Option<String>,
    pub node_id: Option<String>,
    pub html: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Done { passes: usize, violations: Vec<Violation> },
    Failed { error: String },
}

impl Section {
    /// Violations that shut people out.
    pub fn serious(&self) -> usize {
        let all = self.pages.iter().flat_map(|page| &page.violations);
        all.filter(|violation| matches!(violation.impact.as_str(), "serious" | "critical")).count()
    }

    pub fn figures(&self) -> Value {
        json!({
            "status": self.status, "code": self.code, "message": self.message, "engine": self.engine,
            "pages": self.pages.len(),
            "violations": self.pages.iter().map(|page| page.violations.len()).sum::<usize>(),
            "seriousViolations": self.serious(),
        })
    }

    fn without(status: State, error: &FoundryError) -> Section {
        let (code, hint) = match error {
            FoundryError::Missing { hint, .. } => (Some("CAPABILITY_MISSING"), Some(hint.clone())),
            _ => (None, None),
        };
        Section { status, code, message: Some(error.to_string()), hint, engine: None, pages: Vec::new() }
    }
}

/// Opens the tree, or else every specimen of the kit, in each theme.
pub fn scan(foundry: &Foundry, call: &Call, kit: &Kit, tree: Option<&Tree>) -> Result<Section, FoundryError> {
    match try_scan(foundry, call, kit, tree) {
        Ok(section) => Ok(section),
        Err(FoundryError::Cancelled) => Err(FoundryError::Cancelled),
        Err(error @ FoundryError::Missing { .. }) => Ok(Section::without(State::Missing, &error)),
        Err(error) => Ok(Section::without(State::Failed, &error)),
    }
}

fn try_scan(foundry: &Foundry, call: &Call, kit: &Kit, tree: Option<&Tree>) -> Result<Section, FoundryError> {
    let browser = Browser::find(foundry, call)?;
    let script = script(foundry)?;
    let brand = kit.default_brand();
    let mut pages = Vec::new();
    for (index, theme) in kit.manifest.themes.iter().enumerate() {
        exec::check(call)?;
        call.report(Progress {
            phase: "axe".into(),
            message: format!("theme {theme}"),
            done: Some(index as u64),
            total: Some(kit.manifest.themes.len() as u64),
            ..Progress::default()
        });
        let page = match tree {
            Some(tree) => render::document_in(kit, tree, brand, theme, Styling::Tokens).html,
            None => {
                let specimens = specimen::draw(kit, brand, theme, |_| true);
                sheet::page(kit, brand, theme, &specimens, Arrangement::Flow)
            }
        };
        let html = with_script(&page);
        let dom = browser.open(&html, &[("axe.min.js", &script.bytes)], None)?.dom;
        let (passes, violations) = match answer(&dom) {
            Some(Answer::Done { passes, violations }) => (passes, violations),
            Some(Answer::Failed { error }) => return Err(broken(format!("axe-core failed: {error}"))),
            None => return Err(broken("axe-core did not finish".into())),
        };
        pages.push(Page { brand: brand.to_owned(), theme: theme.clone(), passes, violations });
    }
    Ok(Section { status: State::Ok, code: None, message: None, hint: None, engine: Some(script.name), pages })
}

fn broken(reason: String) -> FoundryError {
    FoundryError::Program {
        program: "the browser".into(),
        reason: format!("gave no result: {reason}"),
        stderr: String::new(),
    }
}

fn with_script(page: &str) -> String {
    let end = page.rfind("</body>").unwrap_or(page.len());
    format!(
        "{}<script src=\"axe.min.js\"></script>\n<script>{SCRIPT}</script>\n{}",
        &page[..end],
        &page[end..]
    )
}

struct Script {
    bytes: Vec<u8>,
    name: String,
}

fn script(foundry: &Foundry) -> Result<Script, FoundryError> {
    let chosen = foundry.programs()?.axe.clone();
    let path: PathBuf = chosen.unwrap_or_else(|| foundry.config.root.join(IN_PROJECT));
    let size = fs::metadata(&path).map(|found| found.len()).unwrap_or(0);
    let bytes = match size {
        1..=MAX_SCRIPT_BYTES => fs::read(&path).ok(),
        _ => None,
    };
    let Some(bytes) = bytes else {
        return Err(FoundryError::Missing {
            message: "axe-core is not installed".into(),
            hint: "npm install --save-dev axe-core in the project, or name its axe.min.js with --axe-core"
                .into(),
        });
    };
    // The file begins with a comment: `/*! axe v4.10.2`.
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
    let version = start.split("axe v").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or("");
    Ok(Script { bytes, name: format!("axe-core {version}").trim().to_owned() })
}

fn answer(dom: &str) -> Option<Answer> {
    let text = dom.split("data-axe=\"").nth(1)?.split('"').next()?;
    serde_json::from_slice(&unescape(text)).ok()
}

/// Undoes `encodeURIComponent`.
fn unescape(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    out
}
