//! The surfaces, seen from a client.
#![allow(clippy::unwrap_used)]

mod http;
mod lines;
