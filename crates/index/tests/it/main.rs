//! Behaviour of the search engine through its public interface.

#![allow(clippy::unwrap_used)]

mod building;
mod damage;
mod facts;
mod fixtures;
mod freshness;
mod fuzz;
mod hostile;
mod killing;
mod languages;
mod listing;
mod meaning;
mod relations;
mod risk;
mod searching;
mod site;
mod swapping;
