//! Pictures that are kept: sheets, and which part of which sheet shows what.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Key;
use crate::FoundryError;
use crate::json::{pretty, sha256_hex};
use crate::kit::Kit;
use crate::picture::{Part, Picture};
use crate::record::File;
use crate::sheet::Sheet;

const MANIFEST: &str = "manifest.json";
/// Folder of a run that holds its pictures.
pub const FOLDER: &str = "baselines";
const MAX_FILE_BYTES: u64 = 256 << 20;
const MAX_SHEETS: usize = 1_000;

/// The pictures of one run.
#[derive(Debug)]
pub struct Baseline {
    pub browser: String,
    kit: String,
    sheets: Vec<Kept>,
    places: HashMap<(String, String, String), Place>,
}

#[derive(Debug)]
struct Kept {
    entry: Entry,
    png: Vec<u8>,
}

/// One sheet in the manifest.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    file: String,
    brand: String,
    theme: String,
    sha256: String,
    parts: Vec<Named>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Named {
    id: String,
    #[serde(flatten)]
    part: Part,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    schema_version: String,
    browser: String,
    kit: String,
    sheets: Vec<Entry>,
}

/// A part of a sheet.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    sheet: usize,
    part: Part,
}

impl Baseline {
    pub fn new(browser: String, kit: &Kit) -> Baseline {
        let kit = format!("{} {}", kit.manifest.name, kit.manifest.version);
        Baseline { browser, kit, sheets: Vec::new(), places: HashMap::new() }
    }

    /// Adds the sheets of one brand in one theme.
    pub fn add(&mut self, brand: &str, theme: &str, sheets: Vec<Sheet>) {
        for sheet in sheets {
            let parts = sheet.parts.into_iter().map(|(id, part)| Named { id, part }).collect();
            let sha256 = sha256_hex(&sheet.png);
            // Named by content: pictures of two runs can stand in one folder.
            let file = format!("{}.png", &sha256[..16]);
            let entry = Entry { file, brand: brand.into(), theme: theme.into(), sha256, parts };
            self.keep(entry, sheet.png);
        }
    }

    fn keep(&mut self, entry: Entry, png: Vec<u8>) {
        let sheet = self.sheets.len();
        for named in &entry.parts {
            let key = (entry.brand.clone(), entry.theme.clone(), named.id.clone());
            self.places.insert(key, Place { sheet, part: named.part });
        }
        self.sheets.push(Kept { entry, png });
    }

    /// How many brands in how many themes have pictures.
    pub fn groups(&self) -> usize {
        let mut groups: Vec<_> =
            self.sheets.iter().map(|kept| (&kept.entry.brand, &kept.entry.theme)).collect();
        groups.dedup();
        groups.len()
    }

    pub fn keys(&self) -> impl Iterator<Item = Key> {
        self.sheets.iter().flat_map(|kept| {
            kept.entry.parts.iter().map(|named| Key {
                brand: kept.entry.brand.clone(),
                theme: kept.entry.theme.clone(),
                id: named.id.clone(),
            })
        })
    }

    pub fn find(&self, key: &Key) -> Option<Place> {
        self.places.get(&(key.brand.clone(), key.theme.clone(), key.id.clone())).copied()
    }

    /// Whether two places show the same pixels because their whole sheets are the same file.
    pub fn is_same_part(&self, place: Place, other: &Baseline, there: Place) -> bool {
        place.part == there.part
            && self.sheets[place.sheet].entry.sha256 == other.sheets[there.sheet].entry.sha256
    }

    /// These pictures on top of older ones: what this run did not look at stays.
    pub fn over(mut self, older: Option<Baseline>, is_replaced: impl Fn(&Key) -> bool) -> Baseline {
        for mut kept in older.into_iter().flat_map(|older| older.sheets) {
            let entry = &mut kept.entry;
            entry.parts.retain(|named| {
                !is_replaced(&Key {
                    brand: entry.brand.clone(),
                    theme: entry.theme.clone(),
                    id: named.id.clone(),
                })
            });
            if !kept.entry.parts.is_empty() {
                self.keep(kept.entry, kept.png);
            }
        }
        self
    }

