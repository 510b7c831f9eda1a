//! `mainstay token`: the tokens of HTTP callers. A token is shown once; the file keeps its hash.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use jiff::{SignedDuration, Timestamp};
use mainstay_contract::{Fault, FaultResult, Grant, Scope};
use mainstay_server::{TokenBook, TokenEntry, TokenError};
use serde_json::{Value, json};

use crate::files;
use crate::output::{DONE, NAME, Output, table};
use crate::settings::{Settings, with_flags};

pub fn command() -> Command {
    let name = || {
        Arg::new("name")
            .required(true)
            .value_name("NAME")
            .help("What the token's calls are called in the log")
    };
    Command::new("token")
        .about("Make, list and revoke tokens of HTTP callers")
        .subcommand_required(true)
        .subcommands([
            with_flags(Command::new("add").about("Make a token and print it; it cannot be shown again"))
                .arg(name())
                .arg(
                    Arg::new("scope")
                        .long("scope")
                        .value_name("A,B")
                        .value_delimiter(',')
                        .action(ArgAction::Append)
                        .help("What it may do: read, write or admin, or for one toolset such as catalog:write [default: read]"),
                )
                .arg(
                    Arg::new("expires")
                        .long("expires")
                        .value_name("WHEN")
                        .default_value("90d")
                        .help("When it ends: 30d, 12h, 2027-01-31T00:00:00Z or never"),
                )
                .arg(
                    Arg::new("per-minute")
                        .long("per-minute")
                        .value_name("N")
                        .value_parser(clap::value_parser!(u32).range(1..))
                        .help("Requests a minute it may send, in place of the server's limit"),
                ),
            with_flags(Command::new("list").about("List the tokens")),
            with_flags(Command::new("revoke").about("Refuse a token from now on")).arg(name()),
        ])
        .after_help("Example: mainstay token add ci --scope read,catalog:write --token-file tokens.json\n         mainstay serve --token-file tokens.json")
}

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let (verb, matches) = matches.subcommand().expect("clap requires a subcommand");
    let settings = super::settings(matches)?;
    let path = path(&settings)?;
    match verb {
        "add" => add(&path, matches, output),
        "revoke" => revoke(&path, named(matches), output),
        _ => list(&path, output),
    }
}

fn path(settings: &Settings) -> FaultResult<PathBuf> {
    settings.path("token-file").ok_or_else(|| {
        Fault::invalid("no token file is configured")
            .hint("name it with --token-file, MAINSTAY_TOKEN_FILE or token-file in mainstay.toml")
    })
}

/// What the holder of a token may do.
pub fn grant(settings: &Settings, name: &str) -> FaultResult<Grant> {
    let book = TokenBook::read(&path(settings)?).map_err(fault)?;
    let entry = book.get(name).ok_or_else(|| fault(TokenError::Missing { name: name.to_owned() }))?;
    Ok(entry.grant())
}

fn named(matches: &ArgMatches) -> &str {
    matches.get_one::<String>("name").expect("clap requires a name")
}

/// A mistake of the operator, with the way out.
pub fn fault(error: TokenError) -> Fault {
    let hint = match &error {
        TokenError::Unreadable { .. } => "make it with `mainstay token add`",
        TokenError::Open { .. } => "make it private with chmod 600",
        TokenError::Invalid { .. } => "it is written by `mainstay token` alone",
        TokenError::Name { .. } => "choose another name",
        TokenError::Taken { .. } => "revoke the old one first, or choose another name",
        TokenError::Missing { .. } => "`mainstay token list` lists them",
        TokenError::Scope { .. } => {
            "scopes are read, write and admin, or for one toolset such as catalog:write"
        }
        TokenError::Full => "revoke the ones that have ended",
        TokenError::Random => return Fault::internal(&error),
    };
    match error {
        TokenError::Unreadable { .. } | TokenError::Missing { .. } => Fault::not_found(error.to_string()),
        error => Fault::invalid(error),
    }
    .hint(hint)
}

/// Changes the file while nobody else does.
fn change<T>(path: &Path, change: impl FnOnce(&mut TokenBook) -> Result<T, TokenError>) -> FaultResult<T> {
    let failed = |error: std::io::Error| {
        Fault::invalid(format!("could not write the token file {}: {error}", path.display()))
    };
    let mut beside = path.as_os_str().to_owned();
    beside.push(".lock");
    let lock = File::options().create(true).truncate(false).write(true).open(&beside).map_err(failed)?;
    lock.lock().map_err(failed)?;
    let mut book = match path.exists() {
        true => TokenBook::read(path).map_err(fault)?,
        false => TokenBook::default(),
    };
    let result = change(&mut book).map_err(fault)?;
    files::write_private(path, &book.to_text()).map_err(failed)?;
    Ok(result)
}

