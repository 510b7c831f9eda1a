//! Contact sheets: many specimens on one page, one picture of it, and where each of them is.
//!
//! Starting a browser costs more than drawing a hundred components, so they share a page. Each stands in a cell that
//! contains what it draws, at whole pixels, so that a neighbour that grows moves it without changing it.

use std::sync::{Mutex, OnceLock, PoisonError};

use regex::Regex;

use crate::FoundryError;
use crate::browser::{Browser, FONT_FACES, Window};
use crate::kit::Kit;
use crate::picture::Part;
use crate::render::escape;
use crate::specimen::{Kind, Specimen};
use crate::tokens::emit;

/// Four components or two patterns side by side.
const WIDTH: u32 = 1672;
/// Higher pictures are not drawn reliably.
const MAX_HEIGHT: u32 = 8000;
/// Pictures are this high or a multiple: less is drawn when less is needed.
const STEP: u32 = 500;

/// How the cells of a page are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    /// For people: as many columns as fit.
    Flow,
    /// For a picture: packed into four columns.
    Packed,
}

const STYLE: &str = "\
html, body { margin: 0; }\n\
.sheet { display: grid; grid-template-columns: repeat(auto-fill, minmax(402px, 1fr)); gap: 16px; padding: 8px; align-items: start; }\n\
.cell { contain: layout paint style; box-sizing: border-box; padding: 16px; overflow: hidden; }\n\
.cell--pattern { grid-column: 1 / -1; }\n";

const PACKED_STYLE: &str = "\
*, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent !important; }\n\
.sheet { display: block; position: relative; padding: 0; }\n\
.cell { position: absolute; inline-size: 402px; }\n\
.cell--pattern { inline-size: 820px; }\n";

/// Puts each cell below the shortest column, at whole pixels, and writes down where it is.
///
/// The cells come into the page when the fonts are there: a select keeps the width of the font it was first drawn in.
const PACKED_SCRIPT: &str = "\
Promise.all(['Inter', 'SFMono-Regular'].map((font) => document.fonts.load(`16px \"${font}\"`))).then(() => {\n\
  document.querySelector('main').append(document.querySelector('template').content);\n\
  const cells = [...document.querySelectorAll('[data-specimen]')];\n\
  const heights = cells.map((cell) => Math.ceil(cell.getBoundingClientRect().height));\n\
  const ends = [8, 8, 8, 8];\n\
  cells.forEach((cell, i) => {\n\
    const span = cell.classList.contains('cell--pattern') ? 2 : 1;\n\
    const top = (at) => Math.max(...ends.slice(at, at + span));\n\
    let column = 0;\n\
    for (let at = 1; at + span <= ends.length; at += 1) if (top(at) < top(column)) column = at;\n\
    const [x, y] = [8 + column * 418, top(column)];\n\
    for (let at = column; at < column + span; at += 1) ends[at] = y + heights[i] + 16;\n\
    cell.style.cssText = `left:${x}px;top:${y}px;block-size:${heights[i]}px`;\n\
    cell.dataset.box = `${x} ${y} ${span === 2 ? 820 : 402} ${heights[i]}`;\n\
  });\n\
});\n";

/// One picture with specimens on it.
pub struct Sheet {
    pub png: Vec<u8>,
    /// Ids of specimens and where they are.
    pub parts: Vec<(String, Part)>,
}

/// The page of some specimens.
pub fn page<'s>(
    kit: &Kit,
    brand: &str,
    theme: &str,
    specimens: impl IntoIterator<Item = &'s Specimen>,
    arrangement: Arrangement,
) -> String {
    let tokens = kit.tokens(brand, theme).unwrap_or_default();
    let cells: String = specimens
        .into_iter()
        .map(|specimen| {
            let class = match specimen.kind {
                Kind::Component => "cell",
                Kind::Pattern => "cell cell--pattern",
            };
            format!(
                "<section class=\"{class}\" aria-label=\"{}\" data-specimen=\"{}\" data-box=\"\">{}</section>\n",
                escape(&specimen.title),
                escape(&specimen.id),
                specimen.html
            )
        })
        .collect();
    let content = format!("{cells}<script>\n{}</script>\n", kit.behaviour);
    let (style, body) = match arrangement {
        Arrangement::Flow => ("", format!("<main class=\"sheet\">\n{content}</main>\n")),
        Arrangement::Packed => {
            let main = "<main class=\"sheet\"></main>";
            (
                PACKED_STYLE,
                format!("<template>\n{content}</template>\n{main}\n<script>\n{PACKED_SCRIPT}</script>\n"),
            )
        }
    };
    format!(
        "<!doctype html>\n<html lang=\"en\" data-theme=\"{}\" data-brand=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Specimens</title>\n\
         <style>\n{FONT_FACES}{}{}{STYLE}{style}</style>\n</head>\n<body class=\"oods-root\">\n{body}</body>\n</html>\n",
        escape(theme),
        escape(brand),
        emit::css_block(&tokens, ":root"),
        kit.stylesheet(),
    )
}

