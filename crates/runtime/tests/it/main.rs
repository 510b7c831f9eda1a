//! The life of a call, seen from a surface.
#![allow(clippy::unwrap_used)]

mod access;
mod life;
mod support;
