//! Rows about clients: whether they are connected, and to something that exists.

use std::path::Path;

use serde_json::json;

use super::machine::is_program;
use super::{Look, Row, State};
use crate::clients::{Client, ENTRY_NAME, Scope, registered};

pub(super) fn clients(look: &Look<'_>) -> Vec<Row> {
    let Some(places) = &look.places else {
        return vec![Row::new("clients", State::Note, "not looked at, because there is no home directory")];
    };
    let found: Vec<Client> = Client::ALL.into_iter().filter(|client| client.is_found(places)).collect();
    if found.is_empty() {
        let known = Client::ALL.map(Client::title).join(", ");
        return vec![Row::new("clients", State::Note, format!("none found of {known}"))];
    }
    let mut rows: Vec<Row> = found.iter().map(|client| row(look, *client)).collect();
    let is_connected = |row: &Row| row.facts["registered"] == true;
    if let Some(first) = rows.iter_mut().position(|row| !is_connected(row) && row.state == State::Note)
        && !rows.iter().any(is_connected)
    {
        rows[first].state = State::Warning;
        rows[first].next = Some("run `mainstay connect`".into());
    }
    rows
}

fn row(look: &Look<'_>, client: Client) -> Row {
    let places = look.places.as_ref().expect("clients are looked for where there are places");
    let of_project = places.file(client, Scope::Project);
    let of_user = places.file(client, Scope::User);
    let facts = |file: Option<&Path>, is_registered: bool, command: Option<&str>| json!({ "client": client.id(), "registered": is_registered, "file": file, "command": command });
    for file in [of_user.clone(), of_project].into_iter().flatten() {
        let entry = match registered(client, &file, ENTRY_NAME) {
            Ok(None) => continue,
            Ok(Some(entry)) => entry,
            Err(error) => {
                return Row::new("client", State::Warning, format!("{}: {error}", client.title()))
                    .next(format!("mend {}", file.display()))
                    .facts(facts(Some(&file), false, None));
            }
        };
        let row = match exists(look, &entry.command) {
            true => {
                Row::new("client", State::Ok, format!("{}: connected in {}", client.title(), file.display()))
            }
            false => {
                let detail = format!("{}: starts {}, which does not exist", client.title(), entry.command);
                Row::new("client", State::Problem, detail)
                    .next(format!("run `mainstay connect {} --apply`", client.id()))
            }
        };
        return row.facts(facts(Some(&file), true, Some(&entry.command)));
    }
    Row::new("client", State::Note, format!("{}: not connected", client.title())).facts(facts(
        of_user.as_deref(),
        false,
        None,
    ))
}

/// Whether a client would find the program: by its path, or on the search path.
fn exists(look: &Look<'_>, command: &str) -> bool {
    if command.contains(['/', '\\']) {
        return is_program(Path::new(command));
    }
    let path = look.settings.env.get("PATH").map(String::as_str).unwrap_or_default();
    std::env::split_paths(path).any(|dir| is_program(&dir.join(command)))
}
