//! The binary as a person meets it.
#![allow(clippy::unwrap_used)]

mod guides;
