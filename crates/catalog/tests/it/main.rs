//! Behaviour of the catalog toolset, through its tools and on real files.

#![allow(clippy::unwrap_used)]

mod bad_input;
mod crash;
mod definitions;
mod exchange;
mod groom;
mod hashes;
mod history;
mod processes;
mod reads;
mod room;
mod site;
mod usage;
mod writes;
