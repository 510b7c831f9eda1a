//! What linters say: SARIF files a user points to, matched to the files of a repository.
//!
//! Paths in a report were written by another program, perhaps on another machine: they name files of the repository or
//! nothing, and none of them is opened.

mod sarif;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use mainstay_contract::Call;
use mainstay_index::Reported;
use serde_json::{Value, json};

use sarif::Report;

/// Larger reports are refused.
const MAX_REPORT_BYTES: u64 = 64 << 20;
/// Findings shown with one hit.
const MAX_SHOWN: usize = 10;

/// One thing a linter said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub tool: String,
    pub rule: String,
    pub level: String,
    pub message: String,
    /// First and last line.
    pub lines: (u32, u32),
    /// The file was changed after the report was written.
    pub is_stale: bool,
}

/// The reports of the settings, each read again when it changes.
#[derive(Default)]
pub struct Reports {
    paths: Vec<PathBuf>,
    known: Mutex<BTreeMap<PathBuf, Known>>,
}

#[derive(Clone)]
struct Known {
    stamp: (u64, SystemTime),
    report: Arc<Result<Report, String>>,
}

/// What the reports say of one repository.
#[derive(Debug, Default)]
pub struct Lint {
    files: BTreeMap<String, Vec<Finding>>,
}

impl Reports {
    pub fn new(paths: Vec<PathBuf>) -> Reports {
        Reports { paths, known: Mutex::default() }
    }

    /// Whether somebody points to a report at all.
    pub fn are_given(&self) -> bool {
        !self.paths.is_empty()
    }

    /// What is said of the files of a repository; what cannot be used or may no longer be true becomes a warning.
    pub fn of(&self, call: &Call, repo: &Path) -> Lint {
        let mut lint = Lint::default();
        for path in &self.paths {
            let name = shown(repo, path);
            let Known { stamp: (_, written), report } = match self.read(path) {
                Ok(known) => known,
                Err(reason) => {
                    warn(
                        call,
                        "LINT_REPORT_UNREADABLE",
                        &name,
                        format!("{name} could not be read: {reason}"),
                    );
                    continue;
                }
            };
            match &*report {
                Err(reason) => {
                    warn(call, "LINT_REPORT_UNREADABLE", &name, format!("{name} is not used: {reason}"));
                }
                Ok(report) => lint.add(call, repo, report, &name, written),
            }
        }
        for findings in lint.files.values_mut() {
            findings.sort_by(|a, b| (a.lines, &a.tool, &a.rule).cmp(&(b.lines, &b.tool, &b.rule)));
            findings.dedup();
        }
        lint
    }

    fn read(&self, path: &Path) -> Result<Known, String> {
        let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
        let metadata = file.metadata().map_err(|error| error.to_string())?;
        let stamp = (metadata.len(), metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(path).filter(|known| known.stamp == stamp) {
            return Ok(known.clone());
        }
        let report = match metadata.is_file() && metadata.len() <= MAX_REPORT_BYTES {
            false => Err(format!("it is not a file of at most {} MiB", MAX_REPORT_BYTES >> 20)),
            true => {
                let mut bytes = Vec::new();
                let read = file.take(MAX_REPORT_BYTES).read_to_end(&mut bytes);
                read.map_err(|error| error.to_string())?;
                sarif::read(&bytes)
            }
        };
        let fresh = Known { stamp, report: Arc::new(report) };
        known.insert(path.to_owned(), fresh.clone());
        Ok(fresh)
    }
}

impl Lint {
    fn add(&mut self, call: &Call, repo: &Path, report: &Report, name: &str, written: SystemTime) {
        let (mut outside, mut stale) = (0u64, 0u64);
        for (place, findings) in &report.files {
            let Some(file) = inside(repo, place) else {
                outside += findings.len() as u64;
                continue;
            };
            let changed =
                std::fs::symlink_metadata(repo.join(&file)).and_then(|metadata| metadata.modified());
            let is_stale = changed.is_ok_and(|changed| changed > written);
            stale += u64::from(is_stale);
            let findings = findings.iter().map(|finding| Finding { is_stale, ..finding.clone() });
            self.files.entry(file).or_default().extend(findings);
        }
        if stale > 0 {
            let what = format!(
                "{stale} files were changed after {name} was written; its findings there are marked stale"
            );
            warn(call, "LINT_REPORT_STALE", name, what);
        }
        if outside > 0 {
            let what = format!("{outside} findings of {name} are about files outside of the repository");
            warn(call, "LINT_REPORT_OUTSIDE", name, what);
        }
        if report.left_out > 0 {
            let what = format!("{} results of {name} name no file, line or message", report.left_out);
            warn(call, "LINT_REPORT_INCOMPLETE", name, what);
        }
    }

    /// The lines on which something was reported, by file: what the filter looks at.
    pub fn reported(&self) -> Reported {
        let lines = |findings: &Vec<Finding>| findings.iter().map(|finding| finding.lines.0).collect();
        Arc::new(self.files.iter().map(|(file, findings)| (file.clone(), lines(findings))).collect())
    }

    /// What was said of some lines of a file.
    pub fn within(&self, file: &str, (first, last): (u32, u32)) -> Vec<Value> {
        let findings = self.files.get(file).map(Vec::as_slice).unwrap_or_default();
        let fitting = findings.iter().filter(|finding| finding.lines.0 <= last && first <= finding.lines.1);
        fitting.take(MAX_SHOWN).map(Finding::json).collect()
    }
}

impl Finding {
    fn json(&self) -> Value {
        let mut json = json!({
            "line": self.lines.0, "rule": self.rule, "level": self.level, "message": self.message, "tool": self.tool,
        });
        if self.is_stale {
            json["stale"] = true.into();
        }
        json
    }
}

fn warn(call: &Call, code: &str, report: &str, message: String) {
    call.warn_with(json!({ "code": code, "message": message, "report": report }));
}

/// A report by a name that tells nothing of the machine.
fn shown(repo: &Path, path: &Path) -> String {
    let name = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    path.strip_prefix(repo).map_or_else(|_| name(), |path| path.display().to_string())
}

/// The path of a file below the repository, separated by `/`; `None` for everything else.
fn inside(repo: &Path, place: &str) -> Option<String> {
    let place = Path::new(place);
    let place = if place.is_absolute() { place.strip_prefix(repo).ok()? } else { place };
    let mut parts: Vec<&str> = Vec::new();
    for part in place.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::ParentDir => {
                parts.pop()?;
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_files_of_the_repository_or_nothing() {
        let repo = Path::new("/home/me/repo");
        for (place, expected) in [
            ("src/a.rs", Some("src/a.rs")),
            ("./src/../a.rs", Some("a.rs")),
            ("/home/me/repo/src/a.rs", Some("src/a.rs")),
            ("/home/me/other/a.rs", None),
            ("/home/me/repo/../../x", None),
            ("../../etc/passwd", None),
            ("a/../../b", None),
            ("", None),
        ] {
            assert_eq!(inside(repo, place).as_deref(), expected, "{place}");
        }
    }
}
