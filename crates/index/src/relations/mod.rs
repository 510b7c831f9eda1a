//! How the definitions of a repository belong together: what imports, calls and types mean across files.
//!
//! Work on a file knows nothing of other files, so that it can be kept by content. What a name means is therefore worked
//! out here, over the facts of the open index, when somebody asks for the first time; it is kept until the files change.
//!
//! | module | holds |
//! |---|---|
//! | `nodes` | chunks as nodes, their names and owners |
//! | `paths`, `manifests`, `aliases`, `imports` | from an import to files |
//! | `resolve`, `edges` | from a name to a definition, and all of them as a graph |
//! | `types` | types told by what annotated functions return |
//! | `risk` | values from outside that cross calls, and rules of a user |
//! | `rank` | how central a definition is |
//! | `places` | the lines references stand on |

mod aliases;
mod edges;
mod imports;
mod manifests;
mod nodes;
mod paths;
mod places;
mod rank;
mod resolve;
mod risk;
mod symbol;
mod types;

pub(crate) use edges::Edge;
pub use edges::Reference;
pub use places::{Place, Texts};
pub use resolve::Certainty;
pub(crate) use risk::{CrossFlow, RiskLayer};
pub use symbol::{Link, Reached, Symbol, SymbolId};

use crate::error::{Damaged, IndexError};
use crate::facts::{Fact, RiskRules};
use crate::hash::FastMap;
use crate::lang::{Imports, LangId};
use crate::view::View;
use edges::{Edges, base};
use imports::{Places, Target};
use manifests::Manifests;
use nodes::Nodes;
use paths::{Paths, folder, name, stem};
use resolve::Tables;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Files a file may see; a list longer than this names no neighbours any more.
const MAX_VISIBLE: usize = 400;

/// What a file imports, as written, and the files that means.
type FileImports = Vec<(Box<str>, Vec<u32>)>;

/// What belongs together in a view of an index.
#[derive(Debug)]
pub struct Relations {
    pub(crate) view: Arc<View>,
    pub(crate) repo: PathBuf,
    pub(crate) nodes: Nodes,
    pub(crate) edges: Edges,
    paths: Paths,
    tables: Tables,
    /// By file: what it imports, and the files that means.
    imports: Vec<FileImports>,
    /// Calls whose result is given a name, by file; worked out when asked for.
    assigned: types::Assigned,
    /// What the rules with this mark find across calls; worked out when asked for.
    risks: Mutex<Option<(u64, Arc<RiskLayer>)>>,
}

impl Relations {
    pub(crate) fn of(view: &Arc<View>, repo: &Path) -> Result<Relations, IndexError> {
        Relations::read(view, repo)
            .map_err(|damaged| damaged.in_file(view.parts.first().map_or(repo, |part| part.segment.path())))
    }

    fn read(view: &Arc<View>, repo: &Path) -> Result<Relations, Damaged> {
        let nodes = Nodes::of(view)?;
        let live = (0..view.file_count() as u32).filter(|file| view.is_live(*file));
        let paths = Paths::of(live.map(|file| (file, &*view.file(file).path)));
        let manifests = Manifests::read(repo, &paths);
        let imports = imported(view, &nodes, &Places { paths: &paths, manifests: &manifests })?;
        let mut tables = Tables::of(&nodes);
        fill(&mut tables, view, &nodes, &paths, &imports)?;
        tables.finish(&nodes);
        let edges = Edges::of(view, &nodes, &tables)?;
        Ok(Relations {
            view: Arc::clone(view),
            repo: repo.to_owned(),
            nodes,
            edges,
            paths,
            tables,
            imports,
            assigned: types::Assigned::default(),
            risks: Mutex::default(),
        })
    }

    /// What a file imports, as written, and the files of the repository that means.
    pub fn imports_of(&self, path: &str) -> Vec<(&str, Vec<&str>)> {
        let Some(file) = self.paths.file(path) else { return Vec::new() };
        self.imports[file as usize]
            .iter()
            .map(|(text, files)| (&**text, files.iter().map(|file| self.paths.path(*file)).collect()))
            .collect()
    }

    /// What rules about risks find beyond the facts that are stored.
    pub(crate) fn risks(&self, rules: RiskRules) -> Result<Arc<RiskLayer>, Damaged> {
        let mut kept = self.risks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, layer)) = kept.as_ref().filter(|(mark, _)| *mark == rules.mark()) {
            return Ok(Arc::clone(layer));
        }
        let layer = Arc::new(RiskLayer::of(self, rules)?);
        *kept = Some((rules.mark(), Arc::clone(&layer)));
        Ok(layer)
    }

    /// The files that import a file.
    pub(crate) fn importers(&self, path: &str) -> Vec<u32> {
        let Some(wanted) = self.paths.file(path) else { return Vec::new() };
        let imports = |list: &FileImports| list.iter().any(|(_, files)| files.contains(&wanted));
        (0u32..).zip(&self.imports).filter(|(_, list)| imports(list)).map(|(file, _)| file).collect()
    }
}

