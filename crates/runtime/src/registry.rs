//! The tools of a running server, found by id, wire name or alias.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use mainstay_contract::{ErrorCode, Fault, FaultResult, Tool, ToolDef, wire_name};

use crate::access::Access;
use crate::explain::{Explanation, Standing, explain};
use crate::near::nearest;
use crate::validate::Validator;

/// Through which door a name is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// Only what the listing shows.
    Listed,
    /// Everything that is registered.
    Registered,
}

#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    #[error("the tools {first} and {second} would both answer to the name {name}")]
    Collision { name: String, first: String, second: String },
    #[error("the name {name} is not accepted by strict clients")]
    BadName { name: String },
}

/// A registered tool with what is computed from it once.
pub(crate) struct Entry {
    pub tool: Tool,
    pub standing: Explanation,
    validator: OnceLock<Validator>,
}

impl Entry {
    /// The compiled argument schema; compiled on first use, because most tools are never called.
    pub fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| Validator::compile(&self.tool.def.input))
    }
}

/// An immutable set of tools. A change of tools makes a new registry.
pub struct Registry {
    entries: Vec<Arc<Entry>>,
    absent: Vec<Explanation>,
    names: HashMap<String, usize>,
}

impl Registry {
    /// Registers what `access` allows. Two tools may never answer to one name.
    pub fn new(tools: Vec<Tool>, access: &Access) -> Result<Registry, RegistryError> {
        let mut registry = Registry { entries: Vec::new(), absent: Vec::new(), names: HashMap::new() };
        for tool in tools {
            let standing = explain(&tool.def, access);
            match standing.is_registered() {
                true => registry.add(tool, standing)?,
                false => registry.absent.push(standing),
            }
        }
        Ok(registry)
    }

    fn add(&mut self, tool: Tool, standing: Explanation) -> Result<(), RegistryError> {
        let index = self.entries.len();
        let aliases = tool.def.aliases.iter().flat_map(|alias| [alias.name.clone(), wire_name(&alias.name)]);
        let mut names: Vec<String> =
            [tool.def.id.clone(), tool.def.wire_name()].into_iter().chain(aliases).collect();
        names.sort();
        names.dedup();
        let wire = tool.def.wire_name();
        let accepted = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if wire.is_empty() || wire.len() > 64 || !wire.chars().all(accepted) {
            return Err(RegistryError::BadName { name: tool.def.id.clone() });
        }
        for name in names {
            if let Some(first) = self.names.insert(name.clone(), index) {
                let first = self.entries[first].tool.def.id.clone();
                return Err(RegistryError::Collision { name, first, second: tool.def.id.clone() });
            }
        }
        self.entries.push(Arc::new(Entry { tool, standing, validator: OnceLock::new() }));
        Ok(())
    }

    pub(crate) fn resolve(&self, name: &str, door: Door) -> FaultResult<Arc<Entry>> {
        match self.names.get(name).map(|index| &self.entries[*index]) {
            Some(entry) if door == Door::Registered || entry.standing.standing != Standing::Hidden => {
                Ok(Arc::clone(entry))
            }
            _ => Err(self.unknown(name, door)),
        }
    }

    fn unknown(&self, name: &str, door: Door) -> Fault {
        let shown: String = name.chars().take(80).collect();
        let fault = Fault::new(ErrorCode::UnknownTool, format!("unknown tool: {shown}"));
        if let Some(absent) =
            self.absent.iter().find(|absent| absent.tool == name || wire_name(&absent.tool) == name)
        {
            return fault
                .detail("reason", absent.reason.as_str())
                .hint(format!("{} (decided by {})", absent.reason, absent.origin));
        }
        let known = self
            .entries
            .iter()
            .filter(|entry| door == Door::Registered || entry.standing.standing != Standing::Hidden);
        let near = nearest(name, known.map(|entry| entry.tool.def.id.as_str()), 3);
        match near.is_empty() {
            true => fault,
            false => fault.detail("nearest", near.clone()).hint(format!("did you mean {}?", near.join(", "))),
        }
    }

    pub fn get(&self, name: &str) -> Option<Arc<ToolDef>> {
        self.names.get(name).map(|index| Arc::clone(&self.entries[*index].tool.def))
    }

    /// The tools of the listing, in registration order.
    pub fn listed(&self) -> impl Iterator<Item = &Arc<ToolDef>> {
        self.entries
            .iter()
            .filter(|entry| entry.standing.standing != Standing::Hidden)
            .map(|entry| &entry.tool.def)
    }

    /// Every registered tool, in registration order.
    pub fn registered(&self) -> impl Iterator<Item = &Arc<ToolDef>> {
        self.entries.iter().map(|entry| &entry.tool.def)
    }

    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.entries.iter().map(|entry| &entry.tool)
    }

    /// Says why a tool is listed, hidden, refused or absent; `None` for a name nobody defined.
    pub fn explain(&self, name: &str) -> Option<&Explanation> {
        if let Some(index) = self.names.get(name) {
            return Some(&self.entries[*index].standing);
        }
        self.absent.iter().find(|absent| absent.tool == name || wire_name(&absent.tool) == name)
    }

    pub fn explanations(&self) -> impl Iterator<Item = &Explanation> {
        self.entries.iter().map(|entry| &entry.standing).chain(&self.absent)
    }
}
