//! Stylesheets and single declarations: raw values, tokens that do not exist, classes of the kit.

use std::ops::Range;

use tree_sitter::{Language, Node};

use super::design::{Length, Number, PREFIX, pixels};
use super::finding::{Edit, Fix};
use super::scan::{Scan, child_of_kind, walk, walk_with_parent};
use crate::color;

/// Classes of the kit that mark where it begins, and are meant to be written.
const OPEN_CLASSES: [&str; 2] = ["oods-root", "oods-preview"];

/// Values every property takes that name nothing.
const KEYWORDS: [&str; 8] =
    ["inherit", "initial", "unset", "revert", "revert-layer", "none", "normal", "auto"];

const COLOR_FUNCTIONS: [&str; 10] =
    ["rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color"];

fn language() -> Language {
    tree_sitter_css::LANGUAGE.into()
}

/// Checks a stylesheet that begins at `base` of the file.
///
/// `text` is as long as what stands there, but parts of it may have been blanked out.
pub fn stylesheet(scan: &mut Scan, text: &str, base: usize) {
    let Some(tree) = scan.parse(&language(), text) else { return };
    walk_with_parent(tree.root_node(), |node, parent| {
        match node.kind() {
            "class_name" if parent.is_some_and(|parent| parent.kind() == "class_selector") => {
                class_name(scan, node, text, base);
            }
            "declaration" => {
                declaration(scan, node, text, base);
                return false;
            }
            _ => {}
        }
        true
    });
}

/// Checks the text of a `style` attribute; says whether everything in it comes from tokens.
pub fn declarations(scan: &mut Scan, text: &str, base: usize) -> bool {
    let lead = "a{";
    let wrapped = format!("{lead}{text}}}");
    let Some(tree) = scan.parse(&language(), &wrapped) else { return false };
    let mut only_tokens = true;
    walk(tree.root_node(), |node| {
        if node.kind() == "declaration" {
            let written = &wrapped[node.byte_range()];
            only_tokens &= written.starts_with(PREFIX) || written.contains("var(--");
            declaration(scan, node, &wrapped, base.wrapping_sub(lead.len()));
            return false;
        }
        true
    });
    only_tokens
}

/// Checks one value of a property; the value begins at `base` of the file.
pub fn value(scan: &mut Scan, property: &str, text: &str, base: usize) {
    let lead = "p:";
    let wrapped = format!("{lead}{text};");
    let was_broken = scan.is_broken;
    let Some(tree) = scan.parse(&language(), &wrapped) else { return };
    scan.is_broken = was_broken;
    walk(tree.root_node(), |node| {
        if node.kind() == "declaration" {
            let base = base.wrapping_sub(lead.len());
            values(scan, property, node, &wrapped, base);
            return false;
        }
        true
    });
}

fn class_name(scan: &mut Scan, node: Node, text: &str, base: usize) {
    let name = &text[node.byte_range()];
    if name.starts_with("oods-") && !OPEN_CLASSES.contains(&name) {
        let message = format!("the class {name} belongs to the kit");
        scan.report("restyled-component", shifted(node, base), message, None);
    }
}

fn declaration(scan: &mut Scan, node: Node, text: &str, base: usize) {
    let Some(name) = child_of_kind(node, "property_name") else { return };
    let property = text[name.byte_range()].to_ascii_lowercase();
    if property.starts_with(PREFIX) {
        if scan.design.is_token(&property) {
            let message = format!("{property} is a token of the kit and is redefined here");
            scan.report("token-override", shifted(name, base), message, None);
            return;
        }
        scan.collected.defined.insert(property.clone());
    }
    values(scan, &property, node, text, base);
}

fn values(scan: &mut Scan, property: &str, declaration: Node, text: &str, base: usize) {
    let mut cursor = declaration.walk();
    let parts: Vec<Node> = declaration
        .named_children(&mut cursor)
        .filter(|part| {
            !matches!(
                part.kind(),
                "property_name" | "important" | "important_value" | "comment" | "js_comment"
            )
        })
        .collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return };
    let whole = first.start_byte()..last.end_byte();
    let range = whole.start.wrapping_add(base)..whole.end.wrapping_add(base);
    let raw = text[whole].trim();
    let is_keyword = KEYWORDS.contains(&raw.to_ascii_lowercase().as_str());
    let has_variable = raw.contains("var(");
    let property = unprefixed(property);
    if matches!(property, "font" | "font-family" | "box-shadow") && !is_keyword && !has_variable {
        whole_value(scan, property, raw, range);
        return;
    }
    for part in parts {
        let mut inside = Vec::new();
        walk(part, |node| {
            let (text, place) = (&text[node.byte_range()], shifted(node, base));
            match node.kind() {
                "call_expression" => {
                    let name = text[..text.find('(').unwrap_or(0)].to_ascii_lowercase();
                    return call(scan, property, &name, text, place);
                }
                "color_value" => inside.push((Kind::Hex, text.to_owned(), place)),
                "integer_value" | "float_value" => inside.push((Kind::Number, text.to_owned(), place)),
                "plain_value" => inside.push((Kind::Word, text.to_owned(), place)),
                _ => {}
            }
            true
        });
        for (kind, text, place) in inside {
            match kind {
                Kind::Hex => raw_color(scan, property, &text, place),
                Kind::Number => number(scan, property, &text, place),
                Kind::Word => word(scan, property, &text, place),
            }
        }
    }
}

