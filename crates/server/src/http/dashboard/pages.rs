//! The pages, one function each: their fixed parts, which the scripts fill.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};

use super::{Dashboard, POLICY, html as reply, shell};
use crate::http::app::App;

/// One page and its place in the navigation.
pub struct Page {
    pub path: &'static str,
    pub name: &'static str,
    pub title: &'static str,
    pub lead: &'static str,
    pub script: &'static str,
    pub icon: &'static str,
    body: fn(&Dashboard) -> Markup,
}

pub static PAGES: [Page; 9] = [
    Page {
        path: "/dashboard",
        name: "Overview",
        title: "Overview",
        lead: "What the server does right now, and what it did in the last three hours.",
        script: "overview.js",
        icon: "M2 11h3l2.5-7 4 12 2.5-7 1 2h3",
        body: overview,
    },
    Page {
        path: "/dashboard/tools",
        name: "Tools",
        title: "Tools",
        lead: "Every tool with its arguments, its limits and what it costs a model to know it. Try a call.",
        script: "tools.js",
        icon: "M12.5 3.2a4.2 4.2 0 0 0-4 5.7L3 14.4 5.6 17l5.5-5.5a4.2 4.2 0 0 0 5.6-4.8l-2.5 2.4-2.5-.8-.8-2.5z",
        body: tools,
    },
    Page {
        path: "/dashboard/search",
        name: "Search",
        title: "Search",
        lead: "Words, names, \"exact text\", /regular expressions/ or a plain question.",
        script: "search.js",
        icon: "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zM13.5 13.5 18 18",
        body: search,
    },
    Page {
        path: "/dashboard/catalog",
        name: "Catalog",
        title: "Catalog",
        lead: "The instructions agents are given: who owns them, when they are due, how they changed.",
        script: "catalog.js",
        icon: "M4 3h9a3 3 0 0 1 3 3v11H7a3 3 0 0 1-3-3zM4 14a3 3 0 0 1 3-3h9M8 6.5h5",
        body: catalog,
    },
    Page {
        path: "/dashboard/foundry",
        name: "Foundry",
        title: "Foundry",
        lead: "Write a UiSchema, see it rendered, take the code with you.",
        script: "foundry.js",
        icon: "M3 4h14v12H3zM3 8h14M8 8v8",
        body: foundry,
    },
    Page {
        path: "/dashboard/triage",
        name: "Triage",
        title: "Triage",
        lead: "Security findings and what was decided about them.",
        script: "triage.js",
        icon: "M3 4h4v12H3zM8.5 4h4v8h-4zM14 4h3.500v5H14z",
        body: triage,
    },
    Page {
        path: "/dashboard/programs",
        name: "Programs",
        title: "Programs",
        lead: "Command-line programs served as tools, and what the policy allows.",
        script: "programs.js",
        icon: "M3 4h14v12H3zM6 8l2.500 2L6 12M10 12.500h4",
        body: programs,
    },
    Page {
        path: "/dashboard/calls",
        name: "Calls",
        title: "Calls",
        lead: "The last thousand calls: who called what and how it ended. What they said is never kept.",
        script: "calls.js",
        icon: "M4 5h1M8 5h8M4 10h1M8 10h8M4 15h1M8 15h8",
        body: calls,
    },
    Page {
        path: "/dashboard/audit",
        name: "Audit",
        title: "Audit",
        lead: "Every call, in a log that shows when a row was changed, dropped or added. Secrets are left out before it is written.",
        script: "audit.js",
        icon: "M10 2l6 2.500v5c0 4-2.500 6.800-6 8.500-3.500-1.700-6-4.500-6-8.500v-5zM7 10l2 2 4-4.500",
        body: audit,
    },
];

pub async fn show(State(app): State<Arc<App>>, page: &'static Page) -> Response {
    let body = app.config.dashboard.as_ref().map(|dashboard| (page.body)(dashboard)).unwrap_or_default();
    reply(shell::page(&app, page, body), POLICY)
}

