//! Small charts as SVG. Numbers only; labels are escaped text.

use std::fmt::Write;

use serde_json::Value;

use super::functions::text;
use super::html::escape;
use super::template::ChartKind;
use crate::color::number;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 40.0;
const BOTTOM: f64 = 24.0;
const TOP: f64 = 10.0;
/// More marks than this cannot be told apart at this size.
const MAX_POINTS: usize = 200;

struct Point {
    x: Option<f64>,
    y: f64,
    label: String,
}

fn points(data: &Value) -> Vec<Point> {
    let items = data.as_array().map(Vec::as_slice).unwrap_or_default();
    let point = |item: &Value| {
        let y = item.as_f64().or_else(|| ["value", "y"].iter().find_map(|key| item.get(key)?.as_f64()))?;
        let label = ["label", "name", "x"].iter().find_map(|key| item.get(key)).map(text).unwrap_or_default();
        Some(Point { x: item.get("x").and_then(Value::as_f64), y, label })
    };
    items.iter().filter_map(point).take(MAX_POINTS).collect()
}

/// The picture with a name that says what the numbers are.
pub fn svg(kind: ChartKind, data: &Value, title: Option<&str>) -> String {
    if kind == ChartKind::Heatmap {
        return heatmap(data, title);
    }
    let points = points(data);
    let summary: Vec<String> = points
        .iter()
        .take(12)
        .map(|point| format!("{} {}", point.label, number(point.y)).trim().to_owned())
        .collect();
    let mut out = open(title, &summary.join(", "));
    let top = points.iter().map(|point| point.y).fold(0.0_f64, f64::max);
    let low = points.iter().map(|point| point.y).fold(0.0_f64, f64::min);
    let Axis { low, top, step: unit } = axis(low, top);
    let span = top - low;
    let y_at = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - (value - low) / span);
    // Numbers at the end of what a float can hold have no sound axis; they still get an end.
    for step in 0..=(span / unit).round().min(10.0) as u32 {
        let value = low + unit * f64::from(step);
        let y = number(y_at(value));
        let class = if step == 0 { "axis" } else { "grid" };
        let _ =
            write!(out, "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{y}\" y2=\"{y}\"></line>");
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            number(y_at(value) + 4.0),
            tick(value)
        );
    }
    let step = (WIDTH - LEFT) / points.len().max(1) as f64;
    let x_range = points.iter().filter_map(|point| point.x);
    let (x_low, x_top) =
        x_range.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, top), x| (low.min(x), top.max(x)));
    let x_at = |index: usize, point: &Point| match point.x {
        Some(x) if kind == ChartKind::Scatter && x_top > x_low => {
            LEFT + 16.0 + (WIDTH - LEFT - 32.0) * (x - x_low) / (x_top - x_low)
        }
        _ => LEFT + step * (index as f64 + 0.5),
    };
    let path: Vec<String> = points
        .iter()
        .enumerate()
        .map(|(index, point)| format!("{},{}", number(x_at(index, point)), number(y_at(point.y))))
        .collect();
    match kind {
        ChartKind::Bar => {
            for (index, point) in points.iter().enumerate() {
                let (x, width) = (number(x_at(index, point) - step * 0.32), number(step * 0.64));
                let (y, base) = (y_at(point.y.max(0.0)), y_at(point.y.min(0.0)));
                let _ = write!(
                    out,
                    "<rect class=\"mark\" x=\"{x}\" y=\"{}\" width=\"{width}\" height=\"{}\" rx=\"3\"></rect>",
                    number(y),
                    number(base - y)
                );
            }
        }
        ChartKind::Area if !points.is_empty() => {
            let (first, last) = (x_at(0, &points[0]), x_at(points.len() - 1, &points[points.len() - 1]));
            let floor = number(y_at(low.max(0.0)));
            let _ = write!(
                out,
                "<polygon class=\"area\" points=\"{},{floor} {} {},{floor}\"></polygon>",
                number(first),
                path.join(" "),
                number(last)
            );
            let _ = write!(out, "<polyline class=\"line\" points=\"{}\"></polyline>", path.join(" "));
        }
        ChartKind::Line => {
            let _ = write!(out, "<polyline class=\"line\" points=\"{}\"></polyline>", path.join(" "));
        }
        _ => {}
    }
    if matches!(kind, ChartKind::Point | ChartKind::Scatter | ChartKind::Line) {
        for (index, point) in points.iter().enumerate() {
            let _ = write!(
                out,
                "<circle class=\"mark\" cx=\"{}\" cy=\"{}\" r=\"4\"></circle>",
                number(x_at(index, point)),
                number(y_at(point.y))
            );
        }
    }
    let every = points.len().div_ceil(12).max(1);
    for (index, point) in points.iter().enumerate().filter(|(index, _)| index % every == 0) {
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            number(x_at(index, point)),
            HEIGHT - 6.0,
            escape(&point.label)
        );
    }
    out.push_str("</svg>");
    out
}

