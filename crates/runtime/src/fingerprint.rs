//! A short name for exactly one definition of a tool.

use mainstay_contract::{ToolDef, snapshot};

/// Follows from everything a snapshot holds of a tool: equal definitions have equal hashes, and a client that kept the
/// hash of a listing sees which tools have changed without comparing schemas.
pub fn fingerprint(def: &ToolDef) -> String {
    crate::plan::hash_of(&snapshot::definition(def))[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use mainstay_contract::Toolset;

    use super::*;

    #[test]
    fn any_change_of_a_definition_changes_the_hash() {
        let one = ToolDef::new("t", Toolset::Search).summary("Words");
        assert_eq!(fingerprint(&one), fingerprint(&one.clone()));
        assert_ne!(fingerprint(&one), fingerprint(&one.clone().summary("Other words")));
        assert_ne!(fingerprint(&one), fingerprint(&one.clone().writes()));
    }
}
