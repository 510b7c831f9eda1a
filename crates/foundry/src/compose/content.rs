//! Sensible content for a slot: labels from the object of the intent, samples from the kit.

use serde_json::{Map, Value, json};

use super::intent::{Intent, LayoutName};
use crate::kit::{Component, Field, FieldKind, Kit, Object};

/// Where in the layout a component stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Title,
    Metric(usize),
    Records,
    Navigation,
    Facts,
    Metadata,
    Events,
    Search,
    Filter,
    Create,
    Submit,
    Next,
    Open,
    Pages,
    Steps,
}

/// The handler a button of this place is bound to.
pub fn handler(place: Place) -> &'static str {
    match place {
        Place::Submit => "onSubmit",
        Place::Next => "onNext",
        Place::Open => "onOpen",
        _ => "onCreate",
    }
}

/// Properties for a component in a place; only properties it has.
pub fn props(
    kit: &Kit,
    intent: &Intent,
    layout: LayoutName,
    component: &Component,
    place: Place,
) -> Map<String, Value> {
    let title = intent.title(layout);
    let one = intent.object.map_or_else(|| "item".to_owned(), |object| object.name.to_lowercase());
    let many = intent.object.map_or_else(|| "Records".to_owned(), |object| object.plural.clone());
    let wanted = match component.archetype.name.as_str() {
        "text" => json!({ "content": title, "as": "h1" }),
        "header" => header(intent, layout, &title),
        "metric" => metric(intent, if let Place::Metric(index) = place { index } else { 0 }),
        "stats" => {
            json!({ "title": many, "items": (0..3).map(|index| { let m = metric(intent, index); json!({ "label": m["label"], "value": m["value"] }) }).collect::<Vec<_>>() })
        }
        "table" => table(intent, place, &many),
        "list" => {
            json!({ "title": many, "items": rows(intent).iter().map(|row| list_item(intent, row)).collect::<Vec<_>>() })
        }
        "nav" => json!({ "title": "Workspace", "items": navigation(kit, intent) }),
        "tabs" => json!({ "label": "Sections", "tabs": ["Overview", "Activity"] }),
        "search" => {
            json!({ "label": format!("Search {}", many.to_lowercase()), "placeholder": placeholder(intent) })
        }
        "select" => filter(intent),
        "controls" => {
            json!({ "title": "Filters", "fields": [{ "label": filter(intent)["label"], "options": filter(intent)["options"] }] })
        }
        "input" if place == Place::Search => {
            json!({ "label": format!("Search {}", many.to_lowercase()), "type": "search" })
        }
        "input" => json!({ "label": title }),
        "button" | "link" => json!({ "label": match place {
            Place::Submit if intent.says("edit") || intent.says("setting") => "Save changes".to_owned(),
            Place::Submit => intent.object.map_or_else(|| "Submit".to_owned(), |_| format!("Create {one}")),
            Place::Next => "Continue".to_owned(),
            Place::Open => format!("Open {one}"),
            _ => format!("New {one}"),
        } }),
        "pagination" => json!({ "page": 1, "pageCount": 8 }),
        "panel" => json!({
            "title": if place == Place::Metadata { "Details" } else { "Overview" },
            "items": if place == Place::Metadata { metadata() } else { facts(intent) },
        }),
        "timeline" => json!({ "title": "Activity", "events": events(intent) }),
        "steps" => json!({ "steps": ["Details", "Options", "Review"], "current": 0 }),
        "progress" => json!({ "title": "Progress", "value": 1, "max": 3 }),
        "badge" => {
            json!({ "status": intent.object.and_then(status_options).map_or("active", |options| options[0].as_str()) })
        }
        name if name.starts_with("chart-") => {
            json!({ "title": chart_title(intent), "data": chart_data(name), "description": "The last seven days" })
        }
        "card" => {
            json!({ "title": title, "content": intent.object.map_or("Nothing to show yet", |object| object.description.as_str()) })
        }
        _ => Value::Object(component.example.clone()),
    };
    let mut props = match wanted {
        Value::Object(props) => props,
        _ => Map::new(),
    };
    props.retain(|name, value| component.prop(name).is_some() && !value.is_null());
    props
}

