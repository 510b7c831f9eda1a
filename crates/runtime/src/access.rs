//! What the operator allows, and where each choice was made.

use std::fmt;

use mainstay_contract::{Role, Toolset};
use serde::Serialize;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Origin {
    Default,
    Flag {
        name: String,
    },
    Env {
        name: String,
    },
    File {
        path: String,
        line: usize,
    },
    /// The token a caller sent.
    Token {
        name: String,
    },
    /// A header of the request.
    Header {
        name: String,
    },
    /// Something the machine lacks.
    Machine,
}

impl Origin {
    pub fn flag(name: &str) -> Origin {
        Origin::Flag { name: name.to_owned() }
    }

    pub fn env(name: &str) -> Origin {
        Origin::Env { name: name.to_owned() }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("the default"),
            Origin::Flag { name } => write!(f, "the flag {name}"),
            Origin::Env { name } => write!(f, "the variable {name}"),
            Origin::File { path, line } => write!(f, "{path}:{line}"),
            Origin::Token { name } => write!(f, "the token {name}"),
            Origin::Header { name } => write!(f, "the header {name}"),
            Origin::Machine => f.write_str("this machine"),
        }
    }
}

/// A value and its origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sourced<T> {
    pub value: T,
    pub origin: Origin,
}

impl<T> Sourced<T> {
    pub fn new(value: T, origin: Origin) -> Sourced<T> {
        Sourced { value, origin }
    }
}

impl<T: Default> Default for Sourced<T> {
    fn default() -> Self {
        Sourced { value: T::default(), origin: Origin::Default }
    }
}

/// The form of `tools/list`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    #[default]
    Classic,
    Discovery,
}

/// Which on-demand tools are registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OnDemand {
    All,
    Named(Vec<String>),
}

impl Default for OnDemand {
    fn default() -> Self {
        OnDemand::Named(Vec::new())
    }
}

/// The operator's choices that decide which tools exist and who may call them.
#[derive(Debug, Clone)]
pub struct Access {
    pub toolsets: Sourced<Vec<Toolset>>,
    pub form: Sourced<Form>,
    pub read_only: Sourced<bool>,
    /// Only tools of these toolsets may write, when given.
    pub writing: Sourced<Option<Vec<Toolset>>>,
    /// Catalog writes.
    pub mutation: Sourced<bool>,
    pub on_demand: Sourced<OnDemand>,
    /// Only these tools, when given.
    pub allow: Sourced<Option<Vec<String>>>,
    /// Never these tools.
    pub deny: Sourced<Vec<String>>,
    /// The role of a caller that brings none of its own.
    pub role: Sourced<Role>,
    /// Tools that write do so only by a plan.
    pub require_plans: Sourced<bool>,
}

impl Default for Access {
    fn default() -> Self {
        Access {
            toolsets: Sourced::new(Toolset::ALL.to_vec(), Origin::Default),
            form: Sourced::default(),
            read_only: Sourced::default(),
            writing: Sourced::default(),
            mutation: Sourced::default(),
            on_demand: Sourced::default(),
            allow: Sourced::default(),
            deny: Sourced::default(),
            role: Sourced::new(Role::Designer, Origin::Default),
            require_plans: Sourced::default(),
        }
    }
}