enum Kind {
    Hex,
    Number,
    Word,
}

fn shifted(node: Node, base: usize) -> Range<usize> {
    node.start_byte().wrapping_add(base)..node.end_byte().wrapping_add(base)
}

fn unprefixed(property: &str) -> &str {
    ["-webkit-", "-moz-", "-ms-"].iter().find_map(|prefix| property.strip_prefix(prefix)).unwrap_or(property)
}

/// Values that only make sense as a whole.
fn whole_value(scan: &mut Scan, property: &str, raw: &str, range: Range<usize>) {
    match property {
        "box-shadow" => {
            let suggestion = scan.design.shadow(raw);
            scan.report_raw("raw-shadow", range, "the shadow", suggestion, |found| found.css.clone());
        }
        "font-family" => {
            let suggestion = scan.design.family(raw);
            scan.report_raw("raw-font", range, "the font family", suggestion, |found| found.css.clone());
        }
        // A system font such as `caption` is a single word; everything else names a size.
        _ if raw.contains(char::is_whitespace) => {
            scan.report_raw("raw-font", range, "the font", None, |found| found.css.clone());
        }
        _ => {}
    }
}

/// Checks a function; says whether to look at its arguments.
fn call(scan: &mut Scan, property: &str, name: &str, text: &str, range: Range<usize>) -> bool {
    match name {
        "url" | "attr" | "env" | "image-set" => false,
        "var" => {
            variable(scan, text, range);
            false
        }
        name if COLOR_FUNCTIONS.contains(&name) => {
            if !text.contains("var(") && !text.contains("from ") {
                raw_color(scan, property, text, range);
            }
            false
        }
        _ => true,
    }
}

/// Checks `var(--name, fallback)`. A raw fallback is what robust styles have, so it is left alone.
fn variable(scan: &mut Scan, text: &str, range: Range<usize>) {
    let inside = text.strip_prefix("var(").unwrap_or_default();
    let name = inside.split([',', ')']).next().unwrap_or_default();
    let start = range.start + "var(".len() + (name.len() - name.trim_start().len());
    let name = name.trim();
    property_use(scan, name, start..start + name.len());
}

/// Checks the use of a custom property.
pub fn property_use(scan: &mut Scan, name: &str, range: Range<usize>) {
    if !name.starts_with(PREFIX) {
        return;
    }
    let design = scan.design;
    if let Some(reason) = design.deprecated(name) {
        let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        scan.report("deprecated-token", range, format!("{name} is deprecated{why}"), None);
    } else if !design.has_property(name) {
        let near = design.near_properties(name);
        let message = match near.as_slice() {
            [] => format!("{name} is no token of the kit"),
            near => format!("{name} is no token of the kit; did you mean {}", near.join(", ")),
        };
        let fix = near.first().map(|near| Fix {
            exact: false,
            token: design.path_of(near).map(str::to_owned),
            edits: vec![Edit::new(range.clone(), (*near).to_owned())],
        });
        scan.report_use("unknown-token", range, message, fix, Some(name.to_owned()));
    }
}

/// Reports a colour written out.
pub fn raw_color(scan: &mut Scan, property: &str, text: &str, range: Range<usize>) {
    let parsed = named(text).or_else(|| color::parse(&text.into()));
    let suggestion = parsed.and_then(|color| scan.design.color(property, color));
    scan.report_raw("raw-color", range, "the colour", suggestion, |found| found.css.clone());
}

fn word(scan: &mut Scan, property: &str, text: &str, range: Range<usize>) {
    if property == "font-weight" && matches!(text, "bold" | "bolder" | "lighter") {
        let suggestion = (text == "bold").then(|| scan.design.number(Number::Weight, 700.0)).flatten();
        scan.report_raw("raw-font", range, "the font weight", suggestion, |found| found.css.clone());
    } else if takes_color(property) && named(&text.to_ascii_lowercase()).is_some() {
        raw_color(scan, property, &text.to_ascii_lowercase(), range);
    }
}

