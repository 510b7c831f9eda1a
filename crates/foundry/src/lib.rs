//! The foundry toolset: a design kit, trees of components, and what can be made of them.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod color;
pub mod issue;
pub mod json;
pub mod kit;
pub mod render;
pub mod tokens;
pub mod tree;