fn header(intent: &Intent, layout: LayoutName, title: &str) -> Value {
    let mut header = json!({ "title": title });
    match (layout, intent.object) {
        (LayoutName::Detail | LayoutName::Card, Some(object)) => {
            header["eyebrow"] = object.name.as_str().into();
            header["status"] =
                status_options(object).map_or(Value::Null, |options| options[0].as_str().into());
        }
        (LayoutName::Dashboard, _) => header["subtitle"] = "The last 30 days".into(),
        (LayoutName::Form | LayoutName::Wizard, _) => {
            header["subtitle"] = "All fields can be changed later".into()
        }
        _ => {}
    }
    header
}

fn status_options(object: &Object) -> Option<&[String]> {
    object
        .fields
        .iter()
        .find(|field| field.kind == FieldKind::Status && !field.options.is_empty())
        .map(|field| field.options.as_slice())
}

/// Things people measure, as intents name them (without a plural s).
const MEASURES: [(&str, &str, &str); 14] = [
    ("revenue", "Revenue", "$48,210"),
    ("churn", "Churn", "1.8%"),
    ("signup", "Sign-ups", "312"),
    ("order", "Orders", "1,204"),
    ("user", "Active users", "8,431"),
    ("session", "Sessions", "24,960"),
    ("conversion", "Conversion", "3.4%"),
    ("sale", "Sales", "$31,870"),
    ("visitor", "Visitors", "18,220"),
    ("error", "Errors", "27"),
    ("uptime", "Uptime", "99.98%"),
    ("latency", "Latency", "184 ms"),
    ("cost", "Costs", "$9,340"),
    ("mrr", "Monthly recurring revenue", "$42,900"),
];

fn metric(intent: &Intent, index: usize) -> Value {
    const CHANGES: [(&str, &str); 4] = [("4.2%", "up"), ("1.8%", "up"), ("0.6%", "down"), ("2.1%", "up")];
    let named: Vec<(String, &str)> = MEASURES
        .iter()
        .filter(|(word, _, _)| intent.says(word))
        .map(|(_, label, value)| ((*label).to_owned(), *value))
        .collect();
    let of_object = intent.object.map(|object| {
        let plural = object.plural.to_lowercase();
        let mut figures = vec![(format!("All {plural}"), "1,284")];
        let samples = ["1,102", "128", "54", "12"];
        for (option, value) in status_options(object).unwrap_or_default().iter().zip(samples) {
            let mut letters = option.chars();
            let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
            figures.push((format!("{first}{}", letters.as_str()), value));
        }
        figures
    });
    let general =
        [("Active users", "8,431"), ("Revenue", "$48,210"), ("Conversion", "3.4%"), ("Open tasks", "27")];
    let mut figures = named;
    figures.extend(of_object.unwrap_or_default());
    for (label, value) in general {
        if figures.len() < 12 && !figures.iter().any(|(known, _)| known == label) {
            figures.push((label.to_owned(), value));
        }
    }
    let (label, value) = &figures[index % figures.len()];
    let (delta, trend) = CHANGES[index % CHANGES.len()];
    // More of something unwelcome is no success.
    let unwelcome =
        ["churn", "error", "cost", "latency", "past due", "overdue", "cancelled", "failed", "suspended"];
    let trend = if unwelcome.iter().any(|word| label.to_lowercase().contains(word)) { "flat" } else { trend };
    json!({ "label": label, "value": value, "delta": delta, "trend": trend })
}

fn sample(field: &Field, row: usize) -> String {
    let values = if field.sample.is_empty() { &field.options } else { &field.sample };
    if values.is_empty() { "—".into() } else { values[row % values.len()].clone() }
}

fn rows(intent: &Intent) -> Vec<Map<String, Value>> {
    let row = |row: usize| match intent.object {
        Some(object) => object
            .fields
            .iter()
            .map(|field| {
                let value = sample(field, row);
                let shown =
                    if field.kind == FieldKind::Date { crate::render::display_date(&value) } else { value };
                (field.name.clone(), shown.into())
            })
            .collect(),
        None => {
            let names = ["Quarterly review", "Homepage refresh", "Supplier audit"];
            let states = ["active", "in review", "completed"];
            let owners = ["Ada Park", "Jonas Lind", "Noor Haddad"];
            let mut map = Map::new();
            map.insert("name".into(), names[row].into());
            map.insert("owner".into(), owners[row].into());
            map.insert("status".into(), states[row].into());
            map
        }
    };
    (0..3).map(row).collect()
}

