//! The frame of reports people open in a browser: one page, nothing remote, light and dark.

use crate::render::escape;

const STYLE: &str = include_str!("report.css");

/// A page. `body` is HTML that was escaped where it was made.
pub fn page(title: &str, lead: &str, body: &str, script: &str) -> String {
    let script = if script.is_empty() { String::new() } else { format!("<script>\n{script}</script>\n") };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src 'self' file: data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-src 'self' file:\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n<p class=\"quiet\">{lead}</p>\n</header>\n\
         <main>\n{body}</main>\n{script}</body>\n</html>\n",
        title = escape(title),
        lead = escape(lead),
    )
}

/// Text as HTML.
pub fn text(text: &str) -> String {
    escape(text).into_owned()
}

/// A row of figures with their names.
pub fn figures(items: &[(&str, String)]) -> String {
    let cells: String = items
        .iter()
        .map(|(name, value)| format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name), escape(value)))
        .collect();
    format!("<dl class=\"figures\">\n{cells}</dl>\n")
}

/// A word with a meaning: `good`, `bad` or `warn`.
pub fn tag(meaning: &str, text: &str) -> String {
    format!("<span class=\"tag {meaning}\">{}</span>", escape(text))
}

/// A table; cells are HTML.
pub fn table(caption: &str, columns: &[&str], rows: &[Vec<String>]) -> String {
    let head: String =
        columns.iter().map(|column| format!("<th scope=\"col\">{}</th>", escape(column))).collect();
    let body: String = rows
        .iter()
        .map(|row| {
            let cells: String = row.iter().map(|cell| format!("<td>{cell}</td>")).collect();
            format!("<tr>{cells}</tr>\n")
        })
        .collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\"><table>\n<caption>{caption}</caption>\n\
         <thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n",
        caption = escape(caption),
    )
}

/// A colour beside its spelling.
pub fn swatch(hex: &str) -> String {
    let safe = hex.len() <= 9
        && hex.strip_prefix('#').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_hexdigit()));
    let shown = if safe {
        format!("<span class=\"swatch\" style=\"background:{hex}\"></span>")
    } else {
        String::new()
    };
    format!("{shown}<code>{}</code>", escape(hex))
}
