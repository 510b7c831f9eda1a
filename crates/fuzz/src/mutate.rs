//! Damaging inputs.

use crate::Chance;

/// Numbers and bytes at which programs turn.
const EDGES: &[&str] = &[
    "0",
    "-1",
    "1e999",
    "9223372036854775808",
    "18446744073709551616",
    "\0",
    "\u{feff}",
    "\u{202e}",
    "\u{1f600}",
    "\r\n",
    "\\u0000",
    "\\ud800",
    "\"",
    "\\",
];
/// How deep a piece is nested at most by repeating it.
const MAX_REPEATS: usize = 3_000;

/// Makes an input of the good ones: up to eight changes, each small or wild.
pub fn mutate(chance: &mut Chance, corpus: &[&[u8]], words: &[&str], max_bytes: usize) -> Vec<u8> {
    let mut input = chance.pick(corpus).map(|good| good.to_vec()).unwrap_or_default();
    for _ in 0..=chance.below(8) {
        change(chance, &mut input, corpus, words);
        input.truncate(max_bytes);
    }
    input
}

fn change(chance: &mut Chance, input: &mut Vec<u8>, corpus: &[&[u8]], words: &[&str]) {
    let at = chance.below(input.len() + 1);
    let range = |chance: &mut Chance, len: usize| {
        let from = chance.below(len + 1);
        let longest = (len - from).min(1 << chance.below(10));
        from..from + chance.below(longest + 1)
    };
    match chance.below(9) {
        0 if at < input.len() => input[at] ^= 1 << chance.below(8),
        1 if at < input.len() => input[at] = chance.number() as u8,
        2 => {
            let gone = range(chance, input.len());
            input.drain(gone);
        }
        3 => {
            let copied = input[range(chance, input.len())].to_vec();
            input.splice(at..at, copied);
        }
        4 | 5 => {
            let word = chance.pick(words).copied().unwrap_or_default();
            input.splice(at..at, word.bytes());
        }
        6 => {
            let edge = chance.pick(EDGES).copied().unwrap_or_default();
            input.splice(at..at, edge.bytes());
        }
        // The same piece many times over: depth, length, repetition.
        7 => {
            let word = chance.pick(words).copied().unwrap_or("[");
            let times = 1 + chance.below(MAX_REPEATS);
            input.splice(at..at, word.repeat(times).bytes());
        }
        _ => {
            let other = chance.pick(corpus).copied().unwrap_or_default();
            let taken = other[range(chance, other.len())].to_vec();
            let replaced = at..at + chance.below(input.len() - at + 1);
            input.splice(replaced, taken);
        }
    }
}
