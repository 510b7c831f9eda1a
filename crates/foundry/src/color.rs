//! Colours as far as contrast needs them: parse, convert to 8-bit sRGB, compare.
//!
//! Decisions are made on the quantised value, because that is what a browser paints.

use serde_json::Value;

/// An 8-bit sRGB colour with alpha.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Color {
    pub rgb: [u8; 3],
    pub alpha: f64,
}

impl Color {
    pub fn opaque(rgb: [u8; 3]) -> Color {
        Color { rgb, alpha: 1.0 }
    }

    /// Upper-case hex without alpha, as reports show it.
    pub fn hex(&self) -> String {
        let [r, g, b] = self.rgb;
        format!("#{r:02X}{g:02X}{b:02X}")
    }

    /// The shortest CSS spelling that keeps alpha.
    pub fn css(&self) -> String {
        if self.alpha >= 1.0 {
            return self.hex().to_lowercase();
        }
        let [r, g, b] = self.rgb;
        format!("rgb({r} {g} {b} / {})", number(self.alpha))
    }

    /// Paints this colour over an opaque one.
    pub fn over(&self, below: Color) -> Color {
        let mix = |top: u8, under: u8| {
            (f64::from(top) * self.alpha + f64::from(under) * (1.0 - self.alpha)).round() as u8
        };
        let [r, g, b] = self.rgb;
        let [br, bg, bb] = below.rgb;
        Color::opaque([mix(r, br), mix(g, bg), mix(b, bb)])
    }
}

/// Reads a DTCG colour object or one of the older string forms.
pub fn parse(value: &Value) -> Option<Color> {
    match value {
        Value::String(text) => parse_css(text.trim()),
        Value::Object(object) => {
            let space = object.get("colorSpace")?.as_str()?;
            let parts: Vec<f64> = object
                .get("components")?
                .as_array()?
                .iter()
                .map(|part| if part == "none" { Some(0.0) } else { part.as_f64() })
                .collect::<Option<_>>()?;
            let [a, b, c] = parts.as_slice() else { return None };
            let alpha = object.get("alpha").map_or(Some(1.0), Value::as_f64)?.clamp(0.0, 1.0);
            let rgb = match space {
                "srgb" => [quantise(*a), quantise(*b), quantise(*c)],
                "srgb-linear" => [quantise(gamma(*a)), quantise(gamma(*b)), quantise(gamma(*c))],
                "oklch" => oklch(*a, *b, *c),
                "oklab" => oklab(*a, *b, *c),
                "hsl" => hsl(*a, *b / 100.0, *c / 100.0),
                _ => parse_css(object.get("hex")?.as_str()?)?.rgb,
            };
            Some(Color { rgb, alpha })
        }
        _ => None,
    }
}

fn parse_css(text: &str) -> Option<Color> {
    if let Some(hex) = text.strip_prefix('#') {
        return parse_hex(hex);
    }
    let (name, rest) = text.split_once('(')?;
    let body = rest.strip_suffix(')')?;
    let (body, alpha) = match body.split_once('/') {
        Some((body, alpha)) => (body, unit(alpha.trim(), 1.0)?.clamp(0.0, 1.0)),
        None => (body, 1.0),
    };
    let parts: Vec<&str> = body.split([' ', ',']).filter(|part| !part.is_empty()).collect();
    let (first, second, third) = (*parts.first()?, *parts.get(1)?, *parts.get(2)?);
    let alpha = match parts.get(3) {
        Some(fourth) => unit(fourth, 1.0)?.clamp(0.0, 1.0),
        None => alpha,
    };
    let rgb = match name.trim() {
        "rgb" | "rgba" => {
            let channel = |part| unit(part, 255.0).map(|value| quantise(value / 255.0));
            [channel(first)?, channel(second)?, channel(third)?]
        }
        "oklch" => oklch(unit(first, 1.0)?, unit(second, 0.4)?, degrees(third)?),
        "hsl" | "hsla" => hsl(degrees(first)?, unit(second, 1.0)?, unit(third, 1.0)?),
        _ => return None,
    };
    Some(Color { rgb, alpha })
}

