//! The trees of the layouts, with every slot filled.

use serde_json::{Map, Value, json};

use super::Preferences;
use super::content::{self, Place};
use super::intent::{Intent, LayoutName};
use super::select::Selector;
use crate::kit::{Component, Field, FieldKind, Kit};

/// Builds elements with ids that only depend on the order of calls.
struct Builder<'a, 'k, 's> {
    kit: &'k Kit,
    intent: &'a Intent<'k>,
    preferences: &'a Preferences,
    selector: &'s mut Selector<'a, 'k>,
    layout: LayoutName,
    next: usize,
}

pub fn build<'a, 'k>(
    kit: &'k Kit,
    intent: &'a Intent<'k>,
    layout: LayoutName,
    preferences: &'a Preferences,
    selector: &mut Selector<'a, 'k>,
) -> Value {
    let mut builder = Builder { kit, intent, preferences, selector, layout, next: 0 };
    let screen = match layout {
        LayoutName::Dashboard => builder.dashboard(),
        LayoutName::Form => builder.form(),
        LayoutName::Detail => builder.detail(),
        LayoutName::List => builder.list(),
        LayoutName::Card => builder.card(),
        LayoutName::Timeline => builder.timeline(),
        LayoutName::Wizard => builder.wizard(),
    };
    let mut schema = json!({ "version": kit.manifest.dsl_version, "dsVersion": kit.manifest.version });
    if let Some(theme) = &preferences.theme {
        schema["theme"] = theme.as_str().into();
    }
    schema["screens"] = json!([screen]);
    schema
}

