//! Pages of a document, each ended by a form feed.

use super::{Def, Host, Kind};

pub(super) fn pages(text: &str) -> Host {
    let mut host = Host::default();
    let mut start = 0;
    for (at, page) in text.split('\u{c}').enumerate() {
        if !page.trim().is_empty() {
            host.defs.push(Def {
                span: start..start + page.len(),
                kind: Some(Kind::Section),
                name: format!("page {}", at + 1),
                ..Def::default()
            });
        }
        start += page.len() + 1;
    }
    host
}
