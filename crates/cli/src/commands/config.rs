//! `mainstay config`: the effective settings and where they come from.

use std::process::ExitCode;

use clap::ArgMatches;
use mainstay_contract::FaultResult;
use serde_json::{Map, Value, json};

use crate::output::{Output, table};
use crate::settings::{Settings, file_schema};

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    match matches.subcommand() {
        Some(("show", matches)) => {
            let settings = super::settings(matches)?;
            let with_origin = matches.get_flag("origin");
            Ok(output.result(&as_json(&settings), || text(&settings, with_origin)))
        }
        _ => {
            let schema = file_schema();
            Ok(output.result(&schema, || format!("{schema:#}")))
        }
    }
}

/// `{key: {value, origin}}` for every setting that has a value; secrets are masked.
pub fn as_json(settings: &Settings) -> Value {
    let rows = settings.show().into_iter().filter_map(|(setting, sourced)| {
        let sourced = sourced?;
        Some((setting.key.to_owned(), json!({ "value": sourced.value, "origin": sourced.origin })))
    });
    Value::Object(rows.collect::<Map<String, Value>>())
}

fn text(settings: &Settings, with_origin: bool) -> String {
    let rows = settings.show().into_iter().map(|(setting, sourced)| {
        let (value, origin) = match sourced {
            Some(sourced) => (sourced.value, sourced.origin.to_string()),
            None => ("(unset)".into(), String::new()),
        };
        let mut row = vec![setting.key.to_owned(), value];
        if with_origin {
            row.push(origin);
        }
        row
    });
    let headers: &[&str] = if with_origin { &["setting", "value", "origin"] } else { &["setting", "value"] };
    table(headers, rows.collect())
}
