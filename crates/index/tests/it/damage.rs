//! Damaged, cut, older and newer index files are noticed; no bytes make a reader panic.

use crate::site::{Site, ask, program};
use mainstay_index::{Index, IndexError, Options, Query};
use std::fs;
use std::path::PathBuf;

fn built() -> Site {
    let site = Site::new();
    for number in 0..25 {
        site.write(&format!("src/file{number}.rs"), program(number));
    }
    site.build();
    site
}

fn files(site: &Site, prefix: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(site.store()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(prefix)).collect();
    files.sort();
    files
}

/// Everything a reader can be asked; only its errors are of interest.
fn use_it(site: &Site) -> Result<(), IndexError> {
    let index = Index::open(&site.repo(), &site.store())?;
    index.status();
    index.refresh()?;
    for query in
        ["session", "how is a cache opened", "\"let value\"", "/open_\\w+/", "sym:open_session_0", "-token"]
    {
        index.search(&Query::parse(query).unwrap(), &Options { explain: true, ..Options::default() })?;
    }
    index.verify()
}

#[test]
fn no_flipped_byte_goes_unnoticed_or_panics() {
    let site = built();
    for file in files(&site, "generation-").into_iter().chain(files(&site, "segment-")) {
        let good = fs::read(&file).unwrap();
        let step = (good.len() / 150).max(1);
        for at in (0..good.len()).step_by(step) {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            fs::write(&file, &bad).unwrap();
            match use_it(&site) {
                Err(error) => assert!(error.wants_rebuild(), "{}: byte {at}: {error}", file.display()),
                Ok(()) => panic!("{}: byte {at} was believed", file.display()),
            }
        }
        fs::write(&file, good).unwrap();
    }
    use_it(&site).unwrap();
}

#[test]
fn cut_files_are_noticed() {
    let site = built();
    for file in files(&site, "generation-").into_iter().chain(files(&site, "segment-")) {
        let good = fs::read(&file).unwrap();
        for length in (0..good.len()).step_by(good.len() / 50 + 1) {
            fs::write(&file, &good[..length]).unwrap();
            assert!(
                use_it(&site).is_err_and(|error| error.wants_rebuild()),
                "{} cut to {length}",
                file.display()
            );
        }
        fs::write(&file, good).unwrap();
    }
}

#[test]
fn another_version_is_named_as_such() {
    let site = built();
    let file = &files(&site, "generation-")[0];
    let mut bytes = fs::read(file).unwrap();
    bytes[8] = 77;
    fs::write(file, bytes).unwrap();
    assert!(matches!(Index::open(&site.repo(), &site.store()), Err(IndexError::Version { found: 77, .. })));
    // A build replaces it.
    site.build();
    use_it(&site).unwrap();
}

#[test]
fn the_generation_before_answers_when_the_current_one_is_damaged() {
    let site = built();
    site.write("src/new.rs", "pub fn brand_new() {}");
    site.build();
    assert_eq!(ask(&site.open(), "brand_new").total, 1);
    let generations = files(&site, "generation-");
    assert_eq!(generations.len(), 2);
    fs::write(&generations[1], b"rubbish").unwrap();
    let index = site.open();
    assert_eq!(index.status().fallback_from.as_deref(), Some("generation-00000002"));
    assert_eq!(ask(&index, "brand_new").total, 0);
    index.refresh().unwrap();
    assert_eq!(ask(&index, "brand_new").total, 1, "the new file is searched directly");
}

#[test]
fn rubbish_in_the_store_is_no_obstacle() {
    let site = built();
    fs::write(site.store().join("segment-0000"), b"not a segment").unwrap();
    fs::write(site.store().join(".writing-left-over"), b"half").unwrap();
    fs::write(site.store().join("current"), b"../../etc/passwd").unwrap();
    use_it(&site).unwrap();
    site.build();
    assert!(!site.store().join(".writing-left-over").exists());
    assert!(!site.store().join("segment-0000").exists());
    use_it(&site).unwrap();
}

/// A number that looks random and is the same in every run.
fn mixed(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state as usize
}

#[test]
fn damage_that_its_checksums_vouch_for_does_not_panic() {
    let site = built();
    let mut state = 0x9E37_79B9_7F4A_7C15;
    for file in files(&site, "generation-").into_iter().chain(files(&site, "segment-")) {
        let good = fs::read(&file).unwrap();
        for round in 0..60 {
            let mut bad = good.clone();
            for _ in 0..1 + round % 4 {
                // The tables at the front steer everything, so half of the damage is there.
                let within = if round % 2 == 0 { bad.len().min(2_000) } else { bad.len() };
                let at = 40 + mixed(&mut state) % (within - 40);
                bad[at] = [0, 0xFF, 0x80, mixed(&mut state) as u8][mixed(&mut state) % 4];
            }
            fs::write(&file, mainstay_index::signed(bad)).unwrap();
            let _ = use_it(&site);
        }
        // The lists at the end name files and chunks by number.
        for at in (good.len().saturating_sub(700).max(40)..good.len()).step_by(5) {
            let mut bad = good.clone();
            bad[at] = 0x7F;
            fs::write(&file, mainstay_index::signed(bad)).unwrap();
            let _ = use_it(&site);
        }
        fs::write(&file, good).unwrap();
    }
    use_it(&site).unwrap();
}
