//! The table of tools, one line each.

mod build_index;
mod cache_gc;
mod check_status;
mod clean_artifacts;
mod config_status;
mod index_status;
mod report_artifacts;
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
        report_artifacts::tool(search),
        clean_artifacts::tool(search),
        cache_gc::tool(search),
    ]
}