impl<'k> Builder<'_, 'k, '_> {
    fn id(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}-{}", self.next)
    }

    fn element(&mut self, prefix: &str, component: &str, extra: Value, children: Vec<Value>) -> Value {
        let mut element = json!({ "id": self.id(prefix), "component": component });
        if let Value::Object(extra) = extra {
            element.as_object_mut().expect("it is an object").extend(extra);
        }
        if !children.is_empty() {
            element["children"] = children.into();
        }
        element
    }

    fn stack(&mut self, prefix: &str, layout: Value, children: Vec<Value>) -> Value {
        self.element(prefix, "Stack", json!({ "layout": layout }), children)
    }

    fn screen(&mut self, children: Vec<Value>) -> Value {
        let label = self.intent.title(self.layout);
        let extra = json!({ "route": "/", "layout": { "type": "stack", "gapToken": "stack-loose" }, "meta": { "label": label } });
        let mut screen = self.element("screen", "Stack", extra, children);
        screen["id"] = format!("screen-{}", self.layout.name()).into();
        screen
    }

    /// Fills a slot; the component's place decides what it says.
    fn slot(&mut self, name: &str, intent: &'static str, place: Place) -> Value {
        let component = self.selector.choose(name, intent);
        self.filled(name, component, place)
    }

    fn filled(&mut self, name: &str, component: Option<&'k Component>, place: Place) -> Value {
        let meta = json!({ "intent": format!("slot:{name}"), "label": name });
        let Some(component) = component else {
            return self.element(&format!("slot-{name}"), "Stack", json!({ "meta": meta }), Vec::new());
        };
        let props = content::props(self.kit, self.intent, self.layout, component, place);
        let mut extra = Map::new();
        if !props.is_empty() {
            extra.insert("props".into(), Value::Object(props));
        }
        if component.archetype.events.iter().any(|event| event == "onClick")
            && component.archetype.name == "button"
        {
            extra.insert("bindings".into(), json!({ "onClick": content::handler(place) }));
        }
        extra.insert("meta".into(), meta);
        self.element(&format!("slot-{name}"), &component.name, Value::Object(extra), Vec::new())
    }

    fn dashboard(&mut self) -> Value {
        let header = self.slot("header", "page-header", Place::Title);
        let columns = self.preferences.metric_columns.unwrap_or(4);
        let component = self.selector.choose("metrics", "metrics-display");
        let count =
            if component.is_some_and(|component| component.archetype.name == "metric") { columns } else { 1 };
        let metrics: Vec<Value> =
            (0..count).map(|index| self.filled("metrics", component, Place::Metric(index))).collect();
        let metrics = self.element("metrics", "Grid", json!({ "props": { "columns": columns } }), metrics);
        let wants_chart = ["chart", "graph", "trend", "line", "bar", "analytic", "revenue"]
            .iter()
            .any(|word| self.intent.says(word));
        let main = self.slot(
            "main-content",
            if wants_chart { "chart-display" } else { "data-display" },
            Place::Records,
        );
        let mut middle = vec![main];
        if wants_chart && self.intent.object.is_some() {
            middle.push(self.slot("records", "data-list", Place::Records));
        }
        let side = self.slot("sidebar", "navigation-panel", Place::Navigation);
        let main = self.stack("main", json!({ "type": "stack", "gapToken": "stack-default" }), middle);
        let aside = self.stack("aside", json!({ "type": "stack", "gapToken": "stack-default" }), vec![side]);
        let body =
            self.stack("body", json!({ "type": "sidebar", "gapToken": "cluster-loose" }), vec![main, aside]);
        self.screen(vec![header, metrics, body])
    }

    /// Fields of the object, or what the words name, or three that fit anything.
    fn fields(&self) -> Vec<Field> {
        let mut fields = content::fields(self.intent);
        if let Some(count) = self.preferences.field_groups {
            let mut number = 1;
            while fields.len() < count {
                number += 1;
                let name = format!("field{number}");
                fields.push(Field {
                    label: format!("Field {number}"),
                    name,
                    kind: FieldKind::String,
                    options: Vec::new(),
                    sample: Vec::new(),
                    autocomplete: None,
                });
            }
            fields.truncate(count);
        }
        fields
    }

    fn field_slots(&mut self, fields: &[Field], first: usize) -> Vec<Value> {
        fields
            .iter()
            .enumerate()
            .map(|(index, field)| {
                let intent = match field.kind {
                    _ if !field.options.is_empty() => "choice-input",
                    FieldKind::Date => "date-input",
                    _ => "form-input",
                };
                let name = format!("field-{}", first + index);
                let component = self.selector.choose(&name, intent);
                let mut element = self.filled(&name, component, Place::Title);
                if let Some(component) = component {
                    element["props"] = Value::Object(content::field_props(component, field));
                    element["bindings"] = json!({ "value": format!("form.{}", field.name) });
                }
                element
            })
            .collect()
    }

    fn form(&mut self) -> Value {
        let title = self.slot("title", "page-header", Place::Title);
        let action = self.slot("actions", "action-button", Place::Submit);
        let fields = self.fields();
        let groups = self.field_slots(&fields, 0);
        let body = self.stack("fields", json!({ "type": "stack", "gapToken": "stack-default" }), groups);
        let cancel = self.element("cancel", "Button", json!({ "props": { "label": "Cancel", "appearance": "ghost" }, "bindings": { "onClick": "onCancel" } }), Vec::new());
        let actions = self.stack(
            "actions",
            json!({ "type": "inline", "align": "end", "gapToken": "cluster-default" }),
            vec![cancel, action],
        );
        let form = self.element(
            "form",
            "Card",
            json!({ "layout": { "type": "stack", "gapToken": "stack-default" } }),
            vec![body, actions],
        );
        self.screen(vec![title, form])
    }

    fn detail(&mut self) -> Value {
        let header = self.slot("header", "page-header", Place::Title);
        let labels = [
            "Overview", "Activity", "Related", "Files", "Settings", "Billing", "Members", "Notes", "Usage",
            "Security",
        ];
        let count = self.preferences.tab_count.unwrap_or(self.preferences.tab_labels.len().clamp(3, 10));
        let mut panels = Vec::new();
        let mut tabs = Vec::new();
        for index in 0..count {
            let label = self.preferences.tab_labels.get(index).cloned().unwrap_or_else(|| {
                labels.get(index).map_or(format!("Tab {}", index + 1), |label| (*label).to_owned())
            });
            let (intent, place) = match index {
                0 => ("facts-display", Place::Facts),
                1 => ("activity-timeline", Place::Events),
                _ => ("data-display", Place::Records),
            };
            let slot = self.slot(&format!("tab-{index}"), intent, place);
            let mut panel =
                self.stack("panel", json!({ "type": "stack", "gapToken": "stack-default" }), vec![slot]);
            panel["props"] = json!({ "label": label });
            tabs.push(Value::from(label));
            panels.push(panel);
        }
        let tabs =
            self.element("tabs", "Tabs", json!({ "props": { "label": "Sections", "tabs": tabs } }), panels);
        let metadata = self.slot("metadata", "metadata-display", Place::Metadata);
        let side =
            self.stack("aside", json!({ "type": "stack", "gapToken": "stack-default" }), vec![metadata]);
        let body =
            self.stack("body", json!({ "type": "sidebar", "gapToken": "cluster-loose" }), vec![tabs, side]);
        self.screen(vec![header, body])
    }

    fn list(&mut self) -> Value {
        let heading = self.intent.title(self.layout);
        let title =
            self.element("title", "Text", json!({ "props": { "content": heading, "as": "h1" } }), Vec::new());
        let items = self.slot("items", "data-list", Place::Records);
        let search = self.slot("search", "text-input", Place::Search);
        let filter = self.slot("filters", "filter-control", Place::Filter);
        let action = self.slot("toolbar-actions", "action-button", Place::Create);
        let pages = self.slot("pagination", "pagination-control", Place::Pages);
        let toolbar = self.element(
            "toolbar",
            "Toolbar",
            json!({ "props": { "label": "Search and filter" } }),
            vec![search, filter, action],
        );
        self.screen(vec![title, toolbar, items, pages])
    }

    fn card(&mut self) -> Value {
        let header = self.slot("header", "page-header", Place::Title);
        let facts = self.slot("summary", "facts-display", Place::Facts);
        let action = self.slot("actions", "action-button", Place::Open);
        let actions = self.stack(
            "actions",
            json!({ "type": "inline", "align": "end", "gapToken": "cluster-default" }),
            vec![action],
        );
        let card = self.element(
            "card",
            "Card",
            json!({ "layout": { "type": "stack", "gapToken": "stack-default" } }),
            vec![header, facts, actions],
        );
        self.screen(vec![card])
    }

    fn timeline(&mut self) -> Value {
        let header = self.slot("header", "page-header", Place::Title);
        let filter = self.slot("filters", "filter-control", Place::Filter);
        let toolbar =
            self.element("toolbar", "Toolbar", json!({ "props": { "label": "Filter" } }), vec![filter]);
        let events = self.slot("events", "activity-timeline", Place::Events);
        self.screen(vec![header, toolbar, events])
    }

    fn wizard(&mut self) -> Value {
        let header = self.slot("header", "page-header", Place::Title);
        let steps = self.slot("steps", "progress-steps", Place::Steps);
        let fields = self.fields();
        let groups = self.field_slots(&fields, 0);
        let body = self.stack("fields", json!({ "type": "stack", "gapToken": "stack-default" }), groups);
        let next = self.slot("actions", "action-button", Place::Next);
        let back = self.element("back", "Button", json!({ "props": { "label": "Back", "appearance": "secondary" }, "bindings": { "onClick": "onBack" } }), Vec::new());
        let actions = self.stack(
            "actions",
            json!({ "type": "inline", "align": "end", "gapToken": "cluster-default" }),
            vec![back, next],
        );
        let card = self.element(
            "step",
            "Card",
            json!({ "layout": { "type": "stack", "gapToken": "stack-default" } }),
            vec![body, actions],
        );
        self.screen(vec![header, steps, card])
    }
}
