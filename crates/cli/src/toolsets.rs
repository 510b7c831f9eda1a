//! Wiring: the tools of every active toolset, made from settings.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mainstay_catalog::CatalogConfig;
use mainstay_contract::{Fault, FaultResult, Listing, Tool, Toolset};
use mainstay_documents::{EXTRACT_WORD, Failure};
use mainstay_foundry::{FoundryConfig, PolicyError};
use mainstay_process::{Env, Launcher};
use mainstay_programs::{Detail, ProgramsConfig, Source};
use mainstay_runtime::{PlanStore, Runtime};
use mainstay_search::{Debounce, DocumentProgram, Git, Network, SearchConfig, SkipReason, Warm};

use crate::app::{access, cache_dir, limits, state_dir};
use crate::fixtures;
use crate::settings::Settings;

/// Shorter values of secret-looking variables are words that also stand elsewhere.
const MIN_SECRET_CHARS: usize = 8;

/// Which repository is searched and where its index lives.
fn search(settings: &Settings, git: Git) -> SearchConfig {
    SearchConfig {
        repo: settings.repo(),
        work_dir: settings.work_dir.clone(),
        cache_dir: cache_dir(settings),
        git,
        settings: crate::commands::config::as_json(settings),
        network: network(settings),
        risk_rules: settings.path("risk-rules").map(|file| settings.work_dir.join(file)),
        tokens: Some(crate::journals::tokens),
        lint_reports: settings
            .list("lint-reports")
            .value
            .iter()
            .map(|path| settings.work_dir.join(path))
            .collect(),
        ..SearchConfig::default()
    }
}

/// How downloads reach the network.
pub fn network(settings: &Settings) -> Network {
    let text = |key: &str| settings.text(key).map(str::to_owned);
    Network {
        http_proxy: text("http-proxy"),
        https_proxy: text("https-proxy"),
        no_proxy: settings.list("no-proxy").value,
        ca_file: settings.path("ca-file"),
        hosts: settings.list("download-hosts").value,
        sources: settings.path("download-sources"),
    }
}

/// Which project the foundry works on, with which kit and policy.
pub fn foundry(settings: &Settings) -> FaultResult<FoundryConfig> {
    let policy = settings.path("policy-file").map(|path| {
        let unreadable = |error: std::io::Error| {
            Fault::invalid(format!("could not read the policy {}: {error}", path.display()))
        };
        std::fs::read_to_string(&path).map_err(unreadable)
    });
    let is_secret =
        |name: &str| ["TOKEN", "SECRET", "PASSWORD", "API_KEY"].iter().any(|word| name.contains(word));
    let secrets =
        settings.env.iter().filter(|(name, value)| is_secret(name) && value.len() >= MIN_SECRET_CHARS);
    Ok(FoundryConfig {
        root: settings.repo(),
        kit: settings.path("kit"),
        policy: policy.transpose()?,
        policy_path: settings.path("policy-file").map(|path| path.display().to_string()),
        user: settings.env.get("MCP_USER").cloned(),
        hostname: settings.env.get("HOSTNAME").cloned(),
        secrets: secrets.map(|(_, value)| value.clone()).collect(),
        programs: None,
        packages: settings.list("release-packages").value,
    })
}

fn bad_policy(error: PolicyError) -> Fault {
    Fault::invalid(error).hint(
        "no foundry tool runs under a policy that cannot be understood; mend the file MCP_POLICY_FILE names",
    )
}

/// Where the instruction catalog lives and how it behaves.
pub fn catalog(settings: &Settings) -> CatalogConfig {
    let beside = |name: &str| Some(settings.work_dir.join(name)).filter(|path| path.is_file());
    let dir = settings.path("instructions-dir").unwrap_or_else(|| "instructions".into());
    CatalogConfig {
        dir: settings.work_dir.join(dir),
        work_dir: settings.work_dir.clone(),
        features: settings.list("features").value,
        trailing_newline: settings.switch("gov-hash-trailing-newline").value,
        criteria_file: beside("docs/PROMPT-CRITERIA.json"),
        owners_file: beside("owners.json"),
        usage_snapshot: beside("data/usage-snapshot.json"),
    }
}

/// Everything the toolsets share, made once.
pub struct App<'a> {
    settings: &'a Settings,
    launcher: Arc<Launcher>,
    fixtures: bool,
    extra: Vec<Tool>,
    /// Indexes are kept fresh; only where something runs for long.
    watch: bool,
    /// What is kept in memory, shared where one process serves many.
    warm: Warm,
    is_shared: bool,
}

impl<'a> App<'a> {
    /// `fixtures` registers the tools that judge the server from outside.
    pub fn new(settings: &'a Settings, fixtures: bool) -> FaultResult<App<'a>> {
        let launcher = Launcher::this_program().map_err(|error| Fault::internal(&error))?;
        Ok(App {
            settings,
            launcher: Arc::new(launcher),
            fixtures,
            extra: Vec::new(),
            watch: false,
            warm: Warm::default(),
            is_shared: false,
        })
    }

    /// Adds tools that belong to no toolset crate.
    pub fn with_tools(mut self, tools: Vec<Tool>) -> App<'a> {
        self.extra = tools;
        self
    }

