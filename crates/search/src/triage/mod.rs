//! Triage: findings of security scanners, what was decided about them, and what the code says.
//!
//! | module | holds |
//! |---|---|
//! | `record`, `severity` | what a finding and a decision are |
//! | `input`, `formats` | from a scanner's report to findings, with the place of every one that cannot be read |
//! | `ledger`, `decide` | the records of a repository on disk, and which decision counts now |
//! | `page`, `find`, `meta` | records as text, searched like code, and filters on their fields |
//! | `pack` | everything somebody needs to decide about one finding |
//!
//! Records cannot be computed again, so they live beside the indexes and no clean-up of caches touches them.

pub mod decide;
pub mod find;
pub mod formats;
pub mod input;
pub mod ledger;
pub mod meta;
pub mod pack;
mod page;
pub mod record;
pub mod severity;
