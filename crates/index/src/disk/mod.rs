//! Files on disk: a container with checksums, mapped into memory, written whole and renamed into place.

pub(crate) mod codec;
pub(crate) mod container;
mod mmap;
pub(crate) mod write;

pub(crate) use container::{Container, Section, Writer};
