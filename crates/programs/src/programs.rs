//! The toolset as a whole: what it is made of, and the tools that come out.

use std::path::PathBuf;
use std::sync::Arc;

use mainstay_contract::Tool;
use mainstay_process::Launcher;

use crate::bundled::Source;
use crate::catalog::Catalog;
use crate::config::Config;
use crate::discovery::{self, Detail};
use crate::error::ProgramsError;
use crate::expand::Vars;
use crate::policy::{self, Dialect, PolicyFile};
use crate::run::Runner;
use crate::tools;

/// Everything the toolset is given.
#[derive(Clone)]
pub struct ProgramsConfig {
    /// Paths of configuration files, or names of bundled ones.
    pub configs: Vec<String>,
    pub policy: Option<PathBuf>,
    pub dialect: Dialect,
    pub detail: Detail,
    /// The environment of the server.
    pub vars: Vars,
    pub launcher: Arc<Launcher>,
    /// An executable that calls [`sandbox_main`](crate::sandbox_main) for
    /// [`SANDBOX_WORD`](crate::SANDBOX_WORD); without it there is no sandbox.
    pub helper: Option<PathBuf>,
    /// Where whole outputs are kept on request; without it they are not.
    pub output_dir: Option<PathBuf>,
}

impl ProgramsConfig {
    /// No programs yet: discovery over whatever else the server has.
    pub fn new(launcher: Arc<Launcher>, vars: Vars) -> ProgramsConfig {
        ProgramsConfig {
            configs: Vec::new(),
            policy: None,
            dialect: Dialect::default(),
            detail: Detail::default(),
            vars,
            launcher,
            helper: None,
            output_dir: None,
        }
    }

    pub(crate) fn sources(&self) -> Vec<Source> {
        self.configs.iter().map(|word| Source::of(word)).collect()
    }
}

/// The toolset, loaded.
pub struct Programs {
    /// The discovery tools first, then the programs' in load order.
    pub tools: Vec<Tool>,
    /// The program's name when there is one, `climax` for none or several: how the original names its server.
    pub server_name: String,
    pub warnings: Vec<String>,
    pub catalog: Arc<Catalog>,
    /// Tools that the policy leaves out; they are only there to be asked about.
    pub left_out: Vec<Tool>,
}

impl Programs {
    /// Loads every file; one mistake anywhere is an error.
    pub fn load(given: &ProgramsConfig) -> Result<Programs, ProgramsError> {
        let configs = given.sources().iter().map(Source::load).collect::<Result<Vec<Config>, _>>()?;
        let policy = given.policy.as_deref().map(policy::load).transpose()?;
        let warnings = warnings(&configs, policy.as_ref(), given.dialect)?;
        let server_name = match &configs[..] {
            [only] => only.name.clone(),
            _ => "climax".to_owned(),
        };
        let catalog = Arc::new(Catalog::new(configs, policy.as_ref()));
        let runner = Arc::new(Runner {
            launcher: Arc::clone(&given.launcher),
            vars: given.vars.clone(),
            helper: given.helper.clone(),
            output_dir: given.output_dir.clone(),
            executor: catalog.executor.clone(),
            dialect: given.dialect,
        });
        let mut tools = discovery::tools(&catalog, given.detail);
        tools.extend(tools::tools(&catalog, &runner));
        let left_out = policy.map(|policy| tools::left_out(&catalog, &policy.source)).unwrap_or_default();
        Ok(Programs { tools, server_name, warnings, catalog, left_out })
    }
}

/// Collects what loads but deserves a word; in the strict dialect a rule that never applies is an error.
pub(crate) fn warnings(
    configs: &[Config],
    policy: Option<&PolicyFile>,
    dialect: Dialect,
) -> Result<Vec<String>, ProgramsError> {
    let mut warnings = Vec::new();
    let mut seen: std::collections::HashMap<&str, &str> = std::collections::HashMap::new();
    for config in configs {
        let source = config.source.display();
        warnings.extend(config.warnings.iter().map(|problem| format!("{source}: {problem}")));
        for tool in &config.tools {
            if let Some(earlier) = seen.insert(&tool.name, &config.name) {
                warnings.push(format!(
                    "{source}: tool '{}' of '{}' replaces the one of '{earlier}'",
                    tool.name, config.name
                ));
            }
        }
    }
    if let Some(policy) = policy {
        let source = policy.source.display();
        let problems = policy.check_names(configs, dialect)?;
        warnings.extend(problems.iter().map(|problem| format!("{source}: {problem}")));
    }
    Ok(warnings)
}
