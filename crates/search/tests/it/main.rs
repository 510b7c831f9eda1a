//! The search toolset on real repositories.
#![allow(clippy::unwrap_used)]

mod aborts;
mod archives;
mod arguments;
mod bootstrap;
mod caches;
mod downloads;
mod extensions;
mod files;
mod origin;
mod site;
mod status;
mod structural;
mod triage;
mod triage_formats;
mod workspace;