/// What every file imports, with the files that means.
fn imported(view: &View, nodes: &Nodes, places: &Places<'_>) -> Result<Vec<FileImports>, Damaged> {
    let mut out: Vec<FileImports> = vec![Vec::new(); view.file_count()];
    // Folders that were imported: a name beside them may be a file in them.
    let mut packages: FastMap<u32, Vec<String>> = FastMap::default();
    nodes.each_fact(
        view,
        Fact::Import,
        |value| Some(value.to_owned()),
        |value, node| {
            let file = nodes.file(node);
            let lang = file_lang(nodes, file).unwrap_or(nodes.get(node).lang);
            let Target { files, folder } = places.resolve(lang, places.paths.path(file), value);
            if let Some(folder) = folder.filter(|_| lang.get().imports == Imports::Modules) {
                packages.entry(file).or_default().push(folder);
            }
            if !files.is_empty() {
                out[file as usize].push((value.as_str().into(), files));
            }
        },
    )?;
    nodes.each_fact(
        view,
        Fact::Use,
        |value| {
            (!packages.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
                .then(|| value.to_owned())
        },
        |value, node| {
            let file = nodes.file(node);
            for folder in packages.get(&file).into_iter().flatten() {
                let base = if folder.is_empty() { value.clone() } else { format!("{folder}/{value}") };
                let found = places.paths.file(&format!("{base}.py"));
                let found = found.or_else(|| places.paths.file(&format!("{base}/__init__.py")));
                if let Some(found) = found.filter(|found| *found != file) {
                    out[file as usize].push((value.as_str().into(), vec![found]));
                }
            }
        },
    )?;
    for list in &mut out {
        list.sort();
        list.dedup();
    }
    Ok(out)
}

/// The language of the first chunk: imports stand there.
fn file_lang(nodes: &Nodes, file: u32) -> Option<LangId> {
    nodes.of_file(file).next().map(|node| nodes.get(node).lang)
}

fn fill(
    tables: &mut Tables,
    view: &View,
    nodes: &Nodes,
    paths: &Paths,
    imports: &[FileImports],
) -> Result<(), Damaged> {
    let mut numbers: FastMap<&str, u32> = FastMap::default();
    for file in 0..view.file_count() as u32 {
        let path = paths.path(file);
        let next = numbers.len() as u32;
        tables.folders.push(*numbers.entry(folder(path)).or_insert(next));
        let id = |text: &str| nodes.names.id(text).unwrap_or(0);
        let own = if matches!(stem(path), "mod" | "lib" | "index" | "__init__" | "init" | "main") {
            id(name(folder(path)))
        } else {
            id(stem(path))
        };
        tables.stems.push((own, id(name(folder(path)))));
    }
    let direct = |file: u32| imports[file as usize].iter().flat_map(|(_, files)| files.iter().copied());
    for file in 0..view.file_count() as u32 {
        let mut seen: Vec<u32> = direct(file).collect();
        // Files that only hand on what they import, and what lies behind a header.
        for through in seen.clone() {
            let path = paths.path(through);
            if matches!(stem(path), "index" | "mod" | "__init__" | "lib" | "prelude") {
                seen.extend(direct(through));
            }
            if path.rsplit('.').next().is_some_and(|end| end.starts_with('h')) {
                let behind = ["c", "cc", "cpp", "cxx"].map(|end| format!("{}.{end}", stem(path)));
                seen.extend(direct(through));
                seen.extend(behind.iter().filter_map(|end| paths.ending(end, path)));
            }
        }
        seen.sort_unstable();
        seen.dedup();
        seen.retain(|seen| *seen != file);
        seen.truncate(MAX_VISIBLE);
        tables.visible.push(seen);
    }
    let id = |value: &str| nodes.names.id(value);
    let mut bases: FastMap<u32, Vec<u32>> = FastMap::default();
    nodes.each_fact(
        view,
        Fact::Extends,
        |value| id(nodes::split(base(value)).1),
        |name, node| {
            let owner = nodes.get(node).name;
            if owner != 0 && owner != *name {
                bases.entry(owner).or_default().push(*name);
            }
        },
    )?;
    tables.bases = bases;
    let mut types = Vec::new();
    nodes.each_fact(
        view,
        Fact::Type,
        |value| {
            let words = value.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let names: Vec<u32> = words.filter_map(id).filter(|name| tables.is_type_name(*name)).collect();
            (!names.is_empty()).then_some(names)
        },
        |names, node| {
            types.extend(names.iter().map(|name| (node, *name)));
            // What a constructor gives a field is known in all of the type.
            let parent = nodes.get(node).parent;
            if parent != nodes::NONE {
                types.extend(names.iter().map(|name| (parent, *name)));
            }
        },
    )?;
    types.sort_unstable();
    types.dedup();
    tables.types = types;
    let mut aliases = FastMap::default();
    nodes.each_fact(
        view,
        Fact::Alias,
        |value| {
            let (new, old) = value.split_once('=')?;
            Some((id(new)?, id(nodes::split(old).1)?))
        },
        |(new, old), node| {
            aliases.insert((nodes.file(node), *new), *old);
        },
    )?;
    tables.aliases = aliases;
    let mut mentions = Vec::new();
    nodes.each_fact(view, Fact::Use, id, |name, node| mentions.push((nodes.file(node), *name)))?;
    mentions.sort_unstable();
    mentions.dedup();
    tables.mentions = mentions;
    Ok(())
}
