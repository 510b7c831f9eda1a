//! `mainstay catalog`: the instruction catalog for people, verb by verb over its tools.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};
use mainstay_contract::{Body, Fault, FaultResult, ToolDef, Toolset};
use mainstay_runtime::{Origin, Request, Runtime, Sourced};
use serde_json::{Map, Value};

use crate::app;
use crate::flags::{tool_args, with_tool_flags};
use crate::output::{Output, exit_of, explain, print, table};
use crate::settings::with_flags;
use crate::toolsets::App;

/// One verb and the tool behind it.
struct Verb {
    name: &'static str,
    tool: &'static str,
    /// The argument that stands without a flag.
    place: Option<&'static str>,
    show: Show,
    /// Changes files, so it needs `--apply`.
    writes: bool,
}

/// What a person sees of a result.
enum Show {
    Json,
    /// One text of the result, as it is.
    Text(&'static str),
    /// A list of the result as a table: where it is, and a pointer into each item for every column.
    Rows(&'static str, &'static [(&'static str, &'static str)]),
}

const ENTRIES: Show = Show::Rows(
    "items",
    &[
        ("id", "/id"),
        ("title", "/title"),
        ("requirement", "/requirement"),
        ("status", "/status"),
        ("owner", "/owner"),
    ],
);

const fn verb(name: &'static str, tool: &'static str, place: Option<&'static str>) -> Verb {
    Verb { name, tool, place, show: Show::Json, writes: false }
}

const VERBS: &[Verb] = &[
    Verb { show: ENTRIES, ..verb("list", "instructions/list", None) },
    verb("get", "instructions/get", Some("id")),
    Verb { show: ENTRIES, ..verb("search", "instructions/search", Some("q")) },
    Verb { show: Show::Text("text"), ..verb("export", "instructions/exportMarkdown", None) },
    Verb {
        writes: true,
        show: Show::Rows(
            "drafts",
            &[("id", "/entry/id"), ("from", "/source"), ("title", "/entry/title"), ("known", "/exists")],
        ),
        ..verb("import", "instructions/importFiles", Some("path"))
    },
    verb("history", "instructions/history", Some("id")),
    Verb { writes: true, ..verb("restore", "instructions/restore", Some("id")) },
    Verb {
        show: Show::Rows(
            "results",
            &[
                ("gate", "/id"),
                ("passed", "/passed"),
                ("count", "/count"),
                ("op", "/op"),
                ("value", "/value"),
                ("severity", "/severity"),
            ],
        ),
        ..verb("gate", "gates/evaluate", None)
    },
    verb("verify", "integrity/verify", None),
    Verb {
        show: Show::Rows(
            "issues",
            &[("rule", "/ruleId"), ("severity", "/severity"), ("description", "/description")],
        ),
        ..verb("review", "prompt/review", Some("prompt"))
    },
    verb("health", "health/check", None),
];

/// The subcommand; its flags are made when it is used, because every start would pay for them.
pub fn command() -> Command {
    Command::new("catalog")
        .about("Look after the catalog of instructions")
        .subcommand_required(true)
        .after_help("Example: mainstay catalog import . && mainstay catalog import . --apply")
        .defer(|command| {
            let tools = mainstay_catalog::tools(mainstay_catalog::CatalogConfig::new("."));
            let find =
                |id: &str| tools.iter().find(|tool| tool.def.id == id).map(|tool| Arc::clone(&tool.def));
            command.subcommands(
                VERBS.iter().filter_map(|verb| find(verb.tool).map(|def| subcommand(verb, &def))),
            )
        })
}

fn subcommand(verb: &Verb, def: &ToolDef) -> Command {
    let mut command = with_flags(Command::new(verb.name).about(def.summary.clone()));
    command = with_tool_flags(command, def, &placed(verb));
    if let Some(place) = verb.place {
        let required =
            def.input["required"].as_array().is_some_and(|names| names.iter().any(|name| name == place));
        command = command.arg(Arg::new(place).required(required).value_name(place.to_uppercase()));
    }
    if verb.writes {
        command = command.arg(
            Arg::new("apply")
                .long("apply")
                .action(ArgAction::SetTrue)
                .help("Write; without it the change is only shown"),
        );
    }
    command
}

/// Arguments that get no flag of their own.
fn placed(verb: &Verb) -> Vec<&'static str> {
    verb.place.into_iter().chain(["apply"]).collect()
}

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let (name, matches) = matches.subcommand().expect("clap requires a subcommand");
    let verb = VERBS.iter().find(|verb| verb.name == name).expect("clap knows only these verbs");
    let settings = super::settings(matches)?;
    let apply = verb.writes && matches.get_flag("apply");
    let mut access = app::access(&settings)?;
    if apply {
        access.mutation = Sourced::new(true, Origin::flag("--apply"));
    }
    let tools = App::new(&settings, false)?.tools(&[Toolset::Catalog])?;
    access.toolsets.value = vec![Toolset::Catalog];
    let runtime =
        Runtime::new(tools, access, app::limits(&settings)).map_err(|error| Fault::internal(&error))?;
    let def = runtime.registry().get(verb.tool).expect("every verb names a tool of the catalog");
    let mut args = tool_args(matches, &def, &placed(verb));
    if let Some(place) = verb.place
        && let Some(text) = matches.get_one::<String>(place)
    {
        args.insert(place.to_owned(), text.as_str().into());
    }
    if def.input["properties"].get("apply").is_some() {
        args.insert("apply".into(), apply.into());
    } else if verb.writes && !apply {
        return Err(
            Fault::invalid(format!("`catalog {name}` changes files")).hint("run it again with --apply")
        );
    }
    Ok(finish(&runtime, verb, args, output))
}

fn finish(runtime: &Runtime, verb: &Verb, args: Map<String, Value>, output: Output) -> ExitCode {
    let outcome = runtime.call(Request::new(verb.tool, Value::Object(args)));
    if output.json {
        print(&mainstay_server::envelope(&outcome));
    }
    match &outcome.result {
        Ok(Body::Json(raw)) => {
            let result: Value = serde_json::from_str(raw.get()).unwrap_or_default();
            if !output.json {
                match verb.show {
                    Show::Text(key) => print(result[key].as_str().unwrap_or_default()),
                    Show::Rows(list, columns) if result.get(list).is_some() => {
                        print(&rows(&result[list], columns))
                    }
                    Show::Rows(..) | Show::Json => print(&format!("{result:#}")),
                }
            }
            ExitCode::from(u8::from(says_no(&result)))
        }
        Ok(_) => ExitCode::SUCCESS,
        Err(failure) => {
            if !output.json {
                explain(&failure.fault);
            }
            exit_of(failure.fault.code)
        }
    }
}

fn rows(list: &Value, columns: &[(&str, &str)]) -> String {
    let cell = |item: &Value, pointer: &str| match item.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let rows = items.iter().map(|item| columns.iter().map(|(_, pointer)| cell(item, pointer)).collect());
    table(&columns.iter().map(|(name, _)| *name).collect::<Vec<_>>(), rows.collect())
}

/// Answers that mean no: nothing found, a failed gate, a broken hash, a grave finding, an error result.
fn says_no(result: &Value) -> bool {
    let counted = |value: &Value| value.as_u64().is_some_and(|count| count > 0);
    result["notFound"] == true
        || result.get("error").is_some()
        || counted(&result["summary"]["errors"])
        || counted(&result["issueCount"])
        || matches!(result["summary"]["highestSeverity"].as_str(), Some("critical" | "high"))
        || (result["count"] == 0 && result.get("items").is_some())
}
