//! What a run of a writing tool leaves behind: its files, a transcript and an index, in one folder.
//!
//! This is the only way a tool writes below `${BASE}/${DATE}`. A folder of a run appears whole or not at all.

use jiff::Timestamp;
use mainstay_contract::{Call, Changes, Planning, Role, Target};
use serde::Serialize;

use crate::artifacts::{BUNDLE, Scope, TRANSCRIPT, Written, date_of, folder_state, stamp_of};
use crate::json::sha256_hex;
use crate::transcript::{self, Artifact, Run};
use crate::{Foundry, FoundryError, exec};

/// Where the folder of a run is, below the folder of the day.
#[derive(Debug, Clone, Copy)]
pub enum Place<'a> {
    /// One folder a day; a run replaces the files of the one before.
    Day(&'a str),
    /// A folder of its own for every run, named after the time.
    Run(&'a str),
}

/// A file a run makes.
#[derive(Debug, Clone)]
pub struct File {
    /// Relative to the folder of the run, with `/`.
    pub name: String,
    pub purpose: &'static str,
    pub bytes: Vec<u8>,
}

impl File {
    fn in_directory(&self, directory: &str) -> Artifact {
        let written = Written {
            path: format!("{directory}/{}", self.name),
            sha256: sha256_hex(&self.bytes),
            size: self.bytes.len(),
        };
        Artifact { written, name: self.name.clone(), purpose: self.purpose.into() }
    }

    pub fn new(name: impl Into<String>, purpose: &'static str, bytes: impl Into<Vec<u8>>) -> File {
        File { name: name.into(), purpose, bytes: bytes.into() }
    }
}

/// A run that has begun and has left nothing yet.
pub struct Record<'a> {
    foundry: &'a Foundry,
    call: &'a Call,
    place: Place<'a>,
    started: Timestamp,
    scope: Scope,
    /// Who is told of every file; nobody where the folder as a whole was named.
    changes: Changes,
}

/// A run that is over.
#[derive(Debug)]
pub struct Kept {
    /// Folder of the run, relative to the root.
    pub directory: String,
    pub artifacts: Vec<Artifact>,
    pub transcript_path: String,
    pub bundle_index_path: String,
}

impl Kept {
    /// The path of a file by its name in the folder, when it was written.
    pub fn path_of(&self, name: &str) -> Option<String> {
        self.artifacts
            .iter()
            .find(|artifact| artifact.name == name)
            .map(|artifact| artifact.written.path.clone())
    }
}

