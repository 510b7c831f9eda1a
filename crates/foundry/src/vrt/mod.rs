//! Visual regression: pictures of every specimen against the pictures of an earlier run.

mod baseline;
mod report;

pub use baseline::{Baseline, Reader};
pub use report::{SCRIPT, changes, files, summary};

use mainstay_contract::{Call, Progress};

use crate::browser::Browser;
use crate::kit::Kit;
use crate::picture::{self, Difference, Picture};
use crate::sheet::{Camera, Sheet};
use crate::{FoundryError, exec, specimen};

/// What to look at.
pub struct Scope<'a> {
    pub brands: Vec<&'a str>,
    pub themes: Vec<&'a str>,
    /// Ids of specimens; all of them when empty.
    pub only: Vec<String>,
}

impl Scope<'_> {
    fn wants(&self, id: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|wanted| wanted == id)
    }

    /// Whether a picture of an earlier run belongs to what is looked at.
    pub fn covers(&self, key: &Key) -> bool {
        self.brands.contains(&key.brand.as_str())
            && self.themes.contains(&key.theme.as_str())
            && self.wants(&key.id)
    }
}

/// Which picture.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub brand: String,
    pub theme: String,
    pub id: String,
}

impl Key {
    /// As part of a file name; ids are names of components and patterns, which a kit of somebody may spell oddly.
    pub fn file_name(&self) -> String {
        let plain = |text: &str| -> String {
            text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
        };
        format!("{}-{}-{}", plain(&self.brand), plain(&self.theme), plain(&self.id))
    }
}

/// One specimen and what became of it.
pub enum Verdict {
    Same,
    Changed {
        before: Picture,
        after: Picture,
        difference: Difference,
    },
    /// There was no picture of it.
    Added {
        after: Picture,
    },
    /// There is no specimen any more.
    Removed {
        before: Picture,
    },
}

/// A run of the comparison.
pub struct Outcome {
    /// The pictures of this run.
    pub current: Baseline,
    /// Where the pictures it was compared with are, relative to the root; `None` on a first run.
    pub compared_with: Option<String>,
    pub verdicts: Vec<(Key, Verdict)>,
    pub notes: Vec<String>,
}

impl Outcome {
    pub fn count(&self, wanted: impl Fn(&Verdict) -> bool) -> usize {
        self.verdicts.iter().filter(|(_, verdict)| wanted(verdict)).count()
    }

    pub fn is_clean(&self) -> bool {
        self.verdicts.iter().all(|(_, verdict)| matches!(verdict, Verdict::Same))
    }
}

/// Browsers at once: a page keeps about one core busy.
const AT_ONCE: usize = 2;