fn open(title: Option<&str>, summary: &str) -> String {
    let name = match title {
        Some(title) if !title.is_empty() => format!("{title}: {summary}"),
        _ => format!("Chart: {summary}"),
    };
    format!(
        "<svg class=\"oods-chart__svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
        escape(&name)
    )
}

struct Axis {
    low: f64,
    top: f64,
    step: f64,
}

/// Lines at round numbers, two to five of them, that hold every value.
fn axis(low: f64, top: f64) -> Axis {
    let span = if top > low { top - low } else { 1.0 };
    let rough = span / 3.0;
    let power = 10.0_f64.powi(rough.log10().floor() as i32);
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|nice| nice * power >= rough).unwrap_or(10.0) * power;
    Axis { low: (low / step).floor() * step, top: ((low + span) / step).ceil() * step, step }
}

fn tick(value: f64) -> String {
    if value.abs() >= 1000.0 {
        format!("{}k", number((value / 100.0).round() / 10.0))
    } else {
        number((value * 10.0).round() / 10.0)
    }
}

fn heatmap(data: &Value, title: Option<&str>) -> String {
    let items = data.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut rows: Vec<String> = Vec::new();
    let mut columns: Vec<String> = Vec::new();
    let mut cells = Vec::new();
    for item in items.iter().take(MAX_POINTS) {
        let Some(value) = item.get("value").and_then(Value::as_f64) else { continue };
        let place = |list: &mut Vec<String>, keys: [&str; 2]| {
            let name = keys.iter().find_map(|key| item.get(key)).map(text).unwrap_or_default();
            list.iter().position(|known| *known == name).unwrap_or_else(|| {
                list.push(name);
                list.len() - 1
            })
        };
        cells.push((place(&mut rows, ["row", "y"]), place(&mut columns, ["column", "x"]), value));
    }
    let top = cells.iter().map(|cell| cell.2).fold(f64::MIN_POSITIVE, f64::max);
    let (left, width) = (72.0, (WIDTH - 72.0) / columns.len().max(1) as f64);
    let height = (HEIGHT - BOTTOM) / rows.len().max(1) as f64;
    let summary: Vec<String> = cells
        .iter()
        .take(12)
        .map(|(row, column, value)| format!("{} {} {}", rows[*row], columns[*column], number(*value)))
        .collect();
    let mut out = open(title, &summary.join(", "));
    for (row, column, value) in &cells {
        let _ = write!(
            out,
            "<rect class=\"mark\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" opacity=\"{}\"></rect>",
            number(left + width * *column as f64 + 1.0),
            number(height * *row as f64 + 1.0),
            number((width - 2.0).max(1.0)),
            number((height - 2.0).max(1.0)),
            number(0.15 + 0.85 * (value / top).clamp(0.0, 1.0))
        );
    }
    for (index, row) in rows.iter().enumerate() {
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            number(height * (index as f64 + 0.5) + 4.0),
            escape(row)
        );
    }
    for (index, column) in columns.iter().enumerate() {
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            number(left + width * (index as f64 + 0.5)),
            HEIGHT - 6.0,
            escape(column)
        );
    }
    out.push_str("</svg>");
    out
}