    /// As files of a run.
    pub fn into_files(self) -> Vec<File> {
        let manifest = Manifest {
            schema_version: "1.0".into(),
            browser: self.browser,
            kit: self.kit,
            sheets: self.sheets.iter().map(|kept| kept.entry.clone()).collect(),
        };
        let manifest = serde_json::to_value(manifest).expect("a manifest is plain data");
        let mut files = vec![File::new(
            format!("{FOLDER}/{MANIFEST}"),
            "Where each specimen is on the baseline pictures",
            pretty(&manifest),
        )];
        for kept in self.sheets {
            let name = format!("{FOLDER}/{}", kept.entry.file);
            if !files.iter().any(|file| file.name == name) {
                files.push(File::new(name, "Baseline picture of a sheet of specimens", kept.png));
            }
        }
        files
    }

    /// The newest pictures kept by runs of `tool`, below `base` of the root.
    pub fn newest(root: &Path, base: &str, tool: &str) -> Result<Option<(String, Baseline)>, FoundryError> {
        let mut places = Vec::new();
        for date in names(&root.join(base)) {
            for run in names(&root.join(base).join(&date).join(tool)) {
                places.push(format!("{base}/{date}/{tool}/{run}/{FOLDER}"));
            }
        }
        places.sort();
        let newest = places.into_iter().rev().find(|place| root.join(place).join(MANIFEST).is_file());
        newest.map(|place| Baseline::read(root, &place).map(|read| (place, read))).transpose()
    }

    /// Reads a folder, relative to the root.
    pub fn read(root: &Path, place: &str) -> Result<Baseline, FoundryError> {
        let broken = |reason: String| {
            FoundryError::refused(
                format!("the baselines in {place} cannot be used: {reason}"),
                "restore or remove that folder; vrt.run without baselines makes new ones",
            )
        };
        let read = |name: &str| {
            let path = root.join(place).join(name);
            match fs::metadata(&path) {
                Ok(found) if found.len() > MAX_FILE_BYTES => Err(format!("{name} is too large")),
                Ok(_) => fs::read(&path).map_err(|error| format!("{name}: {error}")),
                Err(error) => Err(format!("{name}: {error}")),
            }
        };
        let manifest: Manifest = read(MANIFEST)
            .and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| format!("{MANIFEST}: {error}")))
            .map_err(broken)?;
        if manifest.sheets.len() > MAX_SHEETS {
            return Err(broken(format!("{} sheets are too many", manifest.sheets.len())));
        }
        let mut baseline = Baseline {
            browser: manifest.browser,
            kit: manifest.kit,
            sheets: Vec::new(),
            places: HashMap::new(),
        };
        for entry in manifest.sheets {
            let plain = entry.file.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
            if !plain || entry.file.starts_with('.') {
                return Err(broken(format!("{:?} is not a file name", entry.file)));
            }
            let png = read(&entry.file).map_err(broken)?;
            if sha256_hex(&png) != entry.sha256 {
                return Err(broken(format!("{} is not the file it was", entry.file)));
            }
            baseline.keep(entry, png);
        }
        Ok(baseline)
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Cuts parts out of sheets, each of which is decoded once.
pub struct Reader<'b> {
    baseline: &'b Baseline,
    decoded: HashMap<usize, Picture>,
}

impl<'b> Reader<'b> {
    pub fn new(baseline: &'b Baseline) -> Reader<'b> {
        Reader { baseline, decoded: HashMap::new() }
    }

    pub fn cut(&mut self, place: Place) -> Result<Picture, FoundryError> {
        if !self.decoded.contains_key(&place.sheet) {
            let kept = &self.baseline.sheets[place.sheet];
            let picture = Picture::read(&kept.png).map_err(|reason| {
                FoundryError::refused(
                    format!("{} is not a picture: {reason}", kept.entry.file),
                    "make new baselines with update",
                )
            })?;
            // Parts come in the order of sheets, so that one at a time is enough.
            self.decoded.clear();
            self.decoded.insert(place.sheet, picture);
        }
        Ok(self.decoded[&place.sheet].cut(place.part))
    }
}