fn table(intent: &Intent, place: Place, many: &str) -> Value {
    let columns: Vec<Value> = match intent.object {
        Some(object) => object
            .fields
            .iter()
            .map(|field| {
                let mut column = json!({ "key": field.name, "label": field.label });
                match field.kind {
                    FieldKind::Status => column["type"] = "status".into(),
                    FieldKind::Money | FieldKind::Number => column["align"] = "end".into(),
                    _ => {}
                }
                column
            })
            .collect(),
        None => vec![
            json!({ "key": "name", "label": "Name" }),
            json!({ "key": "owner", "label": "Owner" }),
            json!({ "key": "status", "label": "Status", "type": "status" }),
        ],
    };
    let caption =
        if place == Place::Records { format!("Recent {}", many.to_lowercase()) } else { many.to_owned() };
    json!({ "caption": caption, "columns": columns, "rows": rows(intent) })
}

fn list_item(intent: &Intent, row: &Map<String, Value>) -> Value {
    let mut values = row.values();
    let title = values.next().cloned().unwrap_or_default();
    let status = intent
        .object
        .and_then(|object| object.fields.iter().find(|field| field.kind == FieldKind::Status))
        .map_or("status", |field| field.name.as_str());
    let description = row.iter().skip(1).find(|(key, _)| *key != status).map(|(_, value)| value.clone());
    json!({ "title": title, "description": description, "status": row.get(status) })
}

fn navigation(kit: &Kit, intent: &Intent) -> Vec<Value> {
    let mut labels = vec!["Overview".to_owned()];
    labels.extend(intent.object.map(|object| object.plural.clone()));
    for object in
        kit.objects.iter().filter(|object| ["User", "Invoice", "Product"].contains(&object.name.as_str()))
    {
        if !labels.contains(&object.plural) && labels.len() < 5 {
            labels.push(object.plural.clone());
        }
    }
    labels.push("Settings".into());
    labels
        .iter()
        .enumerate()
        .map(|(index, label)| {
            if index == 0 {
                json!({ "label": label, "href": "#", "current": true })
            } else {
                json!({ "label": label, "href": "#" })
            }
        })
        .collect()
}

fn placeholder(intent: &Intent) -> String {
    let example = intent.object.and_then(|object| object.fields.first()).map(|field| sample(field, 0));
    format!("For example {}", example.unwrap_or_else(|| "Quarterly review".into()))
}

fn filter(intent: &Intent) -> Value {
    let options = intent
        .object
        .and_then(status_options)
        .map_or_else(|| vec!["active".to_owned(), "completed".into()], <[String]>::to_vec);
    let mut choices = vec![json!({ "label": "Any status", "value": "any" })];
    choices.extend(
        options.iter().map(|option| json!({ "label": crate::render::humanize(option), "value": option })),
    );
    json!({ "label": "Status", "name": "status", "options": choices, "value": "any" })
}

fn facts(intent: &Intent) -> Vec<Value> {
    match intent.object {
        Some(object) => object
            .fields
            .iter()
            .map(|field| match field.kind {
                FieldKind::Status => json!({ "label": field.label, "status": sample(field, 0) }),
                FieldKind::Date => {
                    json!({ "label": field.label, "value": crate::render::display_date(&sample(field, 0)) })
                }
                _ => json!({ "label": field.label, "value": sample(field, 0) }),
            })
            .collect(),
        None => vec![
            json!({ "label": "Name", "value": "Quarterly review" }),
            json!({ "label": "Status", "status": "active" }),
            json!({ "label": "Owner", "value": "Ada Park" }),
        ],
    }
}

fn metadata() -> Vec<Value> {
    vec![
        json!({ "label": "Owner", "value": "Ada Park" }),
        json!({ "label": "Created", "value": "1 Feb 2026" }),
        json!({ "label": "Updated", "value": "24 Feb 2026" }),
    ]
}

fn events(intent: &Intent) -> Vec<Value> {
    let name = intent.object.map_or("Record", |object| object.name.as_str());
    let status = intent.object.and_then(status_options).map_or("active", |options| options[0].as_str());
    vec![
        json!({ "title": format!("{name} is {status}"), "actor": "Ada Park", "at": "2026-02-24T09:00:00Z", "status": status }),
        json!({ "title": "Details changed", "actor": "Jonas Lind", "at": "2026-02-12T14:30:00Z" }),
        json!({ "title": format!("{name} created"), "actor": "Ada Park", "at": "2026-02-01T08:00:00Z" }),
    ]
}

fn chart_title(intent: &Intent) -> String {
    match MEASURES.iter().find(|(word, _, _)| intent.says(word)) {
        Some((_, label, _)) => format!("{label} a day"),
        None => intent
            .object
            .map_or_else(|| "Activity a day".to_owned(), |object| format!("{} a day", object.plural)),
    }
}

