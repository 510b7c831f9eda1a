//! From a name in a chunk to the definition it means: in the file, then in what the file imports, then where the
//! language lets it lie, then by types that are known. What stays open is a guess by name, and said to be one.

use super::nodes::{NONE, Nodes, split};
use crate::chunk::Kind;
use crate::hash::FastMap;
use crate::lang::{Imports, LangId, Reach};

/// How sure it is that a name means a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// The file, its imports or a known type say so.
    Resolved,
    /// It has that name, and nothing says that it is another.
    ByName,
}

/// A name that could mean more definitions than this means none in particular.
const MAX_GUESSES: usize = 6;
/// Classes further up are not asked for a member.
const MAX_BASES: usize = 16;

/// Members that types of standard libraries have: without a word about the type they say nothing.
const COMMON: &[&str] = &[
    "add",
    "all",
    "any",
    "append",
    "apply",
    "as_ref",
    "as_str",
    "borrow",
    "call",
    "charAt",
    "clear",
    "clone",
    "close",
    "cmp",
    "collect",
    "concat",
    "contains",
    "containsKey",
    "copy",
    "count",
    "default",
    "delete",
    "deref",
    "display",
    "drain",
    "drop",
    "each",
    "empty",
    "encode",
    "end",
    "entries",
    "entry",
    "eq",
    "equals",
    "error",
    "every",
    "exists",
    "extend",
    "fill",
    "filter",
    "find",
    "first",
    "flush",
    "fmt",
    "fold",
    "forEach",
    "format",
    "from",
    "get",
    "getOrDefault",
    "get_mut",
    "has",
    "hasNext",
    "hash",
    "hashCode",
    "id",
    "includes",
    "index",
    "indexOf",
    "info",
    "insert",
    "into",
    "isEmpty",
    "is_empty",
    "is_none",
    "is_some",
    "items",
    "iter",
    "iter_mut",
    "join",
    "key",
    "keys",
    "last",
    "len",
    "length",
    "lines",
    "load",
    "lock",
    "log",
    "lower",
    "map",
    "match",
    "max",
    "merge",
    "min",
    "name",
    "new",
    "next",
    "nth",
    "of",
    "ok",
    "open",
    "parse",
    "path",
    "peek",
    "pop",
    "position",
    "print",
    "println",
    "push",
    "push_str",
    "put",
    "read",
    "reduce",
    "remove",
    "repeat",
    "replace",
    "reset",
    "resolve",
    "reverse",
    "run",
    "send",
    "set",
    "size",
    "skip",
    "slice",
    "some",
    "sort",
    "split",
    "start",
    "start_with",
    "startsWith",
    "starts_with",
    "stop",
    "store",
    "stream",
    "strip",
    "substring",
    "sum",
    "take",
    "test",
    "text",
    "then",
    "toLowerCase",
    "toString",
    "to_owned",
    "to_string",
    "trim",
    "truncate",
    "type",
    "unwrap",
    "update",
    "upper",
    "value",
    "values",
    "wait",
    "warn",
    "with",
    "write",
    "zip",
];

pub(super) const OWN: [&str; 8] = ["self", "this", "cls", "Self", "super", "$this", "static", "parent"];

/// What names are looked up in; built once for a view.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Name and node.
    by_name: Vec<(u32, u32)>,
    /// File, name and node.
    by_file: Vec<(u32, u32, u32)>,
    /// Owner, name and node.
    by_owner: Vec<(u32, u32, u32)>,
    /// Names that types have.
    type_names: Vec<u32>,
    /// Names of a type's bases.
    pub bases: FastMap<u32, Vec<u32>>,
    /// Node and the name of a type it mentions, sorted.
    pub types: Vec<(u32, u32)>,
    /// Files a file sees through its imports, sorted.
    pub visible: Vec<Vec<u32>>,
    /// The folder of a file, by number.
    pub folders: Vec<u32>,
    /// Stem of a file and name of its folder, as names.
    pub stems: Vec<(u32, u32)>,
    /// Other names in a file: file and new name to old name.
    pub aliases: FastMap<(u32, u32), u32>,
    /// File and a name that is mentioned in it as a type or an import, sorted.
    pub mentions: Vec<(u32, u32)>,
}