/// Takes pictures, and remembers how high they had to be: the next theme needs about as much.
#[derive(Default)]
pub struct Camera {
    heights: Mutex<Vec<u32>>,
}

impl Camera {
    /// Takes pictures of all specimens, on as many sheets as they need.
    pub fn shoot(
        &self,
        browser: &Browser,
        kit: &Kit,
        brand: &str,
        theme: &str,
        specimens: &[Specimen],
    ) -> Result<Vec<Sheet>, FoundryError> {
        let mut sheets = Vec::new();
        let mut rest: Vec<&Specimen> = specimens.iter().collect();
        while !rest.is_empty() {
            let window = Window { width: WIDTH, height: self.height(sheets.len()) };
            let html = page(kit, brand, theme, rest.iter().copied(), Arrangement::Packed);
            let opened = browser.open(&html, &[], Some(window))?;
            let mut parts = boxes(&opened.dom);
            if parts.len() != rest.len() {
                return Err(FoundryError::Program {
                    program: "the browser".into(),
                    reason: format!("drew {} of {} specimens", parts.len(), rest.len()),
                    stderr: String::new(),
                });
            }
            let bottom = |part: &Part| (part.y + part.height) as u32;
            self.learn(sheets.len(), parts.iter().map(|(_, part)| bottom(part)).max().unwrap_or(0));
            // What does not fit goes onto the next sheet. One that is too high by itself is cut.
            let fits = |(at, part): (usize, &Part)| {
                bottom(part) <= window.height || at == 0 && window.height == MAX_HEIGHT
            };
            let fitting: Vec<bool> =
                parts.iter().enumerate().map(|(at, (_, part))| fits((at, part))).collect();
            if !fitting.contains(&true) {
                continue;
            }
            let (mut kept, mut left) = (fitting.iter(), fitting.iter());
            parts.retain(|_| kept.next() == Some(&true));
            rest.retain(|_| left.next() == Some(&false));
            let png = opened.picture.expect("a window gives a picture");
            sheets.push(Sheet { png, parts });
        }
        Ok(sheets)
    }

    fn height(&self, sheet: usize) -> u32 {
        let heights = self.heights.lock().unwrap_or_else(PoisonError::into_inner);
        heights.get(sheet).copied().unwrap_or(MAX_HEIGHT)
    }

    fn learn(&self, sheet: usize, needed: u32) {
        // Themes differ a little, by the width of borders.
        let needed = (needed + STEP).div_ceil(STEP).clamp(1, MAX_HEIGHT / STEP) * STEP;
        let mut heights = self.heights.lock().unwrap_or_else(PoisonError::into_inner);
        match heights.get_mut(sheet) {
            Some(known) => *known = needed.max(*known),
            None => heights.push(needed),
        }
    }
}

fn boxes(dom: &str) -> Vec<(String, Part)> {
    static PATTERN: OnceLock<Regex> = OnceLock::new();
    let pattern = PATTERN.get_or_init(|| {
        Regex::new(r#"data-specimen="([^"]+)" data-box="(\d+) (\d+) (\d+) (\d+)""#)
            .expect("the pattern is constant and valid")
    });
    pattern
        .captures_iter(dom)
        .map(|found| {
            let at = |group: usize| found[group].parse().unwrap_or(0);
            (found[1].to_owned(), Part { x: at(2), y: at(3), width: at(4), height: at(5) })
        })
        .collect()
}
