//! What the kit offers, arranged so that a raw value finds its nearest token.

use std::collections::{BTreeMap, HashSet};

use regex::Regex;
use serde_json::Value;

use crate::color::{self, Color};
use crate::json::near;
use crate::kit::Kit;
use crate::tokens::{Layer, Token, TokenSet, css_literal, css_name};

/// Every custom property of the kit starts like this; other ones are the project's own business.
pub const PREFIX: &str = "--oods-";

/// Colours farther apart than this in OKLab are different colours, not the same one mistyped.
const NEAR_COLOR: f64 = 0.06;

/// What a length is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Space,
    Radius,
    FontSize,
}

/// A number of the type scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    Weight,
    Leading,
}

/// A token in place of a raw value.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// Path of the token, such as `sys.text.primary`.
    pub token: String,
    /// What to write: `var(--oods-sys-text-primary)`.
    pub css: String,
    /// Nothing changes on screen.
    pub exact: bool,
    /// How far away it is, in words; empty when exact.
    pub away: String,
}

#[derive(Debug)]
struct Swatch {
    path: String,
    color: Color,
    lab: [f64; 3],
}

#[derive(Debug)]
struct Measure {
    path: String,
    pixels: f64,
    layer: Layer,
}

/// What is known of one custom property.
#[derive(Debug)]
struct Known {
    path: String,
    deprecated: Option<String>,
}

/// The vocabulary of a kit.
pub struct Design<'k> {
    pub kit: &'k Kit,
    known: BTreeMap<String, Known>,
    /// Properties the kit's own styles set or read without a token behind them.
    free: HashSet<String>,
    swatches: Vec<Swatch>,
    lengths: Vec<(Length, Measure)>,
    numbers: Vec<(Number, Measure)>,
    families: Vec<(String, String)>,
    shadows: Vec<(String, String)>,
}

