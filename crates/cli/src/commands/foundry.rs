//! `mainstay foundry`: the design kit for people.

use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use mainstay_contract::{Fault, FaultResult};
use mainstay_foundry::codegen::Framework;
use mainstay_foundry::kit::{LazyKit, Source, check};
use mainstay_foundry::{preview, scaffold};
use serde_json::json;

use crate::output::{DONE, ERROR, Output};
use crate::settings::{Settings, with_flags};

pub fn command() -> Command {
    Command::new("foundry").about("Look after the design kit").subcommand_required(true).subcommands([
        Command::new("kit").about("Look at a design kit").subcommand_required(true).subcommand(with_flags(
            Command::new("check").about("Check tokens, components and contrast of the kit in use"),
        )),
        with_flags(Command::new("scaffold").about("Write a small project that uses the kit's components"))
            .arg(
                Arg::new("framework")
                    .required(true)
                    .value_parser(["react", "vue", "svelte"])
                    .value_name("FRAMEWORK"),
            )
            .arg(Arg::new("dir").required(true).value_name("DIR").help("Directory to write to"))
            .arg(
                Arg::new("apply")
                    .long("apply")
                    .action(ArgAction::SetTrue)
                    .help("Write; without it the files are only listed"),
            )
            .after_help("Example: mainstay foundry scaffold react web --apply"),
        with_flags(
            Command::new("preview").about("Write a page that shows a UiSchema in every theme and brand"),
        )
        .arg(Arg::new("schema").required(true).value_name("FILE").help("UiSchema as JSON; - reads stdin"))
        .arg(Arg::new("out").long("out").value_name("FILE").help("Where to write; stdout when absent"))
        .after_help("Example: mainstay foundry preview screen.json --out screen.html"),
        super::purity::command(),
    ])
}

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    match matches.subcommand() {
        Some(("kit", matches)) => {
            let (_, matches) = matches.subcommand().expect("clap requires a subcommand");
            Ok(check_kit(source(&super::settings(matches)?), output))
        }
        Some(("preview", matches)) => write_preview(matches, output),
        Some(("audit", matches)) => super::purity::run(matches, output),
        Some((_, matches)) => write_project(matches, output),
        None => Err(Fault::invalid("no such command")),
    }
}

pub fn source(settings: &Settings) -> Source {
    settings.path("kit").map_or(Source::Embedded, Source::Directory)
}

/// Exit status 1 when the kit has a problem.
fn check_kit(source: Source, output: Output) -> ExitCode {
    let report = check(source);
    let failed = !report.problems.is_empty();
    output.result(&report, || {
        let mut text = match failed {
            true => format!("{ERROR}{} problems{ERROR:#}", report.problems.len()),
            false => format!("{DONE}The kit is sound{DONE:#}"),
        };
        text.push_str(&format!(
            ": {} components, {} tokens, {} contrast rules",
            report.component_count, report.token_count, report.rule_count
        ));
        for problem in &report.problems {
            text.push_str(&format!("\n  {} {}: {}", problem.code, problem.at, problem.message));
        }
        text
    });
    ExitCode::from(u8::from(failed))
}

fn write_project(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    let word = |name: &str| matches.get_one::<String>(name).map(String::as_str).expect("clap requires it");
    let framework = match word("framework") {
        "vue" => Framework::Vue,
        "svelte" => Framework::Svelte,
        _ => Framework::React,
    };
    let kit = LazyKit::new(source(&settings)).get().map_err(Fault::invalid)?;
    let files = scaffold::project(&kit, framework, None);
    let dir = settings.work_dir.join(word("dir"));
    let apply = matches.get_flag("apply");
    if apply {
        if is_used(&dir) {
            return Err(
                Fault::invalid(format!("{} is not empty", dir.display())).hint("name a new directory")
            );
        }
        scaffold::write(&dir, &files)
            .map_err(|error| Fault::invalid(format!("could not write {}: {error}", dir.display())))?;
    }
    let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    Ok(output.result(&json!({ "dir": dir, "files": names, "written": apply }), || match apply {
        true => format!(
            "{DONE}Wrote{DONE:#} {} files to {}\nNext: npm install && npm run dev",
            names.len(),
            dir.display()
        ),
        false => format!("{}\nWould write {} files; add --apply", names.join("\n"), names.len()),
    }))
}

fn write_preview(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    let name = matches.get_one::<String>("schema").expect("clap requires it");
    let text = match name.as_str() {
        "-" => std::io::read_to_string(std::io::stdin()),
        path => std::fs::read_to_string(settings.work_dir.join(path)),
    };
    let text = text.map_err(|error| Fault::invalid(format!("could not read {name}: {error}")))?;
    let json = serde_json::from_str(&text)
        .map_err(|error| Fault::invalid(format!("{name} is not JSON: {error}")))?;
    let kit = LazyKit::new(source(&settings)).get().map_err(Fault::invalid)?;
    let page = preview::page(&kit, &json).map_err(|issues| {
        let fault = Fault::invalid(format!("{name} is not a UiSchema"));
        fault.detail("errors", json!(issues)).hint("`mainstay call repl.validate` explains every problem")
    })?;
    match matches.get_one::<String>("out") {
        None => Ok(output.result(&json!({ "html": page }), || page.clone())),
        Some(out) => {
            let path = settings.work_dir.join(out);
            std::fs::write(&path, &page)
                .map_err(|error| Fault::invalid(format!("could not write {out}: {error}")))?;
            Ok(output.result(&json!({ "file": path, "bytes": page.len() }), || {
                format!("{DONE}Wrote{DONE:#} {out}")
            }))
        }
    }
}

fn is_used(dir: &Path) -> bool {
    std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some())
}
