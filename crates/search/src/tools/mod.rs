//! The table of tools, one line each.

mod check_status;
mod config_status;
mod index_status;

use std::sync::Arc;

use mainstay_contract::Tool;

use crate::SearchConfig;

pub fn table(config: &Arc<SearchConfig>) -> Vec<Tool> {
    vec![index_status::tool(config), config_status::tool(config), check_status::tool(config)]
}
