//! A program described as tools: the configuration file as types.
//!
//! [`load`] and [`parse`] read a file into a [`Config`] and report every mistake with its line and key. What the
//! operator allows is the business of [`crate::policy`].

mod fields;
mod read;
mod shown;

use std::path::PathBuf;
use std::time::Duration;

use mainstay_contract::Effect;
use serde_json::Value;

pub use fields::{Fields, Findings, Place, list_of_texts, nearest};
pub use read::{load, parse};

use crate::error::Problem;

/// Time a program gets when its configuration names none.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// Kept of each output stream when nothing else is said.
pub const DEFAULT_OUTPUT_BYTES: usize = 1024 * 1024;

/// One configuration file: a program and the tools made of it.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where it was read from; bundled ones have a bare name.
    pub source: PathBuf,
    pub name: String,
    pub description: String,
    pub command: Words,
    /// Laid over what is let through of the server's environment; values are taken literally.
    pub env: Vec<(String, String)>,
    /// Further variables let through; a `*` at the end matches any rest.
    pub env_allow: Vec<String>,
    pub working_dir: Option<String>,
    pub category: Option<String>,
    pub tags: Vec<String>,
    /// Appended to every command; never the caller's to set.
    pub global_args: Vec<Arg>,
    pub tools: Vec<ToolSpec>,
    /// The program stops reading options at `--`.
    pub end_of_options: bool,
    /// Options stand before positionals, for programs that read none after them.
    pub options_first: bool,
    pub effect: Option<Effect>,
    pub timeout: Option<Duration>,
    pub output: OutputRule,
    pub limits: Limits,
    /// Things that load but deserve a word.
    pub warnings: Vec<Problem>,
}

/// Words of a command: one text split on blanks, or a list taken as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Words {
    Text(String),
    List(Vec<String>),
}

impl Words {
    pub fn shown(&self) -> String {
        match self {
            Words::Text(text) => text.clone(),
            Words::List(words) => words.join(" "),
        }
    }
}

/// How much of the output is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputRule {
    /// Per stream.
    pub max_bytes: Option<usize>,
    /// Keep the whole text in a file when it does not fit.
    pub save: bool,
}

/// How often a program may run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Runs at once.
    pub concurrency: Option<u32>,
    pub rate_per_minute: Option<u32>,
}

#[derive(Debug, Clone)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    pub command: Words,
    pub args: Vec<Arg>,
    pub timeout: Option<Duration>,
    pub effect: Option<Effect>,
    pub output: Option<OutputRule>,
    pub end_of_options: Option<bool>,
    pub options_first: Option<bool>,
    pub line: u32,
}

#[derive(Debug, Clone)]
pub struct Arg {
    pub name: String,
    pub description: String,
    pub kind: Kind,
    pub required: bool,
    /// As written, for the schema.
    pub default: Option<Value>,
    pub slot: Slot,
    pub choices: Option<Vec<String>>,
    /// A value may begin with `-`.
    pub allow_dash: bool,
    /// Never shown in logs and errors.
    pub secret: bool,
}

/// Where a value goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slot {
    Flag(String),
    Positional,
    /// The directory the program runs in.
    Cwd,
    /// What the program reads.
    Stdin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    String,
    Integer,
    Number,
    Boolean,
}

impl Scalar {
    pub fn name(self) -> &'static str {
        match self {
            Scalar::String => "string",
            Scalar::Integer => "integer",
            Scalar::Number => "number",
            Scalar::Boolean => "boolean",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    One(Scalar),
    /// Repeated: one flag or one word per item, or one word with a separator.
    Many {
        item: Scalar,
        separator: Option<String>,
    },
}

impl Kind {
    pub fn scalar(&self) -> Scalar {
        match self {
            Kind::One(scalar) | Kind::Many { item: scalar, .. } => *scalar,
        }
    }
}

impl Arg {
    pub fn is_boolean(&self) -> bool {
        self.kind == Kind::One(Scalar::Boolean)
    }
}
