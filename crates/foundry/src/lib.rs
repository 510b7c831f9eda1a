//! The foundry toolset: a design kit, trees of components, and what can be made of them.
//!
//! [`tools`] gives the tools of the contract. The other modules are the library behind them:
//! `kit` (data), `tokens`, `tree`, `patch`, `validate` and `a11y` (checks), `render` (HTML),
//! `compose` (intent to tree), `codegen` (tree to source), `mapping` (store), `scaffold` and `preview`;
//! `audit` (drift in source), `billing`, `release` and `repository` (packages and git); `record` (what a run leaves
//! behind) and `exec` (programs). Nothing here reads the environment or prints, and
//! programs start only through the launcher that was given.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod a11y;
mod artifacts;
pub mod audit;
mod billing;
mod brand;
mod browser;
pub mod codegen;
pub mod color;
pub mod compose;
mod dataset;
mod error;
mod exec;
pub mod issue;
pub mod json;
pub mod kit;
mod mapping;
pub mod patch;
mod picture;
mod policy;
pub mod preview;
mod record;
mod redact;
mod release;
pub mod render;
mod report;
mod repository;
mod review;
pub mod scaffold;
mod scan;
mod sheet;
mod specimen;
pub mod tokens;
mod tools;
mod transcript;
pub mod tree;
pub mod validate;
mod vrt;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use mainstay_contract::Tool;

pub use error::FoundryError;
pub use exec::Programs;
pub use policy::PolicyError;

use kit::{Kit, LazyKit, Source};
use policy::Rules;
use redact::Redactor;

/// What the surroundings decide.
#[derive(Debug, Clone, Default)]
pub struct FoundryConfig {
    /// Project root: artifacts and mappings are written below it.
    pub root: PathBuf,
    /// A kit of the user's own; the built-in one when absent.
    pub kit: Option<PathBuf>,
    /// Contents of the policy file, when one is configured.
    pub policy: Option<String>,
    /// Where that file is, for people who ask which rule decided.
    pub policy_path: Option<String>,
    /// Who is recorded in transcripts; `system` when absent.
    pub user: Option<String>,
    pub hostname: Option<String>,
    /// Values that may never reach a transcript, such as tokens of the environment.
    pub secrets: Vec<String>,
    /// How programs such as git and a browser are started; without it the tools that need one say so.
    pub programs: Option<Programs>,
    /// Folders of packages to release, relative to the root, beside those below `packages/`.
    pub packages: Vec<String>,
}

/// The state all tools share.
pub(crate) struct Foundry {
    pub config: FoundryConfig,
    pub rules: Rules,
    pub redactor: Redactor,
    kit: LazyKit,
    /// Serialises changes of the mapping store inside this process.
    pub mappings: Mutex<()>,
}

impl Foundry {
    pub fn kit(&self) -> Result<Arc<Kit>, FoundryError> {
        Ok(self.kit.get()?)
    }
}

/// The tools of the foundry; a policy file that cannot be understood gives none.
pub fn tools(config: FoundryConfig) -> Result<Vec<Tool>, PolicyError> {
    Ok(tools::all(&Arc::new(foundry_of(config)?)))
}

fn foundry_of(config: FoundryConfig) -> Result<Foundry, PolicyError> {
    let rules = Rules::read(config.policy.as_deref())?;
    let root = config.root.display().to_string();
    // The root itself is not secret, but a transcript should not depend on whose machine it was.
    let hidden = config.secrets.iter().cloned().chain(rules.redactions.iter().cloned()).chain([root]);
    let redactor = Redactor::new(hidden.filter(|value| value != "/" && value != "."));
    let source = config.kit.clone().map_or(Source::Embedded, Source::Directory);
    Ok(Foundry { kit: LazyKit::new(source), redactor, rules, config, mappings: Mutex::new(()) })
}