impl<'k> Design<'k> {
    pub fn new(kit: &'k Kit) -> Design<'k> {
        let mut design = Design {
            kit,
            known: BTreeMap::new(),
            free: HashSet::new(),
            swatches: Vec::new(),
            lengths: Vec::new(),
            numbers: Vec::new(),
            families: Vec::new(),
            shadows: Vec::new(),
        };
        for brand in &kit.manifest.brands {
            for theme in &kit.manifest.themes {
                let Some(set) = kit.tokens(brand, theme) else { continue };
                for token in set.iter() {
                    design.known.entry(css_name(&token.path)).or_insert_with(|| Known {
                        path: token.path.clone(),
                        deprecated: token.deprecated.clone(),
                    });
                }
            }
        }
        let property = Regex::new("--oods-[a-z0-9-]+").expect("the pattern is constant and valid");
        for text in [kit.stylesheet(), kit.archetypes_json.to_string()] {
            design.free.extend(property.find_iter(&text).map(|found| found.as_str().to_owned()));
        }
        if let Some(set) = kit.tokens(kit.default_brand(), kit.theme(None)) {
            design.read_values(&set);
        }
        design
    }

    fn read_values(&mut self, set: &TokenSet) {
        let is_system = |token: &Token| token.layer == Layer::System;
        let has_system = set.iter().any(|token| is_system(token) && token.kind.as_deref() == Some("color"));
        for token in set.iter().filter(|token| token.deprecated.is_none()) {
            // What belongs to one component is not for others to use.
            if token.layer == Layer::Component {
                continue;
            }
            let Ok(resolved) = set.resolve(&token.path) else { continue };
            let words: Vec<String> = token.path.split(['.', '-']).map(|word| word.to_lowercase()).collect();
            let has = |word: &str| words.iter().any(|known| known == word);
            let measure = |pixels| Measure { path: token.path.clone(), pixels, layer: token.layer };
            match resolved.kind.as_deref() {
                Some("color") if !has_system || is_system(token) => {
                    if let Some(color) = color::parse(&resolved.value) {
                        let path = token.path.clone();
                        self.swatches.push(Swatch { path, color, lab: oklab(color) });
                    }
                }
                Some("dimension") => {
                    let Some(pixels) = pixels_of(&resolved.value) else { continue };
                    if has("space") || has("spacing") {
                        self.lengths.push((Length::Space, measure(pixels)));
                    } else if has("radius") || has("shape") {
                        self.lengths.push((Length::Radius, measure(pixels)));
                    } else if (has("font") && has("size")) || has("fontsize") {
                        self.lengths.push((Length::FontSize, measure(pixels)));
                    }
                }
                Some("fontFamily") => {
                    if let Some(css) = css_literal(&resolved) {
                        self.families.push((token.path.clone(), css));
                    }
                }
                Some("shadow") => {
                    if let Some(css) = css_literal(&resolved) {
                        self.shadows.push((token.path.clone(), css));
                    }
                }
                Some("number" | "fontWeight") => {
                    let Some(number) = resolved.value.as_f64() else { continue };
                    if has("weight") || has("fontweight") {
                        self.numbers.push((Number::Weight, measure(number)));
                    } else if has("leading") || has("lineheight") {
                        self.numbers.push((Number::Leading, measure(number)));
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a custom property is one of the kit's.
    pub fn has_property(&self, name: &str) -> bool {
        self.known.contains_key(name) || self.free.contains(name)
    }

    pub fn is_token(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// Why a token should not be used any more.
    pub fn deprecated(&self, name: &str) -> Option<&str> {
        self.known.get(name)?.deprecated.as_deref()
    }

    pub fn path_of(&self, name: &str) -> Option<&str> {
        self.known.get(name).map(|known| known.path.as_str())
    }

    /// Custom properties that look like the name.
    pub fn near_properties(&self, name: &str) -> Vec<&str> {
        near(name, self.known.keys().map(String::as_str), 3)
    }

    /// The token for a colour in a property.
    pub fn color(&self, property: &str, wanted: Color) -> Option<Suggestion> {
        let role = role_of(property);
        let lab = oklab(wanted);
        let scored = self.swatches.iter().filter(|swatch| (swatch.color.alpha - wanted.alpha).abs() < 0.01);
        let best = scored
            .map(|swatch| {
                let distance = apart(lab, swatch.lab);
                let penalty = if role.fits(&swatch.path) { 0.0 } else { 0.03 };
                (distance + penalty, distance, swatch)
            })
            .min_by(|a, b| {
                a.0.total_cmp(&b.0).then_with(|| {
                    let length = |path: &str| path.split('.').count();
                    length(&a.2.path).cmp(&length(&b.2.path)).then_with(|| a.2.path.cmp(&b.2.path))
                })
            })?;
        let (_, distance, swatch) = best;
        if distance > NEAR_COLOR {
            return None;
        }
        let exact = swatch.color.rgb == wanted.rgb;
        let away = if exact { String::new() } else { format!("{} is near", swatch.color.hex()) };
        Some(suggest(&swatch.path, exact, away))
    }

    /// The token for a length in a property.
    pub fn length(&self, purpose: Length, property: &str, pixels: f64) -> Option<Suggestion> {
        let hint = match property {
            property if property.starts_with("padding") => "inset",
            property if property.starts_with("margin") => "stack",
            property if property.contains("gap") => "cluster",
            _ => "",
        };
        let of_purpose = self.lengths.iter().filter(|(kind, _)| *kind == purpose).map(|(_, measure)| measure);
        self.measure(of_purpose, pixels, hint, "px")
    }

    /// The token for a weight or a line height.
    pub fn number(&self, purpose: Number, wanted: f64) -> Option<Suggestion> {
        let of_purpose = self.numbers.iter().filter(|(kind, _)| *kind == purpose).map(|(_, measure)| measure);
        self.measure(of_purpose, wanted, "", "")
    }

    fn measure<'m>(
        &self,
        measures: impl Iterator<Item = &'m Measure>,
        wanted: f64,
        hint: &str,
        unit: &str,
    ) -> Option<Suggestion> {
        let best = measures.min_by(|a, b| {
            let rank = |measure: &Measure| {
                let distance = (measure.pixels - wanted).abs();
                let system = measure.layer != Layer::System;
                (distance, system, hint.is_empty() || !measure.path.contains(hint), measure.path.clone())
            };
            let (a, b) = (rank(a), rank(b));
            a.0.total_cmp(&b.0).then_with(|| (a.1, a.2, a.3).cmp(&(b.1, b.2, b.3)))
        })?;
        let distance = (best.pixels - wanted).abs();
        // A quarter of the value is what scales of design systems differ by from step to step.
        if distance > wanted.abs() / 4.0 {
            return None;
        }
        let exact = distance < 0.01;
        let away =
            if exact { String::new() } else { format!("{}{unit} is near", color::number(best.pixels)) };
        Some(suggest(&best.path, exact, away))
    }

    /// The token for a list of font families: the same list, or one that starts alike.
    pub fn family(&self, text: &str) -> Option<Suggestion> {
        let plain = |text: &str| -> Vec<String> {
            let unquoted = |name: &str| name.trim().trim_matches(['"', '\'']).to_lowercase();
            text.split(',').map(unquoted).filter(|name| !name.is_empty()).collect()
        };
        let wanted = plain(text);
        let same = self.families.iter().find(|(_, css)| plain(css) == wanted);
        let alike = || self.families.iter().find(|(_, css)| plain(css).first() == wanted.first());
        match same {
            Some((path, _)) => Some(suggest(path, true, String::new())),
            None => alike().map(|(path, _)| suggest(path, false, "it starts with the same family".into())),
        }
    }

    /// The token for a shadow written out in full.
    pub fn shadow(&self, text: &str) -> Option<Suggestion> {
        let plain = |text: &str| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        let (path, _) = self.shadows.iter().find(|(_, css)| plain(css) == plain(text))?;
        Some(suggest(path, true, String::new()))
    }
}

fn suggest(path: &str, exact: bool, away: String) -> Suggestion {
    Suggestion { css: format!("var({})", css_name(path)), token: path.to_owned(), exact, away }
}

/// What a property does with a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Surface,
    Border,
    Text,
    Graphic,
    Any,
}

fn role_of(property: &str) -> Role {
    if property.starts_with("background") {
        Role::Surface
    } else if ["border", "outline", "column-rule"].iter().any(|start| property.starts_with(start)) {
        Role::Border
    } else if matches!(property, "color" | "caret-color") || property.starts_with("text-decoration") {
        Role::Text
    } else if matches!(property, "fill" | "stroke") {
        Role::Graphic
    } else {
        Role::Any
    }
}

impl Role {
    /// Whether a token is named for this role.
    fn fits(self, path: &str) -> bool {
        let words: Vec<&str> = path.split('.').collect();
        let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
        let ends = |wanted: &[&str]| words.last().is_some_and(|word| wanted.contains(word));
        match self {
            Role::Surface => {
                has(&["surface", "solid", "scrim"])
                    || has(&["accent"]) && ends(&["default", "hover", "active", "subtle"])
            }
            Role::Border => has(&["border"]),
            Role::Text => has(&["text"]) || ends(&["on", "onSolid"]),
            Role::Graphic => has(&["icon", "text", "viz"]),
            Role::Any => true,
        }
    }
}

/// Pixels of a dimension value; `rem` at the size browsers start with.
fn pixels_of(value: &Value) -> Option<f64> {
    match value {
        Value::Object(object) => pixels(object.get("value")?.as_f64()?, object.get("unit")?.as_str()?),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => {
            let at = text.find(|c: char| c.is_ascii_alphabetic())?;
            pixels(text[..at].trim().parse().ok()?, &text[at..])
        }
        _ => None,
    }
}

/// Pixels of a length, where it can be told without the page.
pub fn pixels(amount: f64, unit: &str) -> Option<f64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "px" => amount,
        "rem" => amount * 16.0,
        "pt" => amount * 4.0 / 3.0,
        "pc" => amount * 16.0,
        "in" => amount * 96.0,
        "cm" => amount * 96.0 / 2.54,
        "mm" => amount * 96.0 / 25.4,
        _ => return None,
    })
}

fn oklab(color: Color) -> [f64; 3] {
    let linear = |channel: u8| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let [r, g, b] = color.rgb.map(linear);
    let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
    let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
    let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
    [
        0.210_454_255_3 * l + 0.793_617_785 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766 * s,
    ]
}

fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{LazyKit, Source};

    #[test]
    fn raw_values_find_the_token_for_their_place() {
        let kit = LazyKit::new(Source::Embedded).get().unwrap();
        let design = Design::new(&kit);
        let set = kit.tokens("A", "light").unwrap();
        let hex = |path: &str| color::parse(&set.resolve(path).unwrap().value).unwrap();
        let text = design.color("color", hex("sys.text.primary")).unwrap();
        assert_eq!((text.token.as_str(), text.exact), ("sys.text.primary", true));
        let surface = design.color("background-color", hex("sys.surface.subtle")).unwrap();
        assert_eq!((surface.token.as_str(), surface.exact), ("sys.surface.subtle", true));
        assert_eq!(design.color("color", Color::opaque([255, 0, 255])), None);
        let padding = design.length(Length::Space, "padding-inline", 16.0).unwrap();
        assert_eq!(padding.css, "var(--oods-sys-space-inset-default)");
        let gap = design.length(Length::Space, "gap", 13.0).unwrap();
        assert_eq!((gap.token.as_str(), gap.exact), ("sys.space.cluster-default", false));
        assert_eq!(design.length(Length::Space, "gap", 700.0), None);
        assert_eq!(design.number(Number::Weight, 600.0).unwrap().token, "ref.font.weight.semibold");
        assert!(design.has_property("--oods-columns") && !design.is_token("--oods-columns"));
        assert_eq!(design.near_properties("--oods-sys-text-primry")[0], "--oods-sys-text-primary");
    }
}
