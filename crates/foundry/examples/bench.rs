//! Times validate and render, code generation and token builds over trees of growing size.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use mainstay_foundry::codegen::{Framework, generate};
use mainstay_foundry::kit::LazyKit;
use mainstay_foundry::render::{Styling, document};
use mainstay_foundry::tokens::emit;
use mainstay_foundry::tree::Tree;
use mainstay_foundry::{FoundryConfig, validate};
use serde_json::{Value, json};

/// A page of cards, each with text, a badge, a field and a button, nested six levels deep.
fn tree(nodes: usize) -> Value {
    let cards: Vec<Value> = (0..nodes / 8)
        .map(|n| {
            json!({ "id": format!("card{n}"), "component": "Card", "props": { "title": format!("Card {n}") }, "children": [
                { "id": format!("stack{n}"), "component": "Stack", "layout": { "type": "stack", "gapToken": "stack-default" }, "children": [
                    { "id": format!("text{n}"), "component": "Text", "props": { "content": "Renews on the first & third" } },
                    { "id": format!("badge{n}"), "component": "StatusBadge", "props": { "status": "active" } },
                    { "id": format!("row{n}"), "component": "Stack", "layout": { "type": "inline" }, "children": [
                        { "id": format!("field{n}"), "component": "Input", "props": { "label": "Seats", "value": n } },
                        { "id": format!("save{n}"), "component": "Button", "props": { "label": "Save" }, "bindings": { "onClick": "save" } },
                        { "id": format!("more{n}"), "component": "Link", "props": { "label": "More", "href": "/more" } } ] } ] } ] })
        })
        .collect();
    json!({ "version": "2026.02", "screens": [{ "id": "screen", "component": "Stack", "children": cards }] })
}

/// Time this thread has spent on a processor: other work on the machine does not count. Linux only.
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split_whitespace().next().unwrap().parse().unwrap())
}

/// The clock is exact to a tick of some milliseconds, so short work is repeated until it lasts.
fn median(runs: usize, mut work: impl FnMut()) -> Duration {
    let start = Instant::now();
    work();
    let batch = (Duration::from_millis(200).as_secs_f64() / start.elapsed().as_secs_f64()).ceil() as u32;
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = cpu_time();
            (0..batch).for_each(|_| work());
            (cpu_time() - start) / batch
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn main() {
    let ms = |time: Duration| format!("{:.2}", time.as_secs_f64() * 1e3);
    println!("| what | nodes | median CPU ms | µs a node |\n|---|---|---|---|");
    let construct = median(7, || drop(black_box(mainstay_foundry::tools(FoundryConfig::default()).unwrap())));
    println!("| construct the tools | | {} | |", ms(construct));
    let parse = median(7, || drop(black_box(LazyKit::new(Default::default()).get().unwrap())));
    println!("| parse the kit, once a process | | {} | |", ms(parse));
    let kit = LazyKit::new(Default::default()).get().unwrap();
    for nodes in [500, 5_000, 50_000] {
        let json = tree(nodes);
        let runs = 7;
        let count = Tree::read(&json).unwrap().nodes.len();
        let row = |what: &str, time: Duration| {
            println!("| {what} | {count} | {} | {:.2} |", ms(time), time.as_secs_f64() * 1e6 / count as f64);
        };
        row(
            "validate and render",
            median(runs, || {
                let tree = Tree::read(&json).unwrap();
                black_box(validate::check(&kit, &tree, true));
                black_box(document(&kit, &tree, "A", Styling::Tokens));
            }),
        );
        row(
            "code.generate react",
            median(runs, || {
                let tree = Tree::read(&json).unwrap();
                black_box(generate(&kit, &tree, Framework::React, true, Styling::Tokens));
            }),
        );
    }
    let themes = kit.themes_of("A", "dark");
    let others: Vec<_> = themes[1..].iter().map(|(theme, set)| (*theme, set.as_ref())).collect();
    let build = median(7, || drop(black_box(emit::files(&themes[0].1, "A", "dark", &others))));
    println!("| tokens.build, {} tokens, 3 themes | | {} | |", themes[0].1.len(), ms(build));
}