impl<'a> Record<'a> {
    pub fn begin(foundry: &'a Foundry, call: &'a Call, place: Place<'a>) -> Result<Record<'a>, FoundryError> {
        let started = call.now();
        let scope = Scope::new(
            &foundry.config.root,
            &call.tool().policy.writes,
            &foundry.rules.artifacts_base,
            &date_of(started),
        )?;
        let mut changes = call.changes().clone();
        if let Planning::Bound(_) = call.tool().planning {
            let day = format!("{}/{}", foundry.rules.artifacts_base, date_of(started));
            let folder = match place {
                Place::Day(name) => format!("{day}/{name}"),
                Place::Run(name) => format!("{day}/{name}/{}", stamp_of(started)),
            };
            scope.check(&format!("{folder}/{TRANSCRIPT}"))?;
            let state = folder_state(&foundry.config.root.join(&folder));
            changes.propose_all(|| vec![Target::update(folder, state)])?;
            changes = Changes::default();
        }
        let scope = scope.watched_by(changes.clone());
        Ok(Record { foundry, call, place, started, scope, changes })
    }

    pub fn started(&self) -> Timestamp {
        self.started
    }

    /// What the call may write.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Writes the records, and with `apply` the files.
    pub fn finish(self, input: &impl Serialize, apply: bool, files: Vec<File>) -> Result<Kept, FoundryError> {
        exec::check(self.call)?;
        self.finish_with(input, apply, files, &[])
    }

    /// Also names files outside the folder that the run has changed.
    pub fn finish_with(
        self,
        input: &impl Serialize,
        apply: bool,
        files: Vec<File>,
        changed: &[Written],
    ) -> Result<Kept, FoundryError> {
        let mut input = serde_json::to_value(input).expect("arguments are plain data");
        if let Some(given) = input.as_object_mut() {
            given.retain(|_, value| !value.is_null());
        }
        let day = format!("{}/{}", self.foundry.rules.artifacts_base, date_of(self.started));
        let run = |directory: String| Run {
            tool: &self.call.tool().id,
            directory,
            input: &input,
            apply,
            role: self.call.caller().role.map(Role::name),
            user: self.foundry.config.user.as_deref().unwrap_or("system"),
            hostname: self.foundry.config.hostname.as_deref().unwrap_or("localhost"),
            started: self.started,
            ended: self.call.now(),
        };
        let files = if apply { files } else { Vec::new() };
        match self.place {
            Place::Day(name) => {
                let run = run(format!("{day}/{name}"));
                let mut artifacts = Vec::with_capacity(files.len());
                for file in files {
                    let written =
                        self.scope.write(&format!("{}/{}", run.directory, file.name), &file.bytes)?;
                    artifacts.push(Artifact { written, name: file.name, purpose: file.purpose.into() });
                }
                let records = transcript::records(&self.foundry.redactor, &run, &artifacts, changed);
                for (name, text) in records.files() {
                    self.scope.write(&format!("{}/{name}", run.directory), text.as_bytes())?;
                }
                Ok(kept(run.directory, artifacts))
            }
            Place::Run(name) => {
                let wanted = format!("{day}/{name}/{}", stamp_of(self.started));
                if self.changes.is_watched() {
                    let run = run(self.scope.free_name(&wanted));
                    let artifacts: Vec<Artifact> =
                        files.iter().map(|file| file.in_directory(&run.directory)).collect();
                    let records = transcript::records(&self.foundry.redactor, &run, &artifacts, changed);
                    let mut targets = Vec::new();
                    let texts = records.files().map(|(name, text)| (name, text.as_bytes()));
                    let contents = files.iter().map(|file| (file.name.as_str(), file.bytes.as_slice()));
                    for (name, bytes) in contents.chain(texts) {
                        let path = format!("{}/{name}", run.directory);
                        self.scope.check(&path)?;
                        targets.push(self.scope.target(&path, bytes));
                    }
                    if !self.changes.propose(|| targets)? {
                        return Ok(kept(run.directory, artifacts));
                    }
                }
                let staged = self.scope.stage(&wanted)?;
                for file in &files {
                    exec::check(self.call)?;
                    self.scope.check(&format!("{wanted}/{}", file.name))?;
                    staged.write(&file.name, &file.bytes)?;
                }
                // The records hold the name of the folder, so each attempt at a free name writes them anew.
                for number in 0.. {
                    let directory = if number == 0 { wanted.clone() } else { format!("{wanted}-{number}") };
                    let run = run(directory);
                    let artifacts: Vec<Artifact> =
                        files.iter().map(|file| file.in_directory(&run.directory)).collect();
                    let records = transcript::records(&self.foundry.redactor, &run, &artifacts, changed);
                    for (name, text) in records.files() {
                        self.scope.check(&format!("{}/{name}", run.directory))?;
                        staged.write(name, text.as_bytes())?;
                    }
                    if staged.settle(&run.directory)? {
                        return Ok(kept(run.directory, artifacts));
                    }
                }
                unreachable!("numbers do not end")
            }
        }
    }
}

fn kept(directory: String, artifacts: Vec<Artifact>) -> Kept {
    Kept {
        transcript_path: format!("{directory}/{TRANSCRIPT}"),
        bundle_index_path: format!("{directory}/{BUNDLE}"),
        directory,
        artifacts,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use mainstay_contract::{Policy, StopReason, ToolDef, Toolset};
    use serde_json::{Value, json};

    use super::*;
    use crate::{FoundryConfig, foundry_of};

    fn call() -> Call {
        let policy = Policy::interactive().writes(&["${BASE}/${DATE}/**"]);
        Call::detached(Arc::new(ToolDef::new("test.run", Toolset::Foundry).policy(policy)))
    }

    fn files() -> Vec<File> {
        vec![File::new("report.html", "Report", "<p>"), File::new("shots/a.png", "Picture", "png")]
    }

    #[test]
    fn a_run_has_a_folder_of_its_own_whose_records_name_every_file() {
        let root = tempfile::tempdir().unwrap();
        let foundry =
            foundry_of(FoundryConfig { root: root.path().to_owned(), ..Default::default() }).unwrap();
        let call = call();
        let mut folders = Vec::new();
        let record = Record::begin(&foundry, &call, Place::Run("test.run")).unwrap();
        let started = record.started();
        for _ in 0..3 {
            let again = Record { started, ..Record::begin(&foundry, &call, Place::Run("test.run")).unwrap() };
            let kept = again.finish(&json!({ "x": null, "y": 1 }), true, files()).unwrap();
            assert_eq!(kept.path_of("shots/a.png"), Some(format!("{}/shots/a.png", kept.directory)));
            folders.push(kept.directory);
        }
        assert_eq!(folders[1..], [format!("{}-1", folders[0]), format!("{}-2", folders[0])]);
        for folder in &folders {
            let read = |name: &str| -> Value {
                serde_json::from_slice(&fs::read(root.path().join(folder).join(name)).unwrap()).unwrap()
            };
            let transcript = read(TRANSCRIPT);
            assert_eq!(transcript["args"]["payload"], json!({ "y": 1 }));
            assert_eq!(transcript["artifacts"][0]["path"], format!("{folder}/report.html"));
            for file in read(BUNDLE)["files"].as_array().unwrap() {
                let bytes = fs::read(root.path().join(folder).join(file["path"].as_str().unwrap())).unwrap();
                assert_eq!(file["sha256"], sha256_hex(&bytes));
            }
        }
    }

    #[test]
    fn a_cancelled_run_leaves_nothing_behind() {
        let root = tempfile::tempdir().unwrap();
        let foundry =
            foundry_of(FoundryConfig { root: root.path().to_owned(), ..Default::default() }).unwrap();
        let call = call();
        let record = Record::begin(&foundry, &call, Place::Run("test.run")).unwrap();
        call.cancel().cancel(StopReason::Cancelled);
        let left = record.finish_with(&json!({}), true, files(), &[]);
        assert!(matches!(left, Err(FoundryError::Cancelled)));
        let mut found = Vec::new();
        let mut folders = vec![root.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { folders.push(path) } else { found.push(path) }
            }
        }
        assert!(found.is_empty(), "{found:?}");
    }
}
