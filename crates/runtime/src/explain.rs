//! Why a tool is listed, hidden, refused or absent.

use mainstay_contract::{Effect, Gate, Grant, Listing, Planning, Role, Ruling, ToolDef, Verdict};
use serde::Serialize;

use crate::access::{Access, Form, OnDemand, Origin};

/// How a tool stands for callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// In the listing and callable.
    Listed,
    /// Callable, but not in this form of the listing.
    Hidden,
    /// In the listing, but a call is refused.
    Refused,
    /// Not registered: a call answers `UNKNOWN_TOOL`.
    Absent,
    /// Not shown to this caller, and refused when he calls it.
    Denied,
}

impl Standing {
    pub fn name(self) -> &'static str {
        match self {
            Standing::Listed => "listed",
            Standing::Hidden => "hidden",
            Standing::Refused => "refused",
            Standing::Absent => "absent",
            Standing::Denied => "denied",
        }
    }
}

/// The decision about one tool and what decided it.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    pub tool: String,
    pub standing: Standing,
    pub reason: String,
    pub origin: Origin,
}

impl Explanation {
    pub fn is_registered(&self) -> bool {
        self.standing != Standing::Absent
    }
}

/// Decides about one tool; the first rule that removes it is the one named.
pub fn explain(def: &ToolDef, access: &Access) -> Explanation {
    let decide = |standing, reason: String, origin: &Origin| Explanation {
        tool: def.id.clone(),
        standing,
        reason,
        origin: origin.clone(),
    };
    let names_it = |names: &[String]| names.iter().any(|name| def.answers_to(name));
    // Discovery belongs to no toolset: what it finds and calls has passed these rules itself.
    let is_discovery = def.listing == Listing::Discovery;
    if !is_discovery && !access.toolsets.value.contains(&def.toolset) {
        let reason = format!("the toolset {} is not active", def.toolset.name());
        return decide(Standing::Absent, reason, &access.toolsets.origin);
    }
    if def.on_demand && !on_demand_includes(&access.on_demand.value, def) {
        let reason =
            "the tool is registered on demand only; name it in MCP_EXTRA_TOOLS or set MCP_TOOLSET=all";
        return decide(Standing::Absent, reason.into(), &access.on_demand.origin);
    }
    if let Some(Ruling { path, line, verdict: Verdict::Absent(reason) }) = &def.ruling {
        return decide(Standing::Absent, reason.clone(), &Origin::File { path: path.clone(), line: *line });
    }
    if names_it(&access.deny.value) {
        return decide(Standing::Absent, "the tool is excluded by name".into(), &access.deny.origin);
    }
    if let Some(allow) = &access.allow.value
        && !is_discovery
        && !names_it(allow)
    {
        let reason = "the tool is not among the tools selected by name";
        return decide(Standing::Absent, reason.into(), &access.allow.origin);
    }
    if access.read_only.value && !is_discovery && def.effect != Effect::Read {
        return decide(
            Standing::Absent,
            "the server is read-only and the tool can write".into(),
            &access.read_only.origin,
        );
    }
    if let Some(writing) = &access.writing.value
        && !is_discovery
        && def.effect != Effect::Read
        && !writing.contains(&def.toolset)
    {
        let reason = format!("the tool can write and the toolset {} may not", def.toolset.name());
        return decide(Standing::Absent, reason, &access.writing.origin);
    }
    if def.policy.gate == Some(Gate::Mutation) && !access.mutation.value {
        let reason = "the tool changes the catalog and mutation is off; set MCP_ENABLE_MUTATION=1";
        return decide(Standing::Refused, reason.into(), &access.mutation.origin);
    }
    if let Some(Ruling { path, line, verdict: Verdict::Refused(reason) }) = &def.ruling {
        return decide(Standing::Refused, reason.clone(), &Origin::File { path: path.clone(), line: *line });
    }
    if !role_allowed(def, access.role.value) {
        let allow: Vec<&str> = def.policy.roles.iter().map(|role| role.name()).collect();
        let mut reason =
            format!("the role {} may not call it, {} may", access.role.value.name(), allow.join(", "));
        if let Some(Ruling { path, line, .. }) = &def.ruling {
            reason.push_str(&format!(" by {path}:{line}"));
        }
        return decide(Standing::Refused, reason, &access.role.origin);
    }
    match (access.form.value, def.listing) {
        (Form::Discovery, Listing::Classic) => {
            let reason =
                "the listing is in discovery form; climax_search finds the tool and climax_call runs it";
            decide(Standing::Hidden, reason.into(), &access.form.origin)
        }
        (Form::Classic, Listing::Discovery) => {
            decide(Standing::Absent, "the listing is in classic form".into(), &access.form.origin)
        }
        _ if access.require_plans.value && matches!(def.planning, Planning::Exact | Planning::Bound(_)) => {
            decide(Standing::Listed, "calls of it need a plan".into(), &access.require_plans.origin)
        }
        _ => decide(
            Standing::Listed,
            format!("the toolset {} is active", def.toolset.name()),
            &access.toolsets.origin,
        ),
    }
}

/// The same for one caller: what his token does not allow is denied to him.
pub fn explain_to(def: &ToolDef, explained: Explanation, grant: Option<&Grant>) -> Explanation {
    match grant.and_then(|grant| Some((grant, grant.lacks(def)?))) {
        Some((grant, scope)) if explained.is_registered() => Explanation {
            standing: Standing::Denied,
            reason: format!("the tool needs the scope {scope}"),
            origin: Origin::Token { name: grant.token.clone() },
            ..explained
        },
        _ => explained,
    }
}

/// The same, with a look at the machine: a tool that lacks something it needs is refused when it is called.
pub fn explain_here(def: &ToolDef, explained: Explanation) -> Explanation {
    let is_callable = matches!(explained.standing, Standing::Listed | Standing::Hidden);
    match def.needs.as_ref().filter(|_| is_callable).and_then(|need| need.missing()) {
        None => explained,
        Some(missing) => {
            Explanation { standing: Standing::Refused, reason: missing, origin: Origin::Machine, ..explained }
        }
    }
}

pub fn role_allowed(def: &ToolDef, role: Role) -> bool {
    def.policy.roles.is_empty() || def.policy.roles.contains(&role)
}

fn on_demand_includes(choice: &OnDemand, def: &ToolDef) -> bool {
    match choice {
        OnDemand::All => true,
        OnDemand::Named(names) => names.iter().any(|name| def.answers_to(name)),
    }
}
