//! Behaviour of the search engine through its public interface.

#![allow(clippy::unwrap_used)]

mod languages;
