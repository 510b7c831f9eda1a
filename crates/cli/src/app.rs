//! Wiring: from settings to a runtime with the tools of every active toolset.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mainstay_catalog::CatalogConfig;
use mainstay_contract::{ErrorCode, Fault, FaultResult, Role, Tool, Toolset};
use mainstay_process::{Env, Launcher};
use mainstay_programs::{Detail, ProgramsConfig};
use mainstay_runtime::{Access, Form, Limits, OnDemand, Origin, Runtime, Sourced};
use mainstay_server::{Identity, Naming};

use crate::fixtures;
use crate::settings::{Settings, SettingsError};

impl From<SettingsError> for Fault {
    fn from(error: SettingsError) -> Fault {
        Fault::new(ErrorCode::InvalidRequest, error)
            .hint("`mainstay config show --origin` lists every setting")
    }
}

/// The toolsets to serve, with a clear error for a name that is none.
pub fn toolsets(settings: &Settings) -> FaultResult<Sourced<Vec<Toolset>>> {
    let names = settings.list("toolsets");
    let mut toolsets = Vec::new();
    for name in &names.value {
        let toolset = Toolset::parse(name).ok_or_else(|| {
            let known = Toolset::ALL.map(Toolset::name);
            Fault::invalid(format!("unknown toolset {name} (from {})", names.origin))
                .hint(format!("the toolsets are {}", known.join(", ")))
        })?;
        if !toolsets.contains(&toolset) {
            toolsets.push(toolset);
        }
    }
    Ok(Sourced::new(toolsets, names.origin))
}

/// What the operator allows.
pub fn access(settings: &Settings) -> FaultResult<Access> {
    let toolsets = toolsets(settings)?;
    let form = match settings.text("form") {
        Some("classic") => Form::Classic,
        Some("discovery") => Form::Discovery,
        _ if toolsets.value == [Toolset::Programs] => Form::Discovery,
        _ => Form::Classic,
    };
    let origin_of = |key: &str| settings.get(key).map_or(Origin::Default, |sourced| sourced.origin.clone());
    let extra = settings.list("extra-tools");
    let on_demand = match settings.text("toolset") {
        Some("all") => Sourced::new(OnDemand::All, origin_of("toolset")),
        _ => Sourced::new(OnDemand::Named(extra.value), extra.origin),
    };
    let tools = settings.list("tools");
    let role = settings.text("role").and_then(Role::parse).unwrap_or(Role::Designer);
    Ok(Access {
        form: Sourced::new(form, origin_of("form")),
        toolsets,
        read_only: settings.switch("read-only"),
        mutation: settings.switch("enable-mutation"),
        on_demand,
        allow: Sourced::new((!tools.value.is_empty()).then_some(tools.value), tools.origin),
        deny: settings.list("exclude-tools"),
        role: Sourced::new(role, origin_of("role")),
    })
}

/// Bounds of the runtime.
pub fn limits(settings: &Settings) -> Limits {
    let default = Limits::default();
    let count = |key: &str, otherwise: usize| {
        settings.number(key).and_then(|number| usize::try_from(number).ok()).unwrap_or(otherwise)
    };
    Limits {
        queue_max: count("queue-max", default.queue_max),
        workers: count("workers", default.workers),
        timeout: settings.number("tool-timeout-ms").map(Duration::from_millis),
    }
}

/// Where indexes, models and other derived data live.
pub fn cache_dir(settings: &Settings) -> PathBuf {
    let home = || settings.env.get("HOME").map(PathBuf::from);
    settings
        .path("cache-dir")
        .or_else(|| Some(PathBuf::from(settings.env.get("XDG_CACHE_HOME")?).join("mainstay")))
        .or_else(|| Some(home()?.join(".cache/mainstay")))
        .unwrap_or_else(|| std::env::temp_dir().join("mainstay-cache"))
}

/// Where the instruction catalog lives and how it behaves.
pub fn catalog(settings: &Settings) -> CatalogConfig {
    let beside = |name: &str| Some(settings.work_dir.join(name)).filter(|path| path.is_file());
    let dir = settings.path("instructions-dir").unwrap_or_else(|| "instructions".into());
    CatalogConfig {
        dir: settings.work_dir.join(dir),
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
}

impl<'a> App<'a> {
    /// `fixtures` registers the tools that judge the server from outside.
    pub fn new(settings: &'a Settings, fixtures: bool) -> FaultResult<App<'a>> {
        let launcher = Launcher::this_program().map_err(|error| Fault::internal(&error))?;
        Ok(App { settings, launcher: Arc::new(launcher), fixtures, extra: Vec::new() })
    }

    /// Adds tools that belong to no toolset crate.
    pub fn with_tools(mut self, tools: Vec<Tool>) -> App<'a> {
        self.extra = tools;
        self
    }

    /// A runtime with the tools of the active toolsets.
    pub fn runtime(&self) -> FaultResult<Runtime> {
        let access = access(self.settings)?;
        let tools = self.tools(&access.toolsets.value)?;
        Runtime::new(tools, access, limits(self.settings)).map_err(|error| Fault::internal(&error))
    }

    /// The tools of some toolsets; the registry leaves out what is not allowed.
    pub fn tools(&self, toolsets: &[Toolset]) -> FaultResult<Vec<Tool>> {
        let mut tools = Vec::new();
        for toolset in toolsets {
            match toolset {
                Toolset::Search => tools.extend(mainstay_search::tools(mainstay_search::SearchConfig {
                    repo: self.settings.repo(),
                    cache_dir: cache_dir(self.settings),
                    settings: crate::commands::config::as_json(self.settings),
                })),
                Toolset::Catalog => tools.extend(mainstay_catalog::tools(catalog(self.settings))),
                Toolset::Programs => tools.extend(crate::commands::climax::load(&self.programs())?.tools),
                Toolset::Foundry => {}
            }
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

    /// What the programs toolset is made of.
    pub fn programs(&self) -> ProgramsConfig {
        let mut given = ProgramsConfig::new(Arc::clone(&self.launcher), self.child_env());
        given.configs = self.settings.list("programs").value;
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

    /// The environment of child processes that get ours.
    fn child_env(&self) -> Env {
        self.settings.env.iter().map(|(key, value)| (key.into(), value.into())).collect()
    }
}

pub fn naming(settings: &Settings) -> Naming {
    match settings.text("tool-names") {
        Some("id") => Naming::Id,
        _ => Naming::Wire,
    }
}

pub fn identity(settings: &Settings) -> Identity {
    let _ = settings;
    Identity {
        capabilities: serde_json::json!({
            "docs": { "pdfjsDist": false, "mammoth": false },
            "vector": { "sqliteVec": false, "hnsw": false },
            "processTrees": true,
        }),
        ..Identity::default()
    }
}
