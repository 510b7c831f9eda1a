//! The search toolset on real repositories.
#![allow(clippy::unwrap_used)]

mod aborted;
mod archives;
mod arguments;
mod bootstrap;
mod caches;
mod compact;
mod downloads;
mod extensions;
mod files;
mod filter_rows;
mod origin;
mod relations;
mod site;
mod sqlite;
mod sqlite_parity;
mod status;
mod structural;
mod triage;
mod triage_formats;
mod watching;
mod workspace;
