//! What is wrong with a tree beyond its structure: ids, components, properties, accessibility.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::issue::Issue;
use crate::json::{near, pointer_segment};
use crate::kit::{Component, Kit};
use crate::render::attribute_name;
use crate::tree::Tree;

/// Findings about one tree.
#[derive(Debug, Default)]
pub struct Report {
    pub errors: Vec<Issue>,
    pub warnings: Vec<Issue>,
    pub duplicate_ids: Vec<String>,
    pub missing_components: Vec<String>,
}

/// At most this many findings of one kind are listed; the last one says how many there are.
const MAX_FINDINGS: usize = 200;

/// Checks ids, and with `components` also names and properties.
pub fn check(kit: &Kit, tree: &Tree, components: bool) -> Report {
    let mut report = Report::default();
    duplicate_ids(tree, &mut report);
    if components {
        for (index, node) in tree.nodes.iter().enumerate() {
            match kit.component(&node.component) {
                Some(component) => properties(tree, index, component, &mut report),
                None => unknown(kit, tree, index, &mut report),
            }
        }
    }
    shorten(&mut report.errors);
    shorten(&mut report.warnings);
    report
}

fn shorten(issues: &mut Vec<Issue>) {
    if issues.len() > MAX_FINDINGS {
        let more = issues.len() - MAX_FINDINGS;
        issues.truncate(MAX_FINDINGS);
        issues.push(Issue::warning("MORE_FINDINGS", format!("{more} more findings are not listed")));
    }
}

fn duplicate_ids(tree: &Tree, report: &mut Report) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut duplicates: BTreeSet<&str> = BTreeSet::new();
    for (index, node) in tree.nodes.iter().enumerate() {
        if let Some(&first) = seen.get(node.id.as_str()) {
            duplicates.insert(&node.id);
            report.errors.push(
                Issue::error("DUPLICATE_ID", format!("id {:?} is used more than once", node.id))
                    .at(tree.pointer(index))
                    .about(&node.id, &node.component)
                    .hint(format!("the first is at {}; give every element its own id", tree.pointer(first))),
            );
        } else {
            seen.insert(&node.id, index);
        }
    }
    report.duplicate_ids = duplicates.into_iter().map(str::to_owned).collect();
}

fn unknown(kit: &Kit, tree: &Tree, index: usize, report: &mut Report) {
    let node = &tree.nodes[index];
    let near = near(&node.component, kit.component_names(), 3);
    let hint = if near.is_empty() {
        "list the components with catalog.list".to_owned()
    } else {
        format!("did you mean {}", near.join(", "))
    };
    report.errors.push(
        Issue::error("UNKNOWN_COMPONENT", format!("no component is called {:?}", node.component))
            .at(format!("{}/component", tree.pointer(index)))
            .about(&node.id, &node.component)
            .hint(hint),
    );
    if !report.missing_components.contains(&node.component) {
        report.missing_components.push(node.component.clone());
    }
}

/// Properties are advice: a tree with an odd property still renders, so findings are warnings.
fn properties(tree: &Tree, index: usize, component: &Component, report: &mut Report) {
    let node = &tree.nodes[index];
    let finding = |code: &str, name: &str, message: String| {
        Issue::warning(code, message)
            .at(format!("{}/props/{}", tree.pointer(index), pointer_segment(name)))
            .about(&node.id, &node.component)
    };
    for (name, value) in &node.props {
        let Some(prop) = component.prop(name) else {
            let passes =
                attribute_name(name).is_some() || matches!(name.as_str(), "class" | "className" | "style");
            if !passes {
                let known: Vec<&str> = component.props.iter().map(|(name, _)| name.as_str()).collect();
                let near = near(name, known.iter().copied(), 3);
                let shown = if near.is_empty() { known } else { near };
                let issue =
                    finding("UNKNOWN_PROP", name, format!("{} has no property {name:?}", node.component));
                report.warnings.push(issue.hint(format!("known: {}", shown.join(", "))));
            }
            continue;
        };
        if !value.is_null() && !prop.kind.fits(value) {
            let message = format!("{name} of {} must be {}", node.component, prop.kind.label());
            report.warnings.push(finding("PROP_TYPE", name, message).hint(prop.description.clone()));
        } else if let Some(text) = value.as_str()
            && !prop.options.is_empty()
            && !prop.options.iter().any(|option| option == text)
        {
            let message = format!("{name} of {} cannot be {text:?}", node.component);
            report.warnings.push(
                finding("PROP_VALUE", name, message).hint(format!("one of {}", prop.options.join(", "))),
            );
        }
    }
    for (name, _) in component.props.iter().filter(|(_, prop)| prop.required) {
        if node.props.get(name).is_none_or(Value::is_null) {
            let message = format!("{} needs the property {name:?}", node.component);
            report.warnings.push(finding("PROP_REQUIRED", name, message));
        }
    }
    if !node.children.is_empty() && !component.archetype.template.takes_children() {
        report.warnings.push(
            Issue::warning("CHILDREN_IGNORED", format!("{} shows no children", node.component))
                .at(format!("{}/children", tree.pointer(index)))
                .about(&node.id, &node.component)
                .hint("put them into a Stack beside it"),
        );
    }
}