fn chart_data(kind: &str) -> Value {
    let days = [("Mon", 42), ("Tue", 51), ("Wed", 47), ("Thu", 63), ("Fri", 58), ("Sat", 33), ("Sun", 38)];
    match kind {
        "chart-scatter" => days.iter().enumerate().map(|(x, (_, y))| json!({ "x": x, "y": y })).collect(),
        "chart-heatmap" => days
            .iter()
            .flat_map(|(day, value)| {
                [
                    json!({ "row": "Morning", "column": day, "value": value }),
                    json!({ "row": "Evening", "column": day, "value": 70 - value }),
                ]
            })
            .collect(),
        _ => days.iter().map(|(label, value)| json!({ "label": label, "value": value })).collect(),
    }
}

/// Fields that intents name (without a plural s).
const NAMED_FIELDS: [(&str, &str, FieldKind, &str); 14] = [
    ("name", "Name", FieldKind::String, "name"),
    ("email", "Email", FieldKind::Email, "email"),
    ("password", "Password", FieldKind::String, "new-password"),
    ("phone", "Phone", FieldKind::String, "tel"),
    ("company", "Company", FieldKind::String, "organization"),
    ("address", "Address", FieldKind::String, "street-address"),
    ("city", "City", FieldKind::String, "address-level2"),
    ("country", "Country", FieldKind::String, "country-name"),
    ("message", "Message", FieldKind::String, "off"),
    ("note", "Notes", FieldKind::String, "off"),
    ("title", "Title", FieldKind::String, "off"),
    ("description", "Description", FieldKind::String, "off"),
    ("date", "Date", FieldKind::Date, "off"),
    ("amount", "Amount", FieldKind::Money, "off"),
];

/// Named fields first, then those of the object, then three that fit most forms.
pub fn fields(intent: &Intent) -> Vec<Field> {
    let named: Vec<Field> = NAMED_FIELDS
        .iter()
        .filter(|(word, ..)| intent.says(word))
        .map(|(word, label, kind, autocomplete)| Field {
            name: (*word).to_owned(),
            kind: *kind,
            label: (*label).to_owned(),
            options: Vec::new(),
            sample: Vec::new(),
            autocomplete: (*autocomplete != "off").then(|| (*autocomplete).to_owned()),
        })
        .collect();
    if named.len() >= 2 {
        return named;
    }
    let mut fields = named;
    match intent.object {
        Some(object) => {
            for field in &object.fields {
                if !fields.iter().any(|known| known.name == field.name) {
                    fields.push(field.clone());
                }
            }
        }
        None => {
            let general = [
                ("name", "Name", FieldKind::String),
                ("email", "Email", FieldKind::Email),
                ("date", "Start date", FieldKind::Date),
            ];
            for (name, label, kind) in general {
                if !fields.iter().any(|known| known.name == name) {
                    let autocomplete = (kind != FieldKind::Date).then(|| name.to_owned());
                    fields.push(Field {
                        name: name.into(),
                        kind,
                        label: label.into(),
                        options: Vec::new(),
                        sample: Vec::new(),
                        autocomplete,
                    });
                }
            }
        }
    }
    fields
}

/// Properties of a form field.
pub fn field_props(component: &Component, field: &Field) -> Map<String, Value> {
    let kind = match (field.kind, field.name.as_str()) {
        (_, "password") => "password",
        (FieldKind::Email, _) => "email",
        (FieldKind::Date, _) => "date",
        (FieldKind::Number, _) => "number",
        (_, "phone") => "tel",
        _ => "text",
    };
    let example = if field.kind == FieldKind::Date { None } else { field.sample.first() };
    let options: Vec<Value> = field
        .options
        .iter()
        .map(|option| json!({ "label": crate::render::humanize(option), "value": option }))
        .collect();
    let wanted = json!({
        "label": field.label, "name": field.name, "type": kind, "autocomplete": field.autocomplete,
        "placeholder": example.map(|example| format!("For example {example}")),
        "options": if options.is_empty() { Value::Null } else { options.into() },
    });
    let mut props = match wanted {
        Value::Object(props) => props,
        _ => Map::new(),
    };
    props.retain(|name, value| component.prop(name).is_some() && !value.is_null());
    if component.archetype.name == "select" {
        props.remove("placeholder");
    }
    if kind == "text" {
        props.remove("type");
    }
    props
}
