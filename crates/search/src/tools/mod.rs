//! The table of tools, one line each.

mod build_index;
mod check_status;
mod config_status;
mod index_status;
mod search;
mod show_file;
mod words;

use std::sync::Arc;

use mainstay_contract::Tool;

use crate::Search;

pub fn table(search: &Arc<Search>) -> Vec<Tool> {
    vec![
        search::tool(search),
        build_index::tool(search),
        index_status::tool(search),
        config_status::tool(search),
        check_status::tool(search),
        show_file::tool(search),
    ]
}