    /// For one of many in this process: what is in memory is shared, and the folder of the settings is not the
    /// folder of the process.
    pub fn sharing(mut self, warm: &Warm) -> FaultResult<App<'a>> {
        let launcher = Launcher::this_program().map_err(|error| Fault::internal(&error))?;
        self.launcher = Arc::new(launcher.in_dir(&self.settings.work_dir));
        self.warm = warm.clone();
        self.is_shared = true;
        Ok(self)
    }

    /// For a server: what the settings ask to go on between calls does.
    pub fn serving(mut self) -> App<'a> {
        self.watch = self.settings.switch("watch").value;
        self
    }

    /// A runtime with the tools of the active toolsets.
    pub fn runtime(&self) -> FaultResult<Runtime> {
        let access = access(self.settings)?;
        let mut tools = self.tools(&access.toolsets.value)?;
        tools.extend(self.inactive(&access.toolsets.value));
        let runtime =
            Runtime::new(tools, access, limits(self.settings)).map_err(|error| Fault::internal(&error))?;
        runtime.keep_plans(PlanStore::in_folder(state_dir(self.settings).join("plans")));
        crate::journals::start(self.settings, &runtime)?;
        Ok(runtime)
    }

    /// The tools of the other toolsets, which the registry only knows in order to say why they are not there.
    fn inactive(&self, active: &[Toolset]) -> Vec<Tool> {
        let others = Toolset::ALL.into_iter().filter(|toolset| !active.contains(toolset));
        // What cannot be loaded and is not served is nobody's trouble.
        let tools = others.flat_map(|toolset| self.toolset(toolset, None).unwrap_or_default());
        tools.filter(|tool| tool.def.listing == Listing::Classic).collect()
    }

    /// The tools of some toolsets; the registry leaves out what is not allowed.
    pub fn tools(&self, toolsets: &[Toolset]) -> FaultResult<Vec<Tool>> {
        let mut tools = Vec::new();
        for toolset in toolsets {
            tools.extend(self.toolset(*toolset, self.watch.then(Debounce::default))?);
        }
        if !toolsets.contains(&Toolset::Programs) {
            tools.extend(mainstay_programs::discovery_tools(self.programs().detail));
        }
        if self.fixtures {
            tools.extend(fixtures::tools(&self.launcher, &self.child_env()));
        }
        tools.extend(self.extra.iter().cloned());
        Ok(tools)
    }

    fn toolset(&self, toolset: Toolset, watch: Option<Debounce>) -> FaultResult<Vec<Tool>> {
        match toolset {
            Toolset::Search => {
                let git = Git::new(Arc::clone(&self.launcher), self.child_env());
                let (documents, warm) = (self.document_program(), self.warm.clone());
                Ok(mainstay_search::tools(SearchConfig {
                    watch,
                    documents,
                    warm,
                    ..search(self.settings, git)
                }))
            }
            Toolset::Catalog => Ok(mainstay_catalog::tools(catalog(self.settings))),
            Toolset::Programs => {
                let loaded = crate::commands::climax::load(&self.programs())?;
                Ok(loaded.tools.into_iter().chain(loaded.left_out).collect())
            }
            Toolset::Foundry => {
                let programs = Some(self.foundry_programs());
                let config = FoundryConfig { programs, ..foundry(self.settings)? };
                mainstay_foundry::tools(config).map_err(bad_policy)
            }
        }
    }

    /// What the programs toolset is made of.
    pub fn programs(&self) -> ProgramsConfig {
        let mut given = ProgramsConfig::new(Arc::clone(&self.launcher), self.child_env());
        let whole = |word: String| match Source::of(&word) {
            Source::File(path) if self.is_shared => self.settings.work_dir.join(path).display().to_string(),
            _ => word,
        };
        given.configs = self.settings.list("programs").value.into_iter().map(whole).collect();
        given.policy = self.settings.path("programs-policy");
        given.detail = match self.settings.switch("describe").value {
            true => Detail::Brief,
            false => Detail::Full,
        };
        // The link stays right when the file is replaced by an upgrade while we run.
        given.helper = Some(PathBuf::from("/proc/self/exe")).filter(|link| link.exists());
        given.output_dir = Some(cache_dir(self.settings).join("outputs"));
        given
    }

    /// Reads PDF and DOCX files: this program, started with a word of its own.
    fn document_program(&self) -> Option<DocumentProgram> {
        // The link stays right when the file is replaced by an upgrade while we run.
        let link = PathBuf::from("/proc/self/exe");
        let program = if link.exists() { link } else { std::env::current_exe().ok()? };
        let patience_ms = self.settings.number("document-timeout-ms").unwrap_or_default().max(1);
        self.settings.switch("documents").value.then(|| DocumentProgram {
            launcher: Arc::clone(&self.launcher),
            command: vec![program.into(), EXTRACT_WORD.into()],
            patience: Duration::from_millis(patience_ms),
            failure: |code| match Failure::of_exit(code) {
                Failure::Encrypted => SkipReason::Encrypted,
                Failure::Scanned => SkipReason::Scanned,
                Failure::Oversized => SkipReason::Oversized,
                Failure::Failed => SkipReason::Failed,
            },
        })
    }

    /// What the foundry starts git, npm and a browser with.
    fn foundry_programs(&self) -> mainstay_foundry::Programs {
        mainstay_foundry::Programs {
            launcher: Arc::clone(&self.launcher),
            env: self.child_env(),
            browser: self.settings.path("browser"),
            axe: self.settings.path("axe-core"),
        }
    }

    /// The environment of child processes that get ours.
    fn child_env(&self) -> Env {
        self.settings.env.iter().map(|(key, value)| (key.into(), value.into())).collect()
    }
}