fn field(id: &str, label: &str, control: Markup) -> Markup {
    html! { div.oods-field { label.oods-field__label for=(id) { (label) } (control) } }
}

fn text(id: &str, label: &str, hint: &str) -> Markup {
    field(
        id,
        label,
        html! { input.oods-field__control id=(id) type="text" placeholder=(hint) autocomplete="off" spellcheck="false"; },
    )
}

fn select(id: &str, label: &str, options: &[(&str, &str)]) -> Markup {
    let list = html! {
        select.oods-field__control id=(id) {
            @for (value, name) in options { option value=(value) { (name) } }
        }
    };
    field(id, label, list)
}

fn overview(_: &Dashboard) -> Markup {
    html! {
        div.bar {
            (select("range", "Time", &[("15", "15 minutes"), ("60", "1 hour"), ("180", "3 hours")]))
        }
        section aria-label="Figures" { dl.figures #figures {} }
        section.charts #charts aria-label="Charts" {}
        div.columns {
            section.oods-card aria-labelledby="busiest" {
                h2.oods-card__title #busiest { "Busiest tools" }
                div #tools {}
            }
            section.oods-card aria-labelledby="latest" {
                h2.oods-card__title #latest { "Latest calls" }
                div #recent {}
                p { a.oods-link href="/dashboard/calls" { "All calls" } }
            }
        }
    }
}

fn tools(_: &Dashboard) -> Markup {
    html! {
        section aria-label="What the tool list costs" #cost {}
        div.split {
            section.split__list aria-label="Tools" {
                div.stack {
                    (text("filter", "Filter", "name or words"))
                    (select("toolset", "Toolset", &[("", "All")]))
                }
                ul.picks #list {}
            }
            section.split__detail #detail aria-live="off" aria-label="Tool" {}
        }
    }
}

fn search(_: &Dashboard) -> Markup {
    html! {
        form.stack #search role="search" {
            div.searchline {
                label.visually-hidden for="query" { "Query" }
                input.oods-field__control #query type="search" placeholder="cancel token, sym:Runtime, /fn \\w+_all/, how is a process ended" autocomplete="off" spellcheck="false" required;
                button.oods-button.oods-button--primary type="submit" { "Search" }
            }
            div.filters {
                (select("mode", "Look in", &[("", "Code and prose"), ("code", "Code"), ("prose", "Prose"), ("extracted-prose", "Comments"), ("records", "Records"), ("all", "Everything")]))
                (text("lang", "Language", "rust"))
                (text("kind", "Kind", "function"))
                (text("path", "Path", "src/"))
                (text("ext", "Ending", ".rs"))
                (select("top", "Hits", &[("10", "10"), ("25", "25"), ("50", "50")]))
            }
            details.oods-accordion #more {
                summary.oods-accordion__summary { "More filters" }
                div.oods-accordion__body #more-filters {}
            }
            div.checks {
                label.oods-check { input.oods-check__control #case type="checkbox"; span.oods-check__label { "Match case" } }
                label.oods-check { input.oods-check__control #explain type="checkbox"; span.oods-check__label { "Explain the ranking" } }
            }
        }
        p.note #summary role="status" {}
        div.with-aside {
            div #hits {}
            aside #facets aria-label="Narrow the hits" {}
        }
        dialog.viewer #viewer aria-labelledby="viewer-title" {
            div.viewer__bar {
                h2.oods-card__title #viewer-title {}
                button.oods-button.oods-button--secondary.oods-button--sm #viewer-close type="button" { "Close" }
            }
            div #viewer-body {}
        }
    }
}

