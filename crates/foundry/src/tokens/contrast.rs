//! Contrast rules over token pairs.

use serde::{Deserialize, Serialize};

use super::TokenSet;
use crate::color::{self, Color};

/// One pair that must be readable.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub id: String,
    pub summary: String,
    pub foreground: String,
    pub background: String,
    pub minimum: f64,
    /// Component families the pair appears in; empty means every screen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub families: Vec<String>,
}

/// What a rule found.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub rule: String,
    pub summary: String,
    pub passed: bool,
    /// Two decimals; `None` when one side is not a measurable colour.
    pub ratio: Option<f64>,
    pub minimum: f64,
    pub foreground: (String, Option<String>),
    pub background: (String, Option<String>),
}

impl Finding {
    /// The WCAG level the minimum stands for.
    pub fn level(&self) -> &'static str {
        if self.minimum >= 4.5 { "AA" } else { "AA (large text/graphics)" }
    }

    pub fn hint(&self) -> String {
        let side = |(token, hex): &(String, Option<String>)| match hex {
            Some(hex) => format!("{token} ({hex})"),
            None => format!("{token} (not a measurable colour)"),
        };
        let ratio = self.ratio.map_or("unmeasurable".into(), |ratio| format!("{ratio:.2}:1"));
        format!(
            "{} on {}: {ratio}, WCAG {} needs {}:1",
            side(&self.foreground),
            side(&self.background),
            self.level(),
            color::number(self.minimum)
        )
    }
}

/// The colour a token ends at.
pub fn color_of(set: &TokenSet, path: &str) -> Option<Color> {
    color::parse(&set.resolve(path).ok()?.value)
}

/// Measures one rule.
pub fn measure(set: &TokenSet, rule: &Rule) -> Finding {
    let foreground = color_of(set, &rule.foreground);
    let background = color_of(set, &rule.background);
    let ratio = foreground.zip(background).map(|(fg, bg)| color::contrast(fg, bg));
    Finding {
        rule: rule.id.clone(),
        summary: rule.summary.clone(),
        // Compare unrounded; the epsilon forgives the last bit of floating point.
        passed: ratio.is_some_and(|ratio| ratio + 1e-9 >= rule.minimum),
        ratio: ratio.map(|ratio| (ratio * 100.0).round() / 100.0),
        minimum: rule.minimum,
        foreground: (rule.foreground.clone(), foreground.map(|color| color.hex())),
        background: (rule.background.clone(), background.map(|color| color.hex())),
    }
}

/// Measures every rule that concerns one of `families`; all rules when `None`.
pub fn evaluate(set: &TokenSet, rules: &[Rule], families: Option<&[&str]>) -> Vec<Finding> {
    rules
        .iter()
        .filter(|rule| match families {
            None => true,
            Some(used) => {
                rule.families.is_empty() || rule.families.iter().any(|family| used.contains(&family.as_str()))
            }
        })
        .map(|rule| measure(set, rule))
        .collect()
}
