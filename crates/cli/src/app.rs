//! From settings to what the runtime and the surfaces are told.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mainstay_contract::{ErrorCode, Fault, FaultResult, Role, Toolset};
use mainstay_runtime::{Access, Form, Limits, OnDemand, Origin, Sourced};
use mainstay_server::{Identity, Naming, Place, Places};

use crate::settings::{Kind, Settings, SettingsError};

impl From<SettingsError> for Fault {
    fn from(error: SettingsError) -> Fault {
        Fault::new(ErrorCode::InvalidRequest, error)
            .hint("`mainstay config show --origin` lists every setting")
    }
}

/// The toolsets to serve.
pub fn toolsets(settings: &Settings) -> FaultResult<Sourced<Vec<Toolset>>> {
    named_toolsets(settings.list("toolsets"))
}

/// The toolsets that may write, when somebody chose.
fn writing(settings: &Settings) -> FaultResult<Sourced<Option<Vec<Toolset>>>> {
    let mut names = settings.list("allow-write");
    let is_chosen = !names.value.is_empty();
    names.value.retain(|name| name != "none");
    let named = named_toolsets(names)?;
    Ok(Sourced::new(is_chosen.then_some(named.value), named.origin))
}

/// Toolsets by name, with a clear error for a name that is none.
fn named_toolsets(names: Sourced<Vec<String>>) -> FaultResult<Sourced<Vec<Toolset>>> {
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
    let writing = writing(settings)?;
    let role = settings.text("role").and_then(Role::parse).unwrap_or(Role::Designer);
    Ok(Access {
        form: Sourced::new(form, origin_of("form")),
        toolsets,
        read_only: settings.switch("read-only"),
        writing,
        mutation: settings.switch("enable-mutation"),
        on_demand,
        allow: Sourced::new((!tools.value.is_empty()).then_some(tools.value), tools.origin),
        deny: settings.list("exclude-tools"),
        role: Sourced::new(role, origin_of("role")),
        require_plans: settings.switch("require-plans"),
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
        tokens: crate::journals::tokens,
        plan_lifetime: settings.number("plan-lifetime-s").map_or(default.plan_lifetime, Duration::from_secs),
    }
}

/// Where indexes, models and other derived data live.
pub fn cache_dir(settings: &Settings) -> PathBuf {
    user_dir(settings, "cache-dir", "XDG_CACHE_HOME", ".cache")
}

/// Where what outlives a process and cannot be computed again is kept, such as plans.
pub fn state_dir(settings: &Settings) -> PathBuf {
    user_dir(settings, "state-dir", "XDG_STATE_HOME", ".local/state")
}

/// The folder a setting names, else ours below the one that the variable or the home directory gives.
fn user_dir(settings: &Settings, key: &str, variable: &str, below_home: &str) -> PathBuf {
    let parent = || {
        let home = || Some(Path::new(settings.env.get("HOME")?).join(below_home));
        settings.env.get(variable).map(PathBuf::from).or_else(home)
    };
    settings.path(key).unwrap_or_else(|| match parent() {
        Some(parent) => parent.join("mainstay"),
        None => std::env::temp_dir().join(format!("mainstay-{}", key.trim_end_matches("-dir"))),
    })
}

/// The repositories HTTP clients may name.
pub fn roots(settings: &Settings) -> Vec<PathBuf> {
    let named = settings.list("allowed-repo-roots").value;
    std::iter::once(settings.repo()).chain(named.iter().map(|root| settings.work_dir.join(root))).collect()
}

/// Every path of this machine that settings are about, by the name HTTP clients see.
pub fn places(settings: &Settings) -> Places {
    let ours = |name: &str, path: PathBuf| Place { name: name.into(), path, is_ours: true };
    let mut places = vec![ours("CACHE_DIR", cache_dir(settings)), ours("STATE_DIR", state_dir(settings))];
    for (setting, sourced) in settings.show() {
        let Some(sourced) = sourced else { continue };
        if let Origin::File { path, .. } = &sourced.origin {
            places.push(ours("CONFIG", PathBuf::from(path)));
        }
        let values = match setting.kind {
            Kind::Path => vec![sourced.value],
            Kind::Paths => settings.list(setting.key).value,
            _ => continue,
        };
        let name = setting.key.replace('-', "_").to_uppercase();
        let named = values.into_iter().filter(|value| !value.is_empty()).map(|value| Place {
            name: name.clone(),
            path: settings.work_dir.join(value),
            is_ours: false,
        });
        places.extend(named);
    }
    Places::new(places, &roots(settings))
}

pub fn naming(settings: &Settings) -> Naming {
    match settings.text("tool-names") {
        Some("id") => Naming::Id,
        _ => Naming::Wire,
    }
}

/// Who the server says it is.
pub fn identity() -> Identity {
    Identity {
        capabilities: serde_json::json!({
            "docs": { "pdfjsDist": false, "mammoth": false },
            "vector": { "sqliteVec": false, "hnsw": false },
            "processTrees": true,
        }),
        ..Identity::default()
    }
}
