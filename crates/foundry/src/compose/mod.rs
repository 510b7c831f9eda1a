//! From an intent in words to a complete tree: layout, components, content. Same words, same tree.

mod content;
mod intent;
mod layout;
mod select;

use serde_json::Value;

pub use intent::{Intent, LayoutName};
pub use select::Candidate;

use crate::issue::Issue;
use crate::json::near;
use crate::kit::Kit;

/// What the caller prefers.
#[derive(Debug, Clone, Default)]
pub struct Preferences {
    pub theme: Option<String>,
    pub metric_columns: Option<usize>,
    pub field_groups: Option<usize>,
    pub tab_count: Option<usize>,
    pub tab_labels: Vec<String>,
    /// Component by slot name.
    pub overrides: Vec<(String, String)>,
}

/// One slot of the layout and what was chosen for it.
#[derive(Debug, Clone)]
pub struct Selection {
    pub slot: String,
    pub intent: &'static str,
    pub selected: Option<String>,
    pub candidates: Vec<Candidate>,
}

/// A composed tree.
pub struct Composition {
    pub layout: LayoutName,
    pub schema: Value,
    pub selections: Vec<Selection>,
    pub warnings: Vec<Issue>,
}

/// Composes a tree; `layout` overrides what the words suggest.
pub fn compose(
    kit: &Kit,
    words: &str,
    layout: Option<LayoutName>,
    preferences: &Preferences,
    top: usize,
) -> Composition {
    let intent = Intent::read(kit, words);
    let mut warnings = Vec::new();
    let chosen = layout.unwrap_or(intent.layout);
    if layout.is_none() && intent.confidence < 0.5 {
        warnings.push(
            Issue::warning(
                "LOW_LAYOUT_CONFIDENCE",
                format!("the intent does not clearly name a layout; {} is a guess", chosen.name()),
            )
            .hint("set layout to dashboard, form, detail, list, card, timeline or wizard"),
        );
    }
    let mut selector = select::Selector::new(kit, &intent, preferences, top);
    let schema = layout::build(kit, &intent, chosen, preferences, &mut selector);
    for (slot, component) in &preferences.overrides {
        if kit.component(component).is_none() {
            let near = near(component, kit.component_names(), 3);
            let issue = Issue::warning(
                "UNKNOWN_COMPONENT",
                format!("the override of {slot} names the unknown component {component:?}"),
            );
            warnings.push(issue.hint(if near.is_empty() {
                "list the components with catalog.list".into()
            } else {
                format!("did you mean {}", near.join(", "))
            }));
        } else if !selector.selections.iter().any(|selection| selection.slot == *slot) {
            let slots: Vec<&str> =
                selector.selections.iter().map(|selection| selection.slot.as_str()).collect();
            let issue =
                Issue::warning("UNKNOWN_SLOT", format!("layout {} has no slot {slot:?}", chosen.name()));
            warnings.push(issue.hint(format!("slots: {}", slots.join(", "))));
        }
    }
    Composition { layout: chosen, schema, selections: selector.selections, warnings }
}