/// Takes the pictures of what is looked at.
pub fn shoot(browser: &Browser, call: &Call, kit: &Kit, scope: &Scope) -> Result<Baseline, FoundryError> {
    let mut current = Baseline::new(browser.version()?, kit);
    let camera = Camera::default();
    let groups: Vec<(&str, &str)> = scope
        .brands
        .iter()
        .flat_map(|brand| scope.themes.iter().map(move |theme| (*brand, *theme)))
        .collect();
    // The first group is alone: it teaches the camera how high the pictures of the others are.
    let (first, others) = groups.split_at(groups.len().min(1));
    for some in first.chunks(1).chain(others.chunks(AT_ONCE)) {
        exec::check(call)?;
        let (brand, theme) = some[0];
        call.report(Progress {
            phase: "pictures".into(),
            message: format!("brand {brand}, theme {theme}"),
            done: Some(current.groups() as u64),
            total: Some(groups.len() as u64),
            ..Progress::default()
        });
        let shoot = |(brand, theme): &(&str, &str)| {
            let specimens = specimen::draw(kit, brand, theme, |id| scope.wants(id));
            camera.shoot(browser, kit, brand, theme, &specimens)
        };
        let shoot = &shoot;
        let shot: Vec<Result<Vec<Sheet>, FoundryError>> = std::thread::scope(|threads| {
            let running: Vec<_> = some.iter().map(|group| threads.spawn(move || shoot(group))).collect();
            let joined = running.into_iter().map(|one| one.join());
            joined.map(|one| one.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        for ((brand, theme), sheets) in some.iter().zip(shot) {
            current.add(brand, theme, sheets?);
        }
    }
    Ok(current)
}

/// Compares pictures with earlier ones, which stand at a place.
pub fn judge(
    browser: &Browser,
    call: &Call,
    kit: &Kit,
    scope: &Scope,
    current: Baseline,
    earlier: Option<(String, &Baseline)>,
    threshold: f64,
) -> Result<Outcome, FoundryError> {
    let mut notes = Vec::new();
    let Some((place, earlier)) = earlier else {
        let verdicts = current.keys().map(|key| (key, Verdict::Same)).collect();
        return Ok(Outcome { current, compared_with: None, verdicts, notes });
    };
    if earlier.browser != current.browser {
        notes.push(format!(
            "the pictures compared with were made by {}, these by {}: text may differ a little everywhere",
            earlier.browser, current.browser
        ));
    }
    let mut verdicts = compare(call, scope, earlier, &current, threshold)?;
    confirm(browser, call, kit, &mut verdicts, threshold)?;
    Ok(Outcome { current, compared_with: Some(place), verdicts, notes })
}

/// Looks at what differs a second time: a busy machine now and then makes a picture that is not finished.
fn confirm(
    browser: &Browser,
    call: &Call,
    kit: &Kit,
    verdicts: &mut [(Key, Verdict)],
    threshold: f64,
) -> Result<(), FoundryError> {
    let mut groups: Vec<(String, String)> = verdicts
        .iter()
        .filter(|(_, verdict)| matches!(verdict, Verdict::Changed { .. }))
        .map(|(key, _)| (key.brand.clone(), key.theme.clone()))
        .collect();
    groups.dedup();
    for (brand, theme) in groups {
        exec::check(call)?;
        let here = |key: &Key| key.brand == brand && key.theme == theme;
        let changed: Vec<&str> = verdicts
            .iter()
            .filter(|(key, verdict)| here(key) && matches!(verdict, Verdict::Changed { .. }))
            .map(|(key, _)| key.id.as_str())
            .collect();
        let specimens = specimen::draw(kit, &brand, &theme, |id| changed.contains(&id));
        let mut again = Baseline::new(String::new(), kit);
        again.add(&brand, &theme, Camera::default().shoot(browser, kit, &brand, &theme, &specimens)?);
        let mut sheets = baseline::Reader::new(&again);
        for (key, verdict) in verdicts.iter_mut().filter(|(key, _)| here(key)) {
            let Verdict::Changed { before, .. } = verdict else { continue };
            let Some(place) = again.find(key) else { continue };
            if picture::compare(before, &sheets.cut(place)?, threshold).is_none() {
                *verdict = Verdict::Same;
            }
        }
    }
    Ok(())
}

fn compare(
    call: &Call,
    scope: &Scope,
    earlier: &Baseline,
    current: &Baseline,
    threshold: f64,
) -> Result<Vec<(Key, Verdict)>, FoundryError> {
    let mut verdicts = Vec::new();
    let (mut old_sheets, mut new_sheets) = (baseline::Reader::new(earlier), baseline::Reader::new(current));
    for key in current.keys() {
        exec::check(call)?;
        let (now, before) = (current.find(&key), earlier.find(&key));
        let verdict = match (before, now) {
            (Some(before), Some(now)) if earlier.is_same_part(before, current, now) => Verdict::Same,
            (Some(before), Some(now)) => {
                let (before, after) = (old_sheets.cut(before)?, new_sheets.cut(now)?);
                match picture::compare(&before, &after, threshold) {
                    None => Verdict::Same,
                    Some(difference) => Verdict::Changed { before, after, difference },
                }
            }
            (None, Some(now)) => Verdict::Added { after: new_sheets.cut(now)? },
            (_, None) => continue,
        };
        verdicts.push((key, verdict));
    }
    for key in earlier.keys().filter(|key| scope.covers(key)) {
        if let (None, Some(before)) = (current.find(&key), earlier.find(&key)) {
            verdicts.push((key, Verdict::Removed { before: old_sheets.cut(before)? }));
        }
    }
    Ok(verdicts)
}
