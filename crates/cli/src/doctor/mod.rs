//! What `mainstay doctor` looks at. It changes nothing: every row says what is so, and the next step where one is due.

mod connections;
mod machine;
mod product;
mod update;

use std::sync::Arc;

use mainstay_process::{Env, Launcher};
use serde::Serialize;
use serde_json::{Value, json};

use crate::clients::Places;
use crate::settings::Settings;

/// How a row looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Ok,
    /// Nothing is wrong; worth knowing.
    Note,
    /// Works, but not as it should.
    Warning,
    /// Does not work.
    Problem,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub struct Row {
    pub id: &'static str,
    pub state: State,
    pub detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The exact figures and paths behind the detail.
    pub facts: Value,
}

impl Row {
    fn new(id: &'static str, state: State, detail: impl Into<String>) -> Row {
        Row { id, state, detail: detail.into(), next: None, facts: json!({}) }
    }

    fn next(mut self, next: impl Into<String>) -> Row {
        self.next = Some(next.into());
        self
    }

    fn facts(mut self, facts: Value) -> Row {
        self.facts = facts;
        self
    }
}

/// What the checks may use.
pub struct Look<'a> {
    pub settings: &'a Settings,
    /// Arguments that make a server of ours behave as these settings say.
    pub args: Vec<String>,
    pub files: Vec<std::path::PathBuf>,
    pub places: Option<Places>,
    pub launcher: Arc<Launcher>,
}

impl Look<'_> {
    fn child_env(&self) -> Env {
        self.settings.env.iter().map(|(key, value)| (key.into(), value.into())).collect()
    }

    /// Every row, in the order a newcomer meets the subjects.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = vec![
            machine::program(self),
            product::configuration(self),
            product::toolsets(self),
            product::cache(self),
            product::index(self),
            machine::git(self),
            machine::browser(self),
            machine::processes(self),
            machine::port(self),
            machine::daemon(self),
            product::smoke(self),
        ];
        rows.extend(update::update(self));
        rows.extend(connections::clients(self));
        rows.push(machine::strays());
        rows
    }
}

/// The row for settings that cannot be loaded; nothing else can be looked at then.
pub fn bad_configuration(reason: &str) -> Row {
    Row::new("configuration", State::Problem, reason)
        .next("mend the setting that the configuration row names")
}

/// The one sentence at the end, and whether it is good news.
pub fn verdict(rows: &[Row]) -> (bool, String) {
    let first = |state: State| rows.iter().find(|row| row.state == state);
    if let Some(row) = first(State::Problem) {
        let next = row.next.clone().unwrap_or_else(|| format!("look at the row {}", row.id));
        return (false, format!("Not ready: {next}."));
    }
    match first(State::Warning).and_then(|row| row.next.as_deref()) {
        Some(next) => (true, format!("Ready; to make it better, {next}.")),
        None => (true, "Ready.".into()),
    }
}
