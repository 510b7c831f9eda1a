//! Behaviour of the foundry toolset.
#![allow(clippy::unwrap_used)]

mod kit;
