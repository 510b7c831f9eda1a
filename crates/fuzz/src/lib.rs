//! Fuzzing on stable, as ordinary tests: good inputs are damaged by chance, and nothing may panic or hang.
//!
//! A run is short in the test command; `MAINSTAY_FUZZ_SECONDS=600` makes it long. Chance comes from a seed that a
//! failure names, with the number of the input: `MAINSTAY_FUZZ_SEED` repeats it. In long runs the input under test is
//! kept in `target/fuzz`, so that even an abort leaves it behind.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod chance;
mod mutate;

use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub use chance::Chance;
pub use mutate::mutate;

/// How long one target is tried in the test command.
const SHORT: Duration = Duration::from_millis(1_500);
/// No input of this size may take longer, on a slow machine that does other things too.
const PATIENCE: Duration = Duration::from_secs(30);
/// The largest input that is made.
const MAX_BYTES: usize = 64 * 1024;

/// What is known about a target.
pub struct Target<'a> {
    pub name: &'a str,
    /// Good inputs, from which bad ones are made.
    pub corpus: &'a [&'a [u8]],
    /// Pieces the reader looks for, so that chance gets past the first byte.
    pub words: &'a [&'a str],
}

/// Tries a target with damaged inputs until its time is over; panics with what repeats a failure.
pub fn run(target: &Target, mut work: impl FnMut(&[u8])) {
    let seconds = std::env::var("MAINSTAY_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let given = std::env::var("MAINSTAY_FUZZ_SEED").ok().and_then(|text| text.parse().ok());
    let seed = given.unwrap_or_else(|| if seconds.is_some() { chance::from_clock() } else { 1 });
    let place = seconds.map(|_| keep_place(target.name));
    let mut left_behind = place.as_ref().and_then(|path| std::fs::File::create(path).ok());
    let time = seconds.map_or(SHORT, Duration::from_secs);
    let (began, mut chance) = (Instant::now(), Chance::new(seed));
    let mut count = 0_u64;
    while began.elapsed() < time || count < 50 {
        let input = match usize::try_from(count).ok().and_then(|at| target.corpus.get(at)) {
            Some(good) => good.to_vec(),
            None => mutate(&mut chance, target.corpus, target.words, MAX_BYTES),
        };
        if let Some(file) = &mut left_behind {
            // What cannot be kept is no reason not to try it.
            let _ = keep(file, &input);
        }
        let started = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| work(&input)));
        let repeat = || {
            let text = String::from_utf8_lossy(&input[..input.len().min(2_000)]).into_owned();
            format!("{}: seed {seed}, input {count}, {} bytes: {text:?}", target.name, input.len())
        };
        if let Err(panic) = result {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
            panic!("{said}\n{}", repeat());
        }
        assert!(started.elapsed() < PATIENCE, "took {:?}\n{}", started.elapsed(), repeat());
        count += 1;
    }
    if let Some(path) = place {
        let _ = std::fs::write(path.with_extension("count"), format!("{count} inputs, seed {seed}\n"));
    }
}

/// Where the input under test lies.
fn keep_place(name: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let dir = target.join("fuzz");
    let _ = std::fs::create_dir_all(&dir);
    dir.join(format!("{name}.input"))
}

/// Puts the input into the one open file: a file made anew for each would wait for the disk, and most of the time with it.
fn keep(file: &mut std::fs::File, input: &[u8]) -> std::io::Result<()> {
    file.rewind()?;
    file.write_all(input)?;
    file.set_len(input.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_its_seed_and_its_input() {
        let target = Target { name: "sevens", corpus: &[b"0123456"], words: &["7"] };
        let failed = catch_unwind(|| run(&target, |input| assert!(!input.contains(&b'7'), "a seven")));
        let said = failed.unwrap_err().downcast::<String>().unwrap();
        assert!(said.starts_with("a seven\nsevens: seed "), "{said}");
    }

    #[test]
    fn inputs_are_bounded_and_differ() {
        let mut chance = Chance::new(7);
        let made: std::collections::BTreeSet<Vec<u8>> =
            (0..500).map(|_| mutate(&mut chance, &[b"{\"a\":[1,2]}"], &["[", "null"], 200)).collect();
        assert!(made.len() > 300, "{}", made.len());
        assert!(made.iter().all(|input| input.len() <= 200));
    }
}
