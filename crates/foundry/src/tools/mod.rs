//! The table of tools, one line each, and what they have in common.

mod a11y_scan;
mod billing;
mod billing_review_kit;
mod billing_switch_fixtures;
mod brand_apply;
mod catalog_list;
mod code_generate;
mod design_compose;
mod diag_snapshot;
mod map_create;
mod map_delete;
mod map_list;
mod map_resolve;
mod map_update;
mod output;
mod purity_audit;
mod release_tag;
mod release_verify;
mod repl;
mod repl_render;
mod repl_validate;
mod review_kit_create;
mod structured_data_fetch;
mod tokens_build;
mod vrt_run;

use std::sync::Arc;
use std::time::Duration;

use mainstay_contract::{
    Body, Call, ErrorCode, Fault, Need, Policy, Role, Ruling, Schema, Tool, ToolDef, Toolset, args_schema_of,
    read_args, result_schema_of,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::json::{MAX_JSON_DEPTH, bounded};
use crate::policy::Verdict;
use crate::{Foundry, FoundryError};

pub fn all(foundry: &Arc<Foundry>) -> Vec<Tool> {
    vec![
        tokens_build::tool(foundry),
        structured_data_fetch::tool(foundry),
        repl_validate::tool(foundry),
        repl_render::tool(foundry),
        brand_apply::tool(foundry),
        catalog_list::tool(foundry),
        code_generate::tool(foundry),
        design_compose::tool(foundry),
        map_create::tool(foundry),
        map_list::tool(foundry),
        map_resolve::tool(foundry),
        map_update::tool(foundry),
        map_delete::tool(foundry),
        purity_audit::tool(foundry),
        diag_snapshot::tool(foundry),
        billing_review_kit::tool(foundry),
        billing_switch_fixtures::tool(foundry),
        release_verify::tool(foundry),
        release_tag::tool(foundry),
        a11y_scan::tool(foundry),
        review_kit_create::tool(foundry),
        vrt_run::tool(foundry),
    ]
}

/// Starts a definition with what every tool here shares.
fn define(id: &str) -> ToolDef {
    ToolDef::new(id, Toolset::Foundry)
}

/// Starts a definition of a tool that is registered only when the operator asks for it.
fn define_on_demand(id: &str) -> ToolDef {
    define(id).on_demand()
}

/// What a tool that draws pictures needs of the machine.
fn needs_a_browser(foundry: &Arc<Foundry>) -> Need {
    let foundry = Arc::clone(foundry);
    Need::new(move || crate::browser::missing(&foundry).map(|error| error.to_string()))
}

/// The limits of a tool for designers and maintainers.
fn limits(timeout_s: u64, rate: u32, concurrency: u32) -> Policy {
    Policy::interactive()
        .roles(&[Role::Designer, Role::Maintainer])
        .timeout(Duration::from_secs(timeout_s))
        .rate_per_minute(rate)
        .concurrency(concurrency)
}

/// Joins a definition with its work, under the rules of the policy file.
fn join<A, R, F>(foundry: &Arc<Foundry>, mut def: ToolDef, run: F) -> Tool
where
    A: DeserializeOwned + JsonSchema + 'static,
    R: Serialize + JsonSchema + 'static,
    F: Fn(&Foundry, &Call, A) -> Result<R, FoundryError> + Send + Sync + 'static,
{
    let def_input = Schema::lazy(args_schema_of::<A>);
    let def_output = Schema::lazy(result_schema_of::<R>);
    def.ruling = foundry.rules.line_of(&def.id).map(|line| {
        let path = foundry.config.policy_path.as_deref().unwrap_or("the policy file").to_owned();
        Ruling { path, line, verdict: mainstay_contract::Verdict::Allowed }
    });
    match foundry.rules.decide(&def.id, def.policy.clone()) {
        Verdict::Allowed(policy) => def.policy = policy,
        Verdict::Denied => {
            if let Some(ruling) = &mut def.ruling {
                ruling.verdict =
                    mainstay_contract::Verdict::Refused("no rule of the policy file allows it".into());
            }
            let def = def.input(def_input).output(def_output);
            return def.raw_handler(|call, _| {
                let role = call.caller().role.map_or("designer", Role::name);
                let message = format!("no rule of the policy file allows {}", call.tool().id);
                Err(Fault::new(ErrorCode::PolicyDenied, message)
                    .detail("tool", call.tool().id.as_str())
                    .detail("role", role)
                    .detail("allow", Vec::<String>::new()))
            });
        }
    }
    let foundry = Arc::clone(foundry);
    def.input(def_input).output(def_output).raw_handler(move |call, args| {
        let args = bounded(args).map_err(|_| {
            Fault::new(
                ErrorCode::SchemaInput,
                format!("the input is nested more than {MAX_JSON_DEPTH} levels deep"),
            )
            .hint("split the tree into several screens or calls")
        })?;
        if !args.is_object() {
            return Err(Fault::new(ErrorCode::SchemaInput, "the input must be an object"));
        }
        let args = read_args(args).map_err(|error| Fault::new(ErrorCode::SchemaInput, error))?;
        Body::json(&run(&foundry, call, args)?)
    })
}

/// Looks a brand up; the error names the brands there are.
fn brand<'k>(kit: &'k crate::kit::Kit, wanted: Option<&str>) -> Result<&'k str, FoundryError> {
    let Some(wanted) = wanted else { return Ok(kit.default_brand()) };
    let known = &kit.manifest.brands;
    known.iter().find(|brand| *brand == wanted).map(String::as_str).ok_or_else(|| FoundryError::Unknown {
        message: format!("brand {wanted:?} does not exist"),
        hint: Some(format!("one of {}", known.join(", "))),
    })
}

/// Looks a theme up; the error names the themes there are.
fn theme<'k>(kit: &'k crate::kit::Kit, wanted: &str) -> Result<&'k str, FoundryError> {
    let known = &kit.manifest.themes;
    known.iter().find(|theme| *theme == wanted).map(String::as_str).ok_or_else(|| FoundryError::Unknown {
        message: format!("theme {wanted:?} does not exist"),
        hint: Some(format!("one of {}", known.join(", "))),
    })
}

/// Refuses a path that could leave the project.
fn inside(path: &str) -> Result<(), FoundryError> {
    use std::path::{Component, Path};
    let plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    match plain && !path.is_empty() {
        true => Ok(()),
        false => Err(FoundryError::arguments(format!("{path:?} is not a path inside the project"))),
    }
}
