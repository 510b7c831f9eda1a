//! The `catalog` toolset: governed instructions for agents, kept as files that are never lost.
//!
//! [`tools`] gives the tool definitions; [`Catalog`] is the same work as a library, for the command line. Entries are
//! checked by one validator ([`draft`]) before they are written and when they are read, live in memory in an [`Index`],
//! and reach the disk only through a session that holds the directory's lock.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod catalog;
mod change;
mod change_log;
mod collate;
mod complete;
mod config;
mod diff;
pub mod draft;
mod entry;
mod error;
mod exchange;
mod features;
mod gates;
mod governance;
mod groom;
mod hash;
mod index;
mod needle;
mod query;
mod review;
mod scope;
mod store;
mod text;
mod tools;
mod usage;

pub use catalog::{Catalog, Snapshot};
pub use change::{
    AddOptions, Added, Author, Bump, GovernanceChange, Governed, Groomed, ImportMode, Imported, ItemError,
    Removed, Repaired, RestoreTarget, Restored,
};
pub use config::{CatalogConfig, KNOWN_FEATURES};
pub use diff::{Diff, Held, Known};
pub use entry::{Audience, Classification, Entry, EntryView, Requirement, Status, Tier};
pub use error::CatalogError;
pub use exchange::{FileDraft, FileImport, Intent, UnreadFile, agents_md};
pub use gates::Evaluation;
pub use governance::{Governance, Projection};
pub use groom::Mode as GroomMode;
pub use hash::sha256_hex;
pub use index::{Index, Record};
pub use query::{Hit, Hits, Query};
pub use review::{Criteria, MAX_PROMPT_UNITS, Review};
pub use scope::{Level, Scope};
pub use store::Change;
pub use tools::{tools, tools_of};
pub use usage::Usage;
