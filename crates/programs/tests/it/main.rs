//! The toolset as a server sees it: real files, real programs, the real runtime.
#![allow(clippy::unwrap_used)]

mod anything;
mod arguments;
mod bundled;
mod discovery;
mod executors;
mod fuzz;
mod hostile;
mod importing;
mod loading;
mod reports;
mod site;
