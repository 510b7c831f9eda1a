//! What a caller's token lets him do. It can only take away from what the operator allows.

use std::fmt;

use crate::{Effect, Listing, ToolDef, Toolset};

/// How far a scope reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// Tools that only look.
    Read,
    /// Every tool; whoever may write may read.
    Write,
    /// The same, as a maintainer, and what the server tells its operator.
    Admin,
}

impl Right {
    pub const ALL: [Right; 3] = [Right::Read, Right::Write, Right::Admin];

    pub fn name(self) -> &'static str {
        match self {
            Right::Read => "read",
            Right::Write => "write",
            Right::Admin => "admin",
        }
    }
}

/// One word of a token: `read`, `write` or `admin`, or the right to one toolset, such as `catalog:write`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// Every toolset when absent.
    pub toolset: Option<Toolset>,
    pub right: Right,
}

impl Scope {
    /// The scope of a word; `None` for a word that is none of ours.
    pub fn parse(word: &str) -> Option<Scope> {
        let right = |name: &str| Right::ALL.into_iter().find(|right| right.name() == name);
        match word.split_once(':') {
            None => Some(Scope { toolset: None, right: right(word)? }),
            Some((toolset, name)) => {
                let scope = Scope { toolset: Some(Toolset::parse(toolset)?), right: right(name)? };
                // An operator's view of one toolset would show the others.
                (scope.right != Right::Admin).then_some(scope)
            }
        }
    }

    fn covers(self, wanted: Scope) -> bool {
        self.right >= wanted.right && (self.toolset.is_none() || self.toolset == wanted.toolset)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.toolset {
            Some(toolset) => write!(f, "{}:{}", toolset.name(), self.right.name()),
            None => f.write_str(self.right.name()),
        }
    }
}

/// The scopes of one caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The token they come from, as refusals and the log call it.
    pub token: String,
    pub scopes: Vec<Scope>,
}

impl Grant {
    pub fn is_admin(&self) -> bool {
        self.scopes.iter().any(|scope| scope.right == Right::Admin)
    }

    /// The scope a caller lacks to use a tool; `None` when he may use it.
    pub fn lacks(&self, def: &ToolDef) -> Option<Scope> {
        // Discovery belongs to no toolset: what it finds and calls is asked about by itself.
        if def.listing == Listing::Discovery {
            return None;
        }
        let right = if def.effect == Effect::Read { Right::Read } else { Right::Write };
        let wanted = Scope { toolset: Some(def.toolset), right };
        (!self.scopes.iter().any(|scope| scope.covers(wanted))).then_some(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(words: &str) -> Grant {
        let scopes = words.split_whitespace().filter_map(Scope::parse).collect();
        Grant { token: "t".into(), scopes }
    }

    #[test]
    fn a_scope_opens_what_it_names_and_nothing_else() {
        let read = ToolDef::new("search", Toolset::Search).reads();
        let write = ToolDef::new("instructions/add", Toolset::Catalog).writes();
        let lacks = |words: &str, def: &ToolDef| grant(words).lacks(def).map(|scope| scope.to_string());
        for words in ["read", "write", "admin", "search:read", "search:write", "catalog:write search:read"] {
            assert_eq!(lacks(words, &read), None, "{words}");
        }
        for words in
            ["", "catalog:write", "root", "search:admin", "search:", ":read", "READ", "search:read:x"]
        {
            assert_eq!(lacks(words, &read).as_deref(), Some("search:read"), "{words}");
        }
        for words in ["write", "admin", "catalog:write"] {
            assert_eq!(lacks(words, &write), None, "{words}");
        }
        for words in ["read", "catalog:read", "search:write"] {
            assert_eq!(lacks(words, &write).as_deref(), Some("catalog:write"), "{words}");
        }
        assert!(grant("admin").is_admin() && !grant("write search:write").is_admin());
    }
}
