//! `mainstay foundry audit`: drift from the design system, for people, editors and CI.

use std::fmt::Write;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use mainstay_contract::{Fault, FaultResult};
use mainstay_foundry::audit::{self, Finding, Options, Report, Severity, sarif};
use mainstay_foundry::kit::LazyKit;

use crate::output::{DONE, ERROR, Output, WARNING, print};
use crate::settings::with_flags;

pub fn command() -> Command {
    let switch = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    with_flags(
        Command::new("audit")
            .about("Find what does not come from the design kit in CSS, TSX, Vue and HTML")
            .long_about("Find what does not come from the design kit in CSS, TSX, Vue and HTML\n\nExit status 1 when something was found."),
    )
    .arg(
        Arg::new("path")
            .value_name("PATH")
            .num_args(0..)
            .help("Files or folders; the whole project when absent"),
    )
    .arg(switch("sarif", "Print SARIF for code hosts and editors").conflicts_with("fix"))
    .arg(switch("fix", "Print the exact fixes as a patch for git apply"))
    .after_help("Example: mainstay foundry audit src")
}

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    let kit = LazyKit::new(super::foundry::source(&settings)).get().map_err(Fault::invalid)?;
    let options = Options {
        paths: matches.get_many::<String>("path").into_iter().flatten().cloned().collect(),
        leave_out: vec!["artifacts/current-state".into()],
        ..Options::default()
    };
    let report = audit::audit(&kit, &settings.repo(), &options, &|| false)?;
    let is_pure = report.summary.errors == 0 && report.summary.warnings == 0;
    if matches.get_flag("sarif") {
        let log = sarif::log(&report, env!("CARGO_PKG_VERSION"));
        print(&format!("{log:#}\n"));
    } else if matches.get_flag("fix") {
        print(&report.patch);
    } else {
        output.result(&report, || text(&report));
    }
    Ok(ExitCode::from(u8::from(!is_pure)))
}

fn text(report: &Report) -> String {
    let mut text = String::new();
    let mut path = "";
    for finding in &report.findings {
        if finding.path != path {
            path = &finding.path;
            let _ = writeln!(text, "{path}");
        }
        let _ = writeln!(text, "{}", line(finding));
    }
    let summary = &report.summary;
    if summary.unlisted > 0 {
        let _ = writeln!(text, "{} more findings are not listed", summary.unlisted);
    }
    for (reason, count) in summary.files_skipped.iter().filter(|(reason, _)| *reason != "partOfTheKit") {
        let _ = writeln!(text, "not read: {count} ({reason})");
    }
    let style = if summary.total() == 0 { DONE } else { ERROR };
    let _ = write!(text, "{style}{}{style:#}", summary.sentence());
    if summary.exact_fixes > 0 {
        text.push_str("\nNext: mainstay foundry audit --fix | git apply");
    }
    text
}

fn line(finding: &Finding) -> String {
    let place = format!("{}:{}", finding.place.line, finding.place.column);
    let style = if finding.severity == Severity::Error { ERROR } else { WARNING };
    format!(
        "  {place:<8} {style}{:<7}{style:#} {} ({})",
        finding.severity.name(),
        finding.message,
        finding.rule
    )
}
