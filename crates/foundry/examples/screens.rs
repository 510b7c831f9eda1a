//! Writes four composed screens in every theme, and a preview page, into a directory.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use mainstay_foundry::kit::LazyKit;
use mainstay_foundry::render::{Styling, document};
use mainstay_foundry::tree::Tree;
use mainstay_foundry::{compose, preview};

fn main() {
    let out = PathBuf::from(std::env::args().nth(1).expect("usage: screens DIRECTORY"));
    std::fs::create_dir_all(&out).unwrap();
    let kit = LazyKit::new(Default::default()).get().unwrap();
    let intents = [
        ("dashboard", "dashboard of subscriptions with revenue chart"),
        ("form", "registration form with name, email and password"),
        ("detail", "subscription detail page"),
        ("list", "list of subscriptions"),
    ];
    for (name, intent) in intents {
        let mut schema = compose::compose(&kit, intent, None, &Default::default(), 3).schema;
        for theme in ["light", "dark", "hc"] {
            schema["theme"] = theme.into();
            let page = document(&kit, &Tree::read(&schema).unwrap(), "A", Styling::Tokens);
            std::fs::write(out.join(format!("{name}.{theme}.html")), page.html).unwrap();
        }
        std::fs::write(out.join(format!("{name}.preview.html")), preview::page(&kit, &schema).unwrap())
            .unwrap();
    }
    let children: Vec<serde_json::Value> = kit
        .components
        .iter()
        .map(|c| serde_json::json!({ "id": c.name, "component": c.name, "props": c.example }))
        .collect();
    let all = serde_json::json!({ "version": "1", "screens": [{ "id": "all", "component": "Stack", "children": children }] });
    let page = document(&kit, &Tree::read(&all).unwrap(), "B", Styling::Tokens);
    std::fs::write(out.join("all.html"), page.html).unwrap();
}
