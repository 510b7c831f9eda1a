//! Finding and calling every tool through two: `climax_search` and `climax_call`.
//!
//! They work over whatever the server has registered, not only over programs. `climax_describe` is a third, for
//! servers that prefer short search results.

mod call;
mod describe;
mod index;
mod search;

use std::sync::Arc;

use mainstay_contract::Tool;

use crate::catalog::Catalog;

/// Which discovery tools are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// Search results carry schemas, as in the original.
    #[default]
    Full,
    /// Search results are one-liners; `climax_describe` has the schemas.
    Brief,
}

/// Returns the discovery tools.
pub fn tools(catalog: &Arc<Catalog>, detail: Detail) -> Vec<Tool> {
    let cache = Arc::new(index::Cache::default());
    let mut tools =
        vec![search::tool(Arc::clone(catalog), Arc::clone(&cache), detail), call::tool(Arc::clone(&cache))];
    if detail == Detail::Brief {
        tools.push(describe::tool(cache));
    }
    tools
}

/// Returns the discovery tools of a server without programs.
pub fn discovery_tools(detail: Detail) -> Vec<Tool> {
    tools(&Arc::new(Catalog::default()), detail)
}