impl Tables {
    pub fn of(nodes: &Nodes) -> Tables {
        let mut out = Tables::default();
        for (at, node) in (0u32..).zip(&nodes.all) {
            if !node.is_target() {
                continue;
            }
            out.by_name.push((node.name, at));
            out.by_file.push((nodes.file(at), node.name, at));
            if node.owner != 0 {
                out.by_owner.push((node.owner, node.name, at));
            }
            if node.is_type() {
                out.type_names.push(node.name);
            }
        }
        out.by_name.sort_unstable();
        out.by_file.sort_unstable();
        out.type_names.sort_unstable();
        out.type_names.dedup();
        out
    }

    pub fn is_type_name(&self, name: u32) -> bool {
        self.type_names.binary_search(&name).is_ok()
    }

    /// Whether anything has that name.
    pub fn knows(&self, name: u32) -> bool {
        let at = self.by_name.partition_point(|(known, _)| *known < name);
        self.by_name.get(at).is_some_and(|(known, _)| *known == name)
    }

    /// Gives members without a type around them to the types their heads mention: methods of Go.
    pub fn finish(&mut self, nodes: &Nodes) {
        for (node, name) in &self.types {
            let this = nodes.get(*node);
            if this.kind == Kind::Method && this.owner == 0 {
                self.by_owner.push((*name, this.name, *node));
            }
        }
        self.by_owner.sort_unstable();
        self.by_owner.dedup();
    }

    pub fn named(&self, name: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.by_name.partition_point(|(known, _)| *known < name);
        self.by_name[start..].iter().take_while(move |(known, _)| *known == name).map(|(_, node)| *node)
    }

    fn in_file(&self, file: u32, name: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.by_file.partition_point(|(one, other, _)| (*one, *other) < (file, name));
        let same = move |(one, other, _): &&(u32, u32, u32)| (*one, *other) == (file, name);
        self.by_file[start..].iter().take_while(same).map(|(.., node)| *node)
    }

    pub fn members(&self, owner: u32, name: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.by_owner.partition_point(|(one, other, _)| (*one, *other) < (owner, name));
        let same = move |(one, other, _): &&(u32, u32, u32)| (*one, *other) == (owner, name);
        self.by_owner[start..].iter().take_while(same).map(|(.., node)| *node)
    }

    fn types_of(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.types.partition_point(|(one, _)| *one < node);
        self.types[start..].iter().take_while(move |(one, _)| *one == node).map(|(_, name)| *name)
    }

    fn mentions(&self, file: u32, name: u32) -> bool {
        self.mentions.binary_search(&(file, name)).is_ok()
    }
}

/// Languages whose definitions can mean each other.
pub(super) fn family(lang: LangId) -> u32 {
    match lang.get().imports {
        Imports::Files => 1,
        Imports::Packages => 2,
        Imports::Includes => 3,
        _ => 16 + u32::from(lang.0),
    }
}

pub(super) struct Resolver<'r> {
    pub nodes: &'r Nodes,
    pub tables: &'r Tables,
}

/// What a name means.
pub(super) type Meaning = (Vec<u32>, Certainty);

