//! Releases: which packages a project has, whether they pack the same twice, whether what they promise is in them.

mod archive;
mod changelog;
mod isolate;
mod pack;
mod packages;
mod sanity;
mod tag;

pub use archive::unlike;
pub use changelog::{Changelog, changelog};
pub use isolate::Scratch;
pub use pack::pack;
pub use packages::{Package, packages};
pub use sanity::problems;
pub use tag::valid_tag;
