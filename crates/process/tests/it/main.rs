//! What callers rely on, with real processes. Nothing here waits for luck: scripts say when they are ready.
#![allow(clippy::unwrap_used)]

mod owner;
mod run;
mod site;
mod trees;