fn add(path: &Path, matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let words: Vec<&str> =
        matches.get_many::<String>("scope").into_iter().flatten().map(|word| word.trim()).collect();
    let words = if words.is_empty() { vec!["read"] } else { words };
    let parse =
        |word: &&str| Scope::parse(word).ok_or_else(|| TokenError::Scope { word: (*word).to_owned() });
    let scopes = words.iter().map(parse).collect::<Result<Vec<_>, _>>().map_err(fault)?;
    let now = Timestamp::now();
    let until = expiry(matches.get_one::<String>("expires").map_or("90d", String::as_str), now)?;
    let rate = matches.get_one::<u32>("per-minute").copied();
    let name = named(matches);
    let token = change(path, |book| book.add(name, &scopes, until, rate, now))?;
    let until = until.map(|until| format!("{until:.0}"));
    output.note(format_args!(
        "{DONE}Made{DONE:#} the token {NAME}{name}{NAME:#}, {}; keep it now, it cannot be shown again",
        until.as_ref().map_or("without an end".to_owned(), |until| format!("good until {until}"))
    ));
    let scopes: Vec<String> = scopes.iter().map(Scope::to_string).collect();
    let result = json!({ "name": name, "token": token, "scopes": scopes, "expires": until });
    Ok(output.result(&result, || token.clone()))
}

/// `30d`, `12h`, `45m`, a moment, or `never`.
fn expiry(text: &str, now: Timestamp) -> FaultResult<Option<Timestamp>> {
    let bad = || {
        Fault::invalid(format!("{text} is not a time to come"))
            .hint("write 30d, 12h, 45m, a moment such as 2027-01-31T00:00:00Z, or never")
    };
    if text == "never" {
        return Ok(None);
    }
    let minutes = |unit: char| match unit {
        'd' => Some(24 * 60),
        'h' => Some(60),
        'm' => Some(1),
        _ => None,
    };
    let span = text.char_indices().last().and_then(|(at, unit)| {
        let count: i64 = text[..at].parse().ok()?;
        SignedDuration::from_mins(count.checked_mul(minutes(unit)?)?.min(60 * 24 * 366 * 100)).into()
    });
    let until = match span {
        Some(span) => now.checked_add(span).map_err(|_| bad())?,
        None => text.parse().map_err(|_| bad())?,
    };
    if until > now { Ok(Some(until)) } else { Err(bad()) }
}

fn revoke(path: &Path, name: &str, output: Output) -> FaultResult<ExitCode> {
    // A file that is not there has no token to revoke, and none is made.
    TokenBook::read(path).map_err(fault)?;
    change(path, |book| book.revoke(name))?;
    Ok(output.result(&json!({ "revoked": name }), || {
        format!("{DONE}Revoked{DONE:#} the token {NAME}{name}{NAME:#}")
    }))
}

fn list(path: &Path, output: Output) -> FaultResult<ExitCode> {
    let book = TokenBook::read(path).map_err(fault)?;
    let now = Timestamp::now();
    let state = |entry: &TokenEntry| if entry.is_over(now) { "expired" } else { "good" };
    let rows: Vec<Value> = book
        .entries()
        .iter()
        .map(|entry| {
            json!({
                "name": entry.name,
                "scopes": entry.scopes,
                "created": entry.created,
                "expires": entry.expires,
                "ratePerMinute": entry.rate_per_minute,
                "state": state(entry),
            })
        })
        .collect();
    Ok(output.result(&json!({ "count": rows.len(), "tokens": rows }), || match rows.is_empty() {
        true => "no tokens".to_owned(),
        false => {
            let cells = |entry: &TokenEntry| {
                let until = entry.expires.clone().unwrap_or_else(|| "never".into());
                vec![
                    entry.name.clone(),
                    entry.scopes.join(" "),
                    entry.created.clone(),
                    until,
                    state(entry).into(),
                ]
            };
            table(
                &["name", "scopes", "created", "expires", "state"],
                book.entries().iter().map(cells).collect(),
            )
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_a_span_a_moment_or_never() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let read = |text: &str| expiry(text, now).map(|until| until.map(|until| until.to_string())).ok();
        assert_eq!(read("30d"), Some(Some("2026-01-31T00:00:00Z".into())));
        assert_eq!(read("12h"), Some(Some("2026-01-01T12:00:00Z".into())));
        assert_eq!(read("2027-01-31T00:00:00Z"), Some(Some("2027-01-31T00:00:00Z".into())));
        assert_eq!(read("never"), Some(None));
        for bad in ["", "d", "-1d", "0d", "soon", "30x", "2020-01-01T00:00:00Z", "9999999999999999999d", "3é"]
        {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
