//! An outline that fits a number of tokens: the most central definitions, by file, in the order of the text.

use std::collections::BTreeMap;

use mainstay_index::relations::{Relations, SymbolId, Texts};

/// More definitions than this fit no budget we take.
const MAX_SYMBOLS: usize = 6_000;

/// The outline, and how much of the repository is in it.
pub struct Outline {
    pub text: String,
    pub tokens: usize,
    pub files: usize,
    pub symbols: usize,
}

/// Takes as many of the ranked definitions as fit.
pub fn fit(
    relations: &Relations,
    ranked: &[(SymbolId, f32)],
    budget: usize,
    count: &dyn Fn(&str) -> usize,
) -> Outline {
    let mut texts = Texts::default();
    let mut signatures: BTreeMap<SymbolId, String> = BTreeMap::new();
    let mut draw = |number: usize| {
        let text = draw(relations, &mut texts, &mut signatures, &ranked[..number]);
        let tokens = count(&text);
        (text, tokens)
    };
    // A line takes some seven tokens at least.
    let (mut low, mut high) = (0, ranked.len().min(MAX_SYMBOLS).min(budget / 5 + 1));
    let mut best = (String::new(), 0, 0);
    while low < high {
        let middle = (low + high).div_ceil(2);
        let (text, tokens) = draw(middle);
        if tokens <= budget {
            (low, best) = (middle, (text, tokens, middle));
        } else {
            high = middle - 1;
        }
    }
    let files = best.0.lines().filter(|line| !line.starts_with(' ')).count();
    Outline { text: best.0, tokens: best.1, files, symbols: best.2 }
}

fn draw(
    relations: &Relations,
    texts: &mut Texts,
    signatures: &mut BTreeMap<SymbolId, String>,
    chosen: &[(SymbolId, f32)],
) -> String {
    let mut files: BTreeMap<String, (f32, Vec<SymbolId>)> = BTreeMap::new();
    for (id, rank) in chosen {
        let entry = files.entry(relations.symbol(*id).path).or_default();
        entry.0 += rank;
        entry.1.push(*id);
    }
    let mut order: Vec<(String, (f32, Vec<SymbolId>))> = files.into_iter().collect();
    order.sort_by(|left, right| right.1.0.total_cmp(&left.1.0).then(left.0.cmp(&right.0)));
    let mut out = String::new();
    for (path, (_, mut ids)) in order {
        ids.sort_unstable();
        out.push_str(&path);
        out.push('\n');
        for id in ids {
            let symbol = relations.symbol(id);
            let depth = symbol.name.matches('.').count().min(4);
            let signature = signatures.entry(id).or_insert_with(|| relations.signature(texts, id));
            let shown = if signature.is_empty() { &symbol.name } else { &*signature };
            out.push_str(&format!("  {:>4} {}{shown}\n", symbol.lines.0, "  ".repeat(depth)));
        }
    }
    out
}