impl Resolver<'_> {
    /// What a call or mention in `from` means; `written` is the whole of it, with what stands before the name.
    pub fn meaning(&self, from: u32, written: &str) -> Option<Meaning> {
        let (before, last) = split(written);
        let name = self.nodes.names.id(last)?;
        let has_other = || self.tables.aliases.contains_key(&(self.nodes.file(from), name));
        if !self.tables.knows(name) && !has_other() {
            return None;
        }
        match before {
            "" => self.plain(from, name),
            before => self.member(from, before, name),
        }
    }

    fn plain(&self, from: u32, name: u32) -> Option<Meaning> {
        let (nodes, tables) = (self.nodes, self.tables);
        let (node, file) = (nodes.get(from), nodes.file(from));
        let language = node.lang.get();
        let own = self.own_type(from);
        let own_members = || -> Vec<u32> {
            match own.filter(|_| language.plain_members) {
                Some(own) => self.of_type_and_bases(own, name, node.lang),
                None => Vec::new(),
            }
        };
        let free = |at: &u32| !nodes.get(*at).is_member() && self.is_kin(*at, node.lang);
        if let Some(found) = self.one(own_members().into_iter(), file) {
            return Some((vec![found], Certainty::Resolved));
        }
        if let Some(found) = self.nearest(from, tables.in_file(file, name).filter(free)) {
            return Some((vec![found], Certainty::Resolved));
        }
        // A second name counts where nothing has it as its own.
        let name =
            tables.aliases.get(&(file, name)).copied().filter(|old| tables.knows(*old)).unwrap_or(name);
        let seen: Vec<u32> = self.in_files(&tables.visible[file as usize], name).filter(free).collect();
        match self.groups(&seen) {
            0 => {}
            1 => return Some((seen[..1].to_vec(), Certainty::Resolved)),
            2..=MAX_GUESSES => return Some((seen, Certainty::ByName)),
            _ => return None,
        }
        let all: Vec<u32> = tables.named(name).filter(free).take(64).collect();
        let near = |at: &&u32| tables.folders[nodes.file(**at) as usize] == tables.folders[file as usize];
        let beside: Vec<u32> = all.iter().filter(near).copied().collect();
        if language.reach != Reach::File && self.groups(&beside) == 1 {
            return Some((beside[..1].to_vec(), Certainty::Resolved));
        }
        let groups = self.groups(&all);
        let reaches = language.reach == Reach::Program || tables.mentions(file, name);
        match groups {
            1 if reaches => Some((all[..1].to_vec(), Certainty::Resolved)),
            1..=MAX_GUESSES if reaches => Some((all, Certainty::ByName)),
            // `open(path).read` is kept as `read`: what stood before it is not known.
            _ => self.unknown(from, "", name, false),
        }
    }

    fn member(&self, from: u32, before: &str, name: u32) -> Option<Meaning> {
        let (nodes, tables) = (self.nodes, self.tables);
        let (node, file) = (nodes.get(from), nodes.file(from));
        let receiver = split(before).1.trim_start_matches(['&', '*', '(']);
        if OWN.contains(&before) {
            if let Some(own) = self.own_type(from)
                && let Some(found) = self.one(self.of_type_and_bases(own, name, node.lang).into_iter(), file)
            {
                return Some((vec![found], Certainty::Resolved));
            }
            // What the type does not define may be a field that holds something of that name.
            let guess = self.unknown(from, "", name, true);
            return guess.map(|(found, _)| (found, Certainty::ByName));
        }
        if let Some(id) = nodes.names.id(receiver) {
            let id = tables.aliases.get(&(file, id)).copied().unwrap_or(id);
            let of_type = self.of_type_and_bases(id, name, node.lang);
            if let Some(found) = self.one(of_type.into_iter(), file) {
                return Some((vec![found], Certainty::Resolved));
            }
            let free = |at: &u32| !nodes.get(*at).is_member() && self.is_kin(*at, node.lang);
            let visible = &tables.visible[file as usize];
            let of_module = |at: &u32| {
                let stems = tables.stems[nodes.file(*at) as usize];
                stems.0 == id || stems.1 == id
            };
            let found: Vec<u32> = self.in_files(visible, name).filter(free).filter(of_module).collect();
            if self.groups(&found) == 1 {
                return Some((found[..1].to_vec(), Certainty::Resolved));
            }
        }
        // `import * as store` gives a module a name of its own.
        let is_name = before == receiver && !before.starts_with(char::is_uppercase);
        if is_name && node.lang.get().imports == Imports::Files {
            let free = |at: &u32| !nodes.get(*at).is_member() && self.is_kin(*at, node.lang);
            let found: Vec<u32> = self.in_files(&tables.visible[file as usize], name).filter(free).collect();
            if self.groups(&found) == 1 {
                return Some((found[..1].to_vec(), Certainty::Resolved));
            }
        }
        // A type or a module that is not of this repository.
        if receiver.starts_with(char::is_uppercase) || before.contains("::") || before.contains('\\') {
            return None;
        }
        let of_field = OWN.contains(&before.split(super::nodes::SEPARATORS).next().unwrap_or(before));
        self.unknown(from, receiver, name, of_field)
    }

    /// A member of something whose type is known only by what the chunk mentions.
    fn unknown(&self, from: u32, receiver: &str, name: u32, of_field: bool) -> Option<Meaning> {
        let (nodes, tables) = (self.nodes, self.tables);
        let is_common = COMMON.binary_search(&nodes.names.text(name)).is_ok();
        let node = nodes.get(from);
        let mut owners: Vec<u32> = tables.types_of(from).collect();
        if let Some(around) = nodes.type_around(from)
            && (of_field || node.lang.get().plain_members)
        {
            owners.extend(tables.types_of(around));
        }
        owners.sort_unstable();
        owners.dedup();
        // `card.charge()` beside a `Card` is a word about the type.
        let is_like = |owner: &u32| {
            let (owner, receiver) =
                (nodes.names.text(*owner).to_lowercase(), receiver.to_lowercase().replace('_', ""));
            receiver.len() > 2 && (owner.contains(&receiver) || receiver.contains(&owner))
        };
        if is_common || owners.iter().any(is_like) {
            owners.retain(is_like);
        }
        let mut found: Vec<u32> =
            owners.iter().flat_map(|owner| self.of_type_and_bases(*owner, name, node.lang)).collect();
        found.sort_unstable();
        found.dedup();
        if self.groups(&found) == 1 {
            return Some((found[..1].to_vec(), Certainty::Resolved));
        }
        if is_common {
            return None;
        }
        let is_member = |at: &u32| nodes.get(*at).is_member() && self.is_kin(*at, node.lang);
        let all: Vec<u32> = tables.named(name).filter(is_member).take(64).collect();
        (1..=MAX_GUESSES).contains(&self.groups(&all)).then_some((all, Certainty::ByName))
    }

    /// The name of the type around a node, or of the one it is written for.
    pub fn own_type(&self, node: u32) -> Option<u32> {
        let around = self.nodes.type_around(node).map(|around| self.nodes.get(around).name);
        around.or(Some(self.nodes.get(node).owner)).filter(|name| *name != 0)
    }

    /// Members of that name of a type; of its nearest base that has any.
    fn of_type_and_bases(&self, owner: u32, name: u32, lang: LangId) -> Vec<u32> {
        let mut asked = vec![owner];
        let mut next = 0;
        while let Some(owner) = asked.get(next).copied() {
            let found: Vec<u32> =
                self.tables.members(owner, name).filter(|at| self.is_kin(*at, lang)).collect();
            if !found.is_empty() {
                return found;
            }
            let bases = self.tables.bases.get(&owner).map(Vec::as_slice).unwrap_or_default();
            for base in bases.iter().filter(|_| asked.len() < MAX_BASES).copied().collect::<Vec<_>>() {
                if !asked.contains(&base) {
                    asked.push(base);
                }
            }
            next += 1;
        }
        Vec::new()
    }

    fn is_kin(&self, node: u32, lang: LangId) -> bool {
        family(self.nodes.get(node).lang) == family(lang)
    }

    fn in_files<'f>(&'f self, files: &'f [u32], name: u32) -> impl Iterator<Item = u32> + 'f {
        files.iter().flat_map(move |file| self.tables.in_file(*file, name))
    }

    /// The first of several, where they lie in one file under one owner; those of `file` and what it sees come first.
    fn one(&self, found: impl Iterator<Item = u32>, file: u32) -> Option<u32> {
        let all: Vec<u32> = found.collect();
        let visible = &self.tables.visible[file as usize];
        let own: Vec<u32> = all.iter().copied().filter(|at| self.nodes.file(*at) == file).collect();
        let seen = |at: &u32| visible.binary_search(&self.nodes.file(*at)).is_ok();
        let seen: Vec<u32> = all.iter().copied().filter(seen).collect();
        let folder = |at: &u32| self.tables.folders[*at as usize];
        let near: Vec<u32> =
            all.iter().copied().filter(|at| folder(&self.nodes.file(*at)) == folder(&file)).collect();
        [own, seen, near, all].iter().find(|list| self.groups(list) == 1).map(|list| list[0])
    }

    /// Of several in one file the one nested nearest; constructors stand behind their type.
    fn nearest(&self, from: u32, found: impl Iterator<Item = u32>) -> Option<u32> {
        let mut around = vec![from];
        while let Some(parent) = around.last().map(|at| self.nodes.get(*at).parent).filter(|at| *at != NONE) {
            around.push(parent);
        }
        found.filter(|at| *at != from || self.nodes.get(*at).kind.is_callable()).max_by_key(|at| {
            let parent = self.nodes.get(*at).parent;
            let depth = around.iter().position(|known| *known == parent);
            let nested = if parent == NONE { 1 } else { depth.map_or(0, |depth| 1_000 - depth) };
            (nested, std::cmp::Reverse(*at))
        })
    }

    /// How many different things these definitions are: overloads and declarations of one count once.
    fn groups(&self, found: &[u32]) -> usize {
        let mut seen: Vec<(u32, u32)> =
            found.iter().map(|at| (self.nodes.file(*at), self.nodes.get(*at).owner)).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn common_names_are_sorted_for_their_search() {
        assert!(super::COMMON.is_sorted());
    }
}