fn catalog(_: &Dashboard) -> Markup {
    html! {
        section aria-label="Figures" { dl.figures #figures {} }
        div.split {
            section.split__list aria-label="Entries" {
                div.stack {
                    (text("filter", "Filter", "id, title or words"))
                    (select("owner", "Owner", &[("", "Everyone")]))
                    (select("show", "Show", &[("", "All entries"), ("due", "Review overdue"), ("soon", "Review due in 30 days"), ("draft", "Drafts"), ("unowned", "Without an owner")]))
                }
                ul.picks #list {}
            }
            section.split__detail #detail aria-label="Entry" {}
        }
    }
}

fn foundry(dashboard: &Dashboard) -> Markup {
    let options = |names: &[String]| -> Markup {
        html! { @for name in names { option value=(name) { (name) } } }
    };
    html! {
        form.searchline #compose {
            label.visually-hidden for="intent" { "What the screen is for" }
            input.oods-field__control #intent type="text" placeholder="Describe a screen: list of subscriptions with filters" autocomplete="off";
            button.oods-button.oods-button--secondary type="submit" { "Compose" }
        }
        div.workbench {
            section.oods-card.workbench__source aria-labelledby="source-title" {
                div.bar { h2.oods-card__title #source-title { "UiSchema" } span #verdict role="status" {} }
                label.visually-hidden for="source" { "UiSchema as JSON" }
                textarea.oods-field__control.code #source rows="24" spellcheck="false" aria-describedby="findings" {}
                div #findings {}
            }
            section.oods-card.workbench__view aria-labelledby="view-title" {
                div.bar {
                    h2.oods-card__title #view-title { "Preview" }
                    (field("preview-theme", "Theme", html! { select.oods-field__control.select-sm #preview-theme { (options(&dashboard.themes)) } }))
                    (field("preview-brand", "Brand", html! { select.oods-field__control.select-sm #preview-brand { (options(&dashboard.brands)) } }))
                    (field("preview-width", "Width", html! { select.oods-field__control.select-sm #preview-width { option value="" { "Full" } option value="phone" { "Phone" } } }))
                }
                iframe #frame title="Rendered screen" sandbox="allow-scripts" {}
            }
            section.oods-card.workbench__code aria-labelledby="code-title" {
                div.bar {
                    h2.oods-card__title #code-title { "Code" }
                    (select("framework", "Target", &[("react", "React"), ("vue", "Vue"), ("svelte", "Svelte"), ("lit", "Web component"), ("html", "HTML")]))
                    (select("styling", "Styling", &[("tokens", "Tokens"), ("inline", "Inline values")]))
                    button.oods-button.oods-button--primary.oods-button--sm #copy type="button" { "Copy code" }
                    span #copied role="status" {}
                }
                pre.code-block tabindex="0" aria-label="Generated code" { code #code {} }
            }
        }
    }
}

fn triage(_: &Dashboard) -> Markup {
    html! { div #board {} }
}

fn programs(_: &Dashboard) -> Markup {
    html! { section aria-label="Figures" { dl.figures #figures {} } div.stack #programs {} }
}

fn calls(_: &Dashboard) -> Markup {
    html! {
        div.filters {
            (text("filter", "Tool or caller", "search"))
            (select("surface", "Surface", &[("", "All")]))
            (select("outcome", "Outcome", &[("", "All"), ("failed", "Failed"), ("denied", "Denied"), ("ok", "Succeeded")]))
            div.oods-field.align-end {
                button.oods-button.oods-button--secondary #pause type="button" aria-pressed="false" { "Pause" }
            }
        }
        p.note #summary role="status" {}
        div #table {}
    }
}

fn audit(_: &Dashboard) -> Markup {
    html! {
        section.oods-card aria-labelledby="state-title" {
            div.bar {
                h2.oods-card__title #state-title { "Verification" }
                span #verdict role="status" {}
                button.oods-button.oods-button--secondary.oods-button--sm #verify type="button" { "Verify again" }
            }
            div #proof {}
        }
        div.filters {
            (text("filter", "Tool, caller or rule", "jwt:alice"))
            (select("surface", "Surface", &[("", "All")]))
            (select("decision", "Decision", &[("", "All"), ("allowed", "Allowed"), ("denied", "Denied"), ("refused", "Refused"), ("invalid", "Invalid"), ("unknown", "Unknown tool")]))
            (select("outcome", "Outcome", &[("", "All"), ("ok", "Succeeded"), ("failed", "Failed")]))
        }
        p.note #summary role="status" {}
        div #table {}
    }
}
