//! What a request leaves out of what the operator allows. It can only take away.

use crate::{Effect, Listing, ToolDef, Toolset};

/// The tools a caller restricts itself to, for one request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Narrowing {
    /// Only tools of these toolsets.
    pub toolsets: Option<Vec<Toolset>>,
    /// Only these tools, by id, wire name or alias.
    pub tools: Option<Vec<String>>,
    /// None of these tools.
    pub exclude: Vec<String>,
    /// No tool that can write.
    pub read_only: bool,
}

/// The part of a request that leaves out a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NarrowedBy {
    Exclude,
    Toolsets,
    Tools,
    ReadOnly,
}

impl Narrowing {
    /// Why a tool is left out; `None` where it is not.
    pub fn leaves_out(&self, def: &ToolDef) -> Option<&'static str> {
        self.decides(def).map(|(_, reason)| reason)
    }

    /// Which part of the request leaves a tool out, and why.
    pub fn decides(&self, def: &ToolDef) -> Option<(NarrowedBy, &'static str)> {
        let names_it = |names: &[String]| names.iter().any(|name| def.answers_to(name));
        if names_it(&self.exclude) {
            return Some((NarrowedBy::Exclude, "the request excludes it by name"));
        }
        // Discovery belongs to no toolset: what it finds and calls is asked about by itself.
        if def.listing == Listing::Discovery {
            return None;
        }
        if self.toolsets.as_ref().is_some_and(|toolsets| !toolsets.contains(&def.toolset)) {
            return Some((NarrowedBy::Toolsets, "the request names other toolsets"));
        }
        if self.tools.as_ref().is_some_and(|tools| !names_it(tools)) {
            return Some((NarrowedBy::Tools, "the request names other tools"));
        }
        let is_left_out = self.read_only && def.effect != Effect::Read;
        is_left_out.then_some((NarrowedBy::ReadOnly, "the request is read-only and it can write"))
    }
}
