//! Where plans wait: one small file each, bounded in number and in time.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use mainstay_contract::{ErrorCode, Fault, FaultResult};

use super::Plan;

/// Plans that wait at once; one more pushes out the oldest.
const MAX_PLANS: usize = 1_000;
/// A larger plan is refused: nobody looks through it.
const MAX_PLAN_BYTES: usize = 8 * 1024 * 1024;

/// The plans of a server; in a folder they outlive the process, so that one command can apply what another showed.
#[derive(Debug, Default)]
pub struct PlanStore {
    dir: Option<PathBuf>,
    /// Without a folder: the plans by id, oldest first.
    held: Mutex<VecDeque<(String, Plan)>>,
}

impl PlanStore {
    /// Keeps plans in a folder, which is made when the first one comes.
    pub fn in_folder(dir: PathBuf) -> PlanStore {
        PlanStore { dir: Some(dir), held: Mutex::default() }
    }

    /// Keeps a plan and returns its id.
    pub fn keep(&self, plan: &Plan, now: Timestamp) -> FaultResult<String> {
        let id = plan.id();
        let text = serde_json::to_string(plan).map_err(|error| Fault::internal(&error))?;
        if text.len() > MAX_PLAN_BYTES {
            let message =
                format!("the call would change {} targets, too many for a plan", plan.targets.len());
            return Err(Fault::invalid(message).hint("plan a part of it at a time"));
        }
        match &self.dir {
            None => {
                let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
                held.retain(|(other, plan)| *other != id && plan.expires >= now);
                while held.len() >= MAX_PLANS {
                    held.pop_front();
                }
                held.push_back((id.clone(), plan.clone()));
            }
            Some(dir) => {
                let failed = |error: io::Error| {
                    Fault::new(
                        ErrorCode::Internal,
                        format!("could not keep the plan in {}: {error}", dir.display()),
                    )
                    .hint("choose a writable folder with --state-dir")
                };
                make(dir).map_err(failed)?;
                tidy(dir, now);
                write(dir, &format!("{id}.json"), &text).map_err(failed)?;
            }
        }
        Ok(id)
    }

    /// A plan that was kept; one that was damaged is none.
    pub fn find(&self, id: &str) -> FaultResult<Plan> {
        let plan = match &self.dir {
            _ if !is_id(id) => None,
            None => {
                let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
                held.iter().find(|(held, _)| held == id).map(|(_, plan)| plan.clone())
            }
            Some(dir) => bounded(&dir.join(format!("{id}.json"))).as_deref().and_then(read),
        };
        plan.filter(|plan| plan.id() == id).ok_or_else(|| missing(id))
    }

    /// Takes a plan out, so that it is applied once; fails when somebody else was faster.
    pub fn take(&self, id: &str) -> FaultResult<()> {
        let taken = match &self.dir {
            None => {
                let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
                let before = held.len();
                held.retain(|(held, _)| held != id);
                held.len() < before
            }
            Some(dir) => fs::remove_file(dir.join(format!("{id}.json"))).is_ok(),
        };
        if taken { Ok(()) } else { Err(missing(id)) }
    }
}

fn missing(id: &str) -> Fault {
    let shown: String = id.chars().take(80).collect();
    Fault::new(ErrorCode::PlanMissing, format!("there is no plan {shown}, or it was applied already"))
        .hint("nothing was changed; preview the call and apply the plan it names")
}

fn is_id(id: &str) -> bool {
    id.strip_prefix("plan-")
        .is_some_and(|hash| hash.len() == 32 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn read(text: &str) -> Option<Plan> {
    serde_json::from_str(text).ok()
}

fn bounded(path: &Path) -> Option<String> {
    let mut text = String::new();
    fs::File::open(path).ok()?.take(MAX_PLAN_BYTES as u64 + 1).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Makes the folder so that only its owner can look into it.
fn make(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Removes plans that have expired, parts that were never finished, and the oldest where there are too many.
fn tidy(dir: &Path, now: Timestamp) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    let mut kept = Vec::new();
    for entry in entries.flatten() {
        let Ok(written) = entry.metadata().and_then(|meta| meta.modified()) else { continue };
        let age = written.elapsed().unwrap_or_default();
        let path = entry.path();
        let is_plan = path.extension().is_some_and(|extension| extension == "json");
        // Reading every plan would cost more than it frees: a plan lives no longer than its file is old.
        let is_over = match is_plan {
            true => {
                age > super::LIFETIME
                    && bounded(&path).as_deref().and_then(read).is_none_or(|plan| plan.expires < now)
            }
            false => age > super::LIFETIME,
        };
        match is_over {
            true => drop(fs::remove_file(&path)),
            false if is_plan => kept.push((written, path)),
            false => {}
        }
    }
    if kept.len() >= MAX_PLANS {
        kept.sort();
        kept.iter().take(kept.len() + 1 - MAX_PLANS).for_each(|(_, path)| drop(fs::remove_file(path)));
    }
}

/// Writes a file so that it is there whole or not at all.
fn write(dir: &Path, name: &str, text: &str) -> io::Result<()> {
    let part = dir.join(format!(".{name}.{}", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&part)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&part, dir.join(name))?;
    #[cfg(unix)]
    fs::File::open(dir)?.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use mainstay_contract::{Target, ToolDef, Toolset};
    use serde_json::json;

    use super::*;
    use crate::plan::LIFETIME;

    fn plan(number: usize, at: Timestamp) -> Plan {
        let tool = ToolDef::new("t", Toolset::Search);
        Plan::new(&tool, &json!({ "n": number }), at, LIFETIME, vec![Target::update("a", None)])
    }

    #[test]
    fn a_plan_is_found_by_another_store_and_taken_once() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("plans");
        let (now, one) = (Timestamp::now(), plan(1, Timestamp::now()));
        let id = PlanStore::in_folder(folder.clone()).keep(&one, now).unwrap();
        let other = PlanStore::in_folder(folder.clone());
        assert_eq!(other.find(&id).unwrap(), one);
        other.take(&id).unwrap();
        for result in [other.take(&id).err(), other.find(&id).err(), other.find("../x").err()] {
            assert_eq!(result.unwrap().code, ErrorCode::PlanMissing);
        }
    }

    #[test]
    fn an_edited_plan_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let store = PlanStore::in_folder(dir.path().to_owned());
        let id = store.keep(&plan(1, Timestamp::now()), Timestamp::now()).unwrap();
        let path = dir.path().join(format!("{id}.json"));
        let text = fs::read_to_string(&path).unwrap();
        for edited in [text.replace("\"a\"", "\"b\""), text[..text.len() / 2].to_owned(), String::new()] {
            fs::write(&path, edited).unwrap();
            assert_eq!(store.find(&id).unwrap_err().code, ErrorCode::PlanMissing);
        }
    }

    #[test]
    fn the_number_of_plans_is_bounded() {
        let store = PlanStore::default();
        let now = Timestamp::now();
        for number in 0..MAX_PLANS + 20 {
            store.keep(&plan(number, now), now).unwrap();
        }
        assert_eq!(store.held.lock().unwrap().len(), MAX_PLANS);
        let later = now.checked_add(LIFETIME * 2).unwrap();
        store.keep(&plan(0, later), later).unwrap();
        assert_eq!(store.held.lock().unwrap().len(), 1);
    }
}
