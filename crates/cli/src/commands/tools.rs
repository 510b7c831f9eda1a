//! `mainstay tools`: what is served, why, and what it costs.

use std::process::ExitCode;

use clap::ArgMatches;
use mainstay_contract::{ErrorCode, Fault, FaultResult, ToolDef, Toolset};
use mainstay_runtime::{Access, Form, OnDemand, Origin, Registry, Sourced, explain_here, nearest};
use serde_json::{Value, json};

use crate::app;
use crate::output::{DIM, NAME, Output, table};
use crate::settings::Settings;
use crate::toolsets::App;

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let (verb, matches) = matches.subcommand().expect("clap requires a subcommand");
    let settings = super::settings(matches)?;
    match verb {
        "list" => list(&settings, output),
        "show" => show(&settings, name(matches), output),
        "explain" => {
            let caller = matches.get_one::<String>("as").map(String::as_str);
            explain(&settings, name(matches), caller, output)
        }
        _ => {
            let file = matches.get_one::<String>("budget-file").map(|file| settings.work_dir.join(file));
            super::cost::run(&settings, matches.get_one::<usize>("budget").copied(), file.as_deref(), output)
        }
    }
}

fn name(matches: &ArgMatches) -> &str {
    matches.get_one::<String>("tool").expect("clap requires a tool")
}

fn list(settings: &Settings, output: Output) -> FaultResult<ExitCode> {
    let runtime = App::new(settings, false)?.runtime()?;
    let registry = runtime.registry();
    let rows: Vec<Value> = registry
        .listed()
        .map(|def| json!({ "id": def.id, "toolset": def.toolset, "effect": def.effect, "summary": def.summary }))
        .collect();
    Ok(output.result(&json!({ "count": rows.len(), "tools": rows }), || {
        let rows = registry
            .listed()
            .map(|def| vec![def.id.clone(), def.toolset.name().to_owned(), def.summary.clone()]);
        table(&["tool", "toolset", "summary"], rows.collect())
    }))
}

fn show(settings: &Settings, name: &str, output: Output) -> FaultResult<ExitCode> {
    let registry = everything(settings)?;
    let def = registry.get(name).ok_or_else(|| unknown(name, &registry))?;
    let examples: Vec<Value> = def.examples.iter().map(|example| json!(example)).collect();
    let result = json!({
        "id": def.id,
        "wireName": def.wire_name(),
        "aliases": def.aliases,
        "title": def.title,
        "summary": def.summary,
        "toolset": def.toolset,
        "effect": def.effect,
        "schemaVersion": def.schema_version,
        "timeoutMs": def.policy.timeout.as_millis() as u64,
        "inputSchema": def.input,
        "outputSchema": def.output,
        "examples": examples,
    });
    Ok(output.result(&result, || page(&def)))
}

fn page(def: &ToolDef) -> String {
    let mut text = format!("{NAME}{}{NAME:#}  {}\n", def.id, def.summary);
    let required: Vec<&str> =
        def.input["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if let Some(properties) = def.input["properties"].as_object().filter(|map| !map.is_empty()) {
        text.push_str("\nArguments\n");
        for (key, schema) in properties {
            let mark = if required.contains(&key.as_str()) { " (required)" } else { "" };
            let about = schema["description"].as_str().unwrap_or_default();
            text.push_str(&format!("  {NAME}{key}{NAME:#}{mark}  {about}\n"));
        }
    }
    for example in &def.examples {
        text.push_str(&format!(
            "\n{DIM}# {}{DIM:#}\nmainstay call {} --args '{}'\n",
            example.summary, def.id, example.args
        ));
    }
    text
}

fn explain(settings: &Settings, name: &str, caller: Option<&str>, output: Output) -> FaultResult<ExitCode> {
    let all = everything(settings)?;
    let grant = caller.map(|caller| super::token::grant(settings, caller)).transpose()?;
    let explained = match (all.get(name), all.explain(name)) {
        (Some(def), _) => {
            let access = app::access(settings)?;
            let explained = explain_here(&def, mainstay_runtime::explain(&def, &access));
            mainstay_runtime::explain_to(&def, explained, grant.as_ref())
        }
        // A tool that not even everything has is left out by a policy.
        (None, Some(left_out)) => left_out.clone(),
        (None, None) => return Err(unknown(name, &all)),
    };
    Ok(output.result(&explained, || {
        format!(
            "{NAME}{}{NAME:#} is {}: {} ({})",
            explained.tool,
            explained.standing.name(),
            explained.reason,
            explained.origin
        )
    }))
}

/// A registry of every tool there is, whatever is active.
pub fn everything(settings: &Settings) -> FaultResult<Registry> {
    let access = Access {
        // The classic form would leave out the tools of the discovery form; this one only hides the others.
        form: Sourced::new(Form::Discovery, Origin::Default),
        on_demand: Sourced::new(OnDemand::All, Origin::Default),
        ..Access::default()
    };
    Registry::new(App::new(settings, false)?.tools(&Toolset::ALL)?, &access)
        .map_err(|error| Fault::internal(&error))
}

fn unknown(name: &str, registry: &Registry) -> Fault {
    let near = nearest(name, registry.registered().map(|def| def.id.as_str()), 3);
    let fault = Fault::new(ErrorCode::UnknownTool, format!("unknown tool: {name}"));
    match near.is_empty() {
        true => fault.hint("`mainstay tools list` lists them"),
        false => fault.hint(format!("did you mean {}?", near.join(", "))),
    }
}
