//! One process behind many clients: `mainstay mcp` passes its client on to a running daemon, which serves it as the
//! process itself would have, with indexes that all clients share.
//!
//! Nothing else is shared. A client brings its arguments, folder and environment along, and gets a runtime made from
//! them: tools, queue, limits and child processes are its own and end with it.

mod hello;
mod host;
mod join;
mod peer;
mod place;
mod sessions;

pub use host::run;
pub use join::{ask_to_stop, find, join};
pub use place::Place;