/// What a property measures, where tokens measure it too.
pub fn length_of(property: &str) -> Option<(Length, &'static str, &'static str)> {
    let starts = |start: &str| property == start || property.starts_with(&format!("{start}-"));
    if starts("margin")
        || starts("padding")
        || matches!(property, "gap" | "row-gap" | "column-gap" | "grid-gap")
    {
        Some((Length::Space, "raw-spacing", "the space"))
    } else if property.ends_with("radius") {
        Some((Length::Radius, "raw-radius", "the radius"))
    } else if property == "font-size" {
        Some((Length::FontSize, "raw-font", "the font size"))
    } else {
        None
    }
}

/// Checks a number with or without a unit.
pub fn number(scan: &mut Scan, property: &str, text: &str, range: Range<usize>) {
    let split = text.find(|c: char| c.is_ascii_alphabetic() || c == '%').unwrap_or(text.len());
    let (amount, unit) = text.split_at(split);
    let Ok(amount) = amount.parse::<f64>() else { return };
    if amount == 0.0 {
        return;
    }
    if let Some((purpose, rule, what)) = length_of(property) {
        let Some(pixels) = pixels(amount.abs(), unit) else { return };
        let suggestion = scan.design.length(purpose, property, pixels);
        scan.report_raw(rule, range, what, suggestion, |found| {
            if amount < 0.0 { format!("calc(-1 * {})", found.css) } else { found.css.clone() }
        });
    } else if unit.is_empty() && property == "font-weight" {
        let suggestion = scan.design.number(Number::Weight, amount);
        scan.report_raw("raw-font", range, "the font weight", suggestion, |found| found.css.clone());
    } else if property == "line-height"
        && amount != 1.0
        && (unit.is_empty() || pixels(amount, unit).is_some())
    {
        let suggestion = unit.is_empty().then(|| scan.design.number(Number::Leading, amount)).flatten();
        scan.report_raw("raw-font", range, "the line height", suggestion, |found| found.css.clone());
    }
}

/// Whether a word in a property can be the name of a colour.
pub fn takes_color(property: &str) -> bool {
    property.starts_with("--")
        || property.ends_with("color")
        || matches!(property, "fill" | "stroke" | "text-shadow")
        || ["background", "border", "outline", "column-rule", "text-decoration"]
            .iter()
            .any(|start| property.starts_with(start))
}

/// The colours people write by name; the rest of the 148 names is as raw, and hardly ever written.
fn named(name: &str) -> Option<color::Color> {
    let rgb = match name {
        "white" => [255, 255, 255],
        "black" => [0, 0, 0],
        "red" => [255, 0, 0],
        "green" => [0, 128, 0],
        "lime" => [0, 255, 0],
        "blue" => [0, 0, 255],
        "navy" => [0, 0, 128],
        "teal" => [0, 128, 128],
        "aqua" | "cyan" => [0, 255, 255],
        "fuchsia" | "magenta" => [255, 0, 255],
        "purple" => [128, 0, 128],
        "maroon" => [128, 0, 0],
        "olive" => [128, 128, 0],
        "yellow" => [255, 255, 0],
        "orange" => [255, 165, 0],
        "gold" => [255, 215, 0],
        "pink" => [255, 192, 203],
        "brown" => [165, 42, 42],
        "silver" => [192, 192, 192],
        "gray" | "grey" => [128, 128, 128],
        "lightgray" | "lightgrey" => [211, 211, 211],
        "darkgray" | "darkgrey" => [169, 169, 169],
        "whitesmoke" => [245, 245, 245],
        "tomato" => [255, 99, 71],
        "coral" => [255, 127, 80],
        "salmon" => [250, 128, 114],
        "crimson" => [220, 20, 60],
        "indigo" => [75, 0, 130],
        "violet" => [238, 130, 238],
        "orchid" => [218, 112, 214],
        "beige" => [245, 245, 220],
        "ivory" => [255, 255, 240],
        "khaki" => [240, 230, 140],
        "lavender" => [230, 230, 250],
        "turquoise" => [64, 224, 208],
        "skyblue" => [135, 206, 235],
        "steelblue" => [70, 130, 180],
        "royalblue" => [65, 105, 225],
        "dodgerblue" => [30, 144, 255],
        "slategray" | "slategrey" => [112, 128, 144],
        "rebeccapurple" => [102, 51, 153],
        _ => return None,
    };
    Some(color::Color::opaque(rgb))
}
