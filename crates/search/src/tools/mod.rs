//! The table of tools, one line each.

mod bootstrap;
mod build_index;
mod build_sqlite_index;
mod cache_gc;
mod check_status;
mod clean_artifacts;
mod compact_sqlite_index;
mod config_status;
mod download_dictionaries;
mod download_extensions;
mod download_models;
mod downloads;
mod impact;
mod index_status;
mod repo_map;
mod report_artifacts;
mod search;
mod show_file;
mod symbol_references;
mod triage_context_pack;
mod triage_decision;
mod triage_ingest;
mod verify_extensions;
mod words;
mod workspace_status;

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
        symbol_references::tool(search),
        repo_map::tool(search),
        impact::tool(search),
        report_artifacts::tool(search),
        clean_artifacts::tool(search),
        cache_gc::tool(search),
        download_models::tool(search),
        download_dictionaries::tool(search),
        download_extensions::tool(search),
        verify_extensions::tool(search),
        build_sqlite_index::tool(search),
        compact_sqlite_index::tool(search),
        bootstrap::tool(search),
        workspace_status::tool(search),
        triage_ingest::tool(search),
        triage_decision::tool(search),
        triage_context_pack::tool(search),
    ]
}