fn parse_hex(hex: &str) -> Option<Color> {
    if !hex.is_ascii() {
        return None;
    }
    let wide: String = match hex.len() {
        3 | 4 => hex.chars().flat_map(|digit| [digit, digit]).collect(),
        6 | 8 => hex.to_owned(),
        _ => return None,
    };
    let byte = |at: usize| u8::from_str_radix(wide.get(at..at + 2)?, 16).ok();
    let alpha = if wide.len() == 8 { f64::from(byte(6)?) / 255.0 } else { 1.0 };
    Some(Color { rgb: [byte(0)?, byte(2)?, byte(4)?], alpha })
}

/// A number or a percentage of `whole`.
fn unit(text: &str, whole: f64) -> Option<f64> {
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.parse::<f64>().ok()? / 100.0 * whole,
        None => text.parse().ok()?,
    };
    value.is_finite().then_some(value)
}

fn degrees(text: &str) -> Option<f64> {
    unit(text.strip_suffix("deg").unwrap_or(text), 360.0)
}

fn oklch(lightness: f64, chroma: f64, hue: f64) -> [u8; 3] {
    let hue = hue.to_radians();
    oklab(lightness, chroma * hue.cos(), chroma * hue.sin())
}

fn oklab(lightness: f64, a: f64, b: f64) -> [u8; 3] {
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548 * b).powi(3);
    [
        quantise(gamma(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s)),
        quantise(gamma(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s)),
        quantise(gamma(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701 * s)),
    ]
}

fn hsl(hue: f64, saturation: f64, lightness: f64) -> [u8; 3] {
    let amplitude = saturation * lightness.min(1.0 - lightness);
    let channel = |offset: f64| {
        let k = (offset + hue / 30.0).rem_euclid(12.0);
        quantise(lightness - amplitude * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0))
    };
    [channel(0.0), channel(8.0), channel(4.0)]
}

/// Linear light to sRGB; out-of-gamut values are clipped by `quantise`.
fn gamma(linear: f64) -> f64 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

fn quantise(value: f64) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

fn luminance(color: Color) -> f64 {
    let [r, g, b] = color.rgb.map(|channel| {
        let value = f64::from(channel) / 255.0;
        // WCAG 2 prints this knee; sRGB's own is 0.04045, and no 8-bit value lies between the two.
        if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// The WCAG contrast ratio of two colours; the foreground may be translucent.
pub fn contrast(foreground: Color, background: Color) -> f64 {
    let (a, b) = (luminance(foreground.over(background)), luminance(background));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// A number as JavaScript would print it, rounded to four decimals.
pub fn number(value: f64) -> String {
    let rounded = (value * 10_000.0).round() / 10_000.0;
    if rounded == 0.0 { "0".into() } else { format!("{rounded}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(value: Value, hex: &str) {
        assert_eq!(parse(&value).unwrap().hex(), hex, "{value}");
    }

    #[test]
    fn new_and_old_spellings_agree() {
        check(json!("#abc"), "#AABBCC");
        check(json!("rgb(255 0 128 / 50%)"), "#FF0080");
        check(json!({"colorSpace": "srgb", "components": [1, 0, 0.5019]}), "#FF0080");
        check(json!("oklch(0.62796 0.25768 29.234)"), "#FF0000");
        check(json!({"colorSpace": "oklch", "components": [1, 0, 0]}), "#FFFFFF");
        check(json!("hsl(120deg 100% 25%)"), "#008000");
        assert_eq!(parse(&json!("#12345")), None);
        assert_eq!(parse(&json!("#ééé")), None);
        assert_eq!(parse(&json!("tomato(1 2 3)")), None);
    }

    #[test]
    fn contrast_matches_published_figures() {
        let ratio = |a: &str, b: &str| contrast(parse(&json!(a)).unwrap(), parse(&json!(b)).unwrap());
        assert_eq!(number(ratio("#000", "#fff")), "21");
        for (fg, bg, expected) in [
            ("#2D313A", "#FCFCFD", 12.71),
            ("#E9E4D6", "#230900", 14.89),
            ("#979CA9", "#FCFCFD", 2.68),
            ("#B6892B", "#FFF8E5", 3.00),
            ("#D94747", "#FFF0F1", 3.84),
        ] {
            assert!((ratio(fg, bg) - expected).abs() < 0.005, "{fg} on {bg}: {}", ratio(fg, bg));
        }
    }
}
