//! What every page has around it: head, navigation, theme switch, live region.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::pages::{PAGES, Page};
use crate::http::app::App;

/// Outlines on a grid of 20 by 20, drawn with the colour of the text.
pub fn icon(path: &str) -> Markup {
    html! {
        svg.icon viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false" {
            path d=(path) {}
        }
    }
}

const MARK: &str = "M10 2v16M10 5a1.6 1.6 0 1 0 0-.01M3 11c.6 4 3.4 6.5 7 7 3.6-.5 6.4-3 7-7M3 11l2 1.8M3 11l-.6 2.6M17 11l-2 1.8M17 11l.6 2.6M6.5 8h7";

fn head(title: &str, scripts: &[&str]) -> Markup {
    html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        title { (title) }
        link rel="icon" href="data:,";
        // Not a module: it must run before the first paint, or a dark page would flash white.
        script src="/dashboard/assets/theme.js" {}
        link rel="stylesheet" href="/dashboard/assets/kit.css";
        link rel="stylesheet" href="/dashboard/assets/dashboard.css";
        @for script in scripts { script type="module" src={ "/dashboard/assets/" (script) } {} }
    }
}

/// A whole page around `body`.
pub fn page(app: &App, page: &Page, body: Markup) -> Markup {
    let title = &app.surface.identity.title;
    let registry = app.surface.runtime.registry();
    let tools: Vec<&str> = registry.registered().map(|def| def.id.as_str()).collect();
    html! {
        (DOCTYPE)
        html lang="en" {
            head { (head(&format!("{} · {title}", page.name), &["shell.js", page.script])) }
            // What a page can show depends on the tools there are.
            body.oods-root.shell data-tools=(tools.join(" ")) {
                a.skip href="#main" { "Skip to the content" }
                header.shell__top {
                    a.shell__brand href="/dashboard" {
                        span.shell__mark { (icon(MARK)) }
                        span { (title) }
                    }
                    span.shell__state #state role="status" { }
                    (theme_switch())
                    @if app.auth.is_needed() {
                        button.oods-button.oods-button--ghost.oods-button--sm #sign-out type="button" { "Sign out" }
                    }
                }
                nav.shell__nav aria-label="Dashboard" {
                    ul { @for other in &PAGES {
                        li {
                            a.oods-nav__link href=(other.path) aria-current=[(other.path == page.path).then_some("page")] {
                                (icon(other.icon)) span { (other.name) }
                            }
                        }
                    } }
                }
                main.shell__main #main tabindex="-1" {
                    header.page-head {
                        h1.oods-header__title { (page.title) }
                        p.oods-header__subtitle { (page.lead) }
                    }
                    noscript { div.oods-banner.oods-banner--warning { p { "This page needs its script. Everything it shows is also in the HTTP API: see " a href="/openapi.json" { "OpenAPI" } "." } } }
                    (body)
                }
                div.visually-hidden #live aria-live="polite" {}
            }
        }
    }
}

fn theme_switch() -> Markup {
    html! {
        label.shell__theme {
            span.visually-hidden { "Theme" }
            select.oods-field__control.select-sm #theme {
                option value="" { "System" }
                option value="light" { "Light" }
                option value="dark" { "Dark" }
                option value="hc" { "Contrast" }
            }
        }
    }
}

/// The page that asks for the token.
pub fn sign_in(app: &App) -> Markup {
    let title = &app.surface.identity.title;
    html! {
        (DOCTYPE)
        html lang="en" {
            head { (head(&format!("Sign in · {title}"), &["sign-in.js"])) }
            body.oods-root.sign-in {
                main.oods-card.sign-in__card {
                    span.shell__mark { (icon(MARK)) }
                    h1.oods-header__title { "Sign in to " (title) }
                    @if !app.auth.is_needed() {
                        p { "This server needs no token. " a.oods-link href="/dashboard" { "Open the dashboard" } }
                    } @else {
                        form #sign-in method="post" {
                            div.oods-field {
                                label.oods-field__label for="token" { "Bearer token" }
                                input.oods-field__control #token type="password" autocomplete="current-password" required aria-describedby="token-help";
                                p.oods-field__help #token-help { "The one the server was started with, or one of its token file with the scope " code { "admin" } "." }
                            }
                            p.oods-field__error #problem role="alert" {}
                            button.oods-button.oods-button--primary type="submit" { "Sign in" }
                        }
                    }
                }
            }
        }
    }
}

/// The frame in which a rendered tree is shown.
pub fn frame() -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Preview" }
                (PreEscaped("<script src=\"/dashboard/assets/frame.js\" defer></script>"))
            }
            body {}
        }
    }
}
