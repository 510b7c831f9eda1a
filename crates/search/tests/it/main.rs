//! The search toolset on real repositories.
#![allow(clippy::unwrap_used)]

mod arguments;
mod caches;
mod files;
mod site;
mod status;
mod structural;
