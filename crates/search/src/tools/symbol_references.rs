//! `symbol_references`: where a symbol is defined, who calls and mentions it, and what it calls.

use std::sync::Arc;

use mainstay_contract::{Call, Policy, Tool, ToolDef, Toolset};
use mainstay_index::relations::{Certainty, Link, Reference, Relations, SymbolId, Texts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::relations::page::Page;
use crate::relations::{SymbolJson, certainty};
use crate::{Search, SearchError};

const DEFAULT_LIMIT: usize = 50;
/// Definitions of one name that are shown.
const MAX_DEFINITIONS: usize = 50;

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("symbol_references", Toolset::Search)
        .title("Symbol references")
        .summary(
            "Find where a symbol is defined, who calls it, who else refers to it and what it calls, each with file, \
             line and whether that is resolved or only by name",
        )
        .reads()
        .policy(Policy::interactive())
        .tags(&["callers", "callees", "definition", "usages"])
        .example("Who uses a function", json!({ "symbol": "add" }))
        .example("Only callers that are certain", json!({ "symbol": "add", "relation": "callers", "certainty": "resolved" }))
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Name, Type.name, path:name, or path:line for what is defined there.
    #[schemars(length(min = 1, max = 1000), regex(pattern = r"\S"))]
    symbol: String,
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
    /// Which side to list; all when absent.
    relation: Option<Relation>,
    /// Only references that are resolved; any when absent.
    certainty: Option<Certain>,
    /// References in one answer, 50 when absent.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<usize>,
    /// Where the last answer ended.
    cursor: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Relation {
    All,
    Definitions,
    Callers,
    References,
    Callees,
}

#[derive(Debug, Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Certain {
    Resolved,
    Any,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Found {
    /// Repository that was looked at.
    repo: String,
    /// The symbol as it was asked for.
    symbol: String,
    /// Where it is defined.
    definitions: Vec<SymbolJson>,
    /// Who calls it.
    callers: Vec<Row>,
    /// Who else refers to it: as a type, a base, an import or a value.
    references: Vec<Row>,
    /// What it calls.
    callees: Vec<Row>,
    /// How many of each there are, beyond those shown.
    total: Totals,
    /// Where the next answer starts; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// What the reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Default, Serialize, JsonSchema)]
struct Totals {
    /// Definitions of the name.
    definitions: usize,
    /// Chunks that call it.
    callers: usize,
    /// Chunks that refer to it otherwise.
    references: usize,
    /// Definitions it calls.
    callees: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    /// Name of the definition; empty for code outside of definitions.
    name: String,
    /// What it is.
    kind: &'static str,
    /// Path relative to the repository.
    file: String,
    /// The first line that refers, or for a callee the line of its definition.
    line: u32,
    /// All lines that refer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<u32>,
    /// The first of these lines.
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
    /// How it refers: call, base or use.
    reference: &'static str,
    /// resolved, or by-name where another definition of that name may be meant.
    certainty: &'static str,
    /// Whether it is a test.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    test: bool,
}

/// A reference before it is shown.
#[derive(Clone, Copy)]
struct Pair {
    side: Relation,
    from: SymbolId,
    to: SymbolId,
    link: Link,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Found, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    call.progress("open", "opening the index");
    let index = search.engine.index(&repo)?;
    call.progress("relate", "following names across files");
    let relations = index.relations()?;
    let sides = args.relation.unwrap_or(Relation::All);
    let definitions = relations.find(&args.symbol);
    let mut notes = Vec::new();
    let mut pairs = match definitions.is_empty() {
        false => pairs(&relations, &definitions),
        true => outside(&relations, args, &mut notes),
    };
    pairs.retain(|pair| sides == Relation::All || sides == pair.side);
    if args.certainty == Some(Certain::Resolved) {
        pairs.retain(|pair| pair.link.certainty == Certainty::Resolved);
    }
    if definitions.len() > MAX_DEFINITIONS {
        notes.push(format!("only {MAX_DEFINITIONS} definitions are shown; name a file: path:name"));
    }
    let about = format!("{} {sides:?} {:?} {}", args.symbol, args.certainty, relations.mark());
    let page = Page::new(&about, args.cursor.as_deref(), args.limit.unwrap_or(DEFAULT_LIMIT))?;
    let count = |side: Relation| pairs.iter().filter(|pair| pair.side == side).count();
    let mut texts = Texts::default();
    let mut found = Found {
        repo: repo.display().to_string(),
        symbol: args.symbol.clone(),
        definitions: Vec::new(),
        callers: Vec::new(),
        references: Vec::new(),
        callees: Vec::new(),
        total: Totals {
            definitions: definitions.len(),
            callers: count(Relation::Callers),
            references: count(Relation::References),
            callees: count(Relation::Callees),
        },
        cursor: page.next(pairs.len()),
        notes,
    };
    for id in definitions.iter().take(MAX_DEFINITIONS) {
        found.definitions.push(SymbolJson::of(&relations, &mut texts, *id));
    }
    for pair in page.of(&pairs) {
        call.cancel().check()?;
        let row = row(&relations, &mut texts, args, pair);
        match pair.side {
            Relation::Callers => found.callers.push(row),
            Relation::Callees => found.callees.push(row),
            _ => found.references.push(row),
        }
    }
    Ok(found)
}

/// Everything linked to these definitions, callers first.
fn pairs(relations: &Relations, definitions: &[SymbolId]) -> Vec<Pair> {
    let mut out = Vec::new();
    for id in definitions {
        let to = relations.references_to(*id).into_iter();
        out.extend(to.map(|link| {
            let is_call = link.reference == Reference::Call;
            let side = if is_call { Relation::Callers } else { Relation::References };
            Pair { side, from: link.other, to: *id, link }
        }));
        let from = relations.references_from(*id).into_iter();
        out.extend(from.filter(|link| link.reference == Reference::Call).map(|link| Pair {
            side: Relation::Callees,
            from: *id,
            to: link.other,
            link,
        }));
    }
    let order = |side: Relation| match side {
        Relation::Callers => 0,
        Relation::References => 1,
        _ => 2,
    };
    out.sort_by_key(|pair| (order(pair.side), pair.link.certainty, pair.from, pair.to));
    out.dedup_by_key(|pair| (order(pair.side), pair.from, pair.to));
    out
}

/// Who names something that is not defined in the repository.
fn outside(relations: &Relations, args: &Args, notes: &mut Vec<String>) -> Vec<Pair> {
    let naming = relations.naming(&args.symbol);
    let near = relations.similar(&args.symbol, 5);
    let mut note = format!("nothing in this repository defines {}", args.symbol);
    if naming.is_empty() && !near.is_empty() {
        note.push_str(&format!("; near it: {}", near.join(", ")));
    }
    notes.push(note);
    let pair = |(id, reference): (SymbolId, Reference)| Pair {
        side: if reference == Reference::Call { Relation::Callers } else { Relation::References },
        from: id,
        to: id,
        link: Link { other: id, reference, certainty: Certainty::ByName },
    };
    naming.into_iter().map(pair).collect()
}

fn row(relations: &Relations, texts: &mut Texts, args: &Args, pair: &Pair) -> Row {
    let places = match pair.from == pair.to && pair.side != Relation::Callees {
        true => relations.lines_naming(texts, pair.from, relations.own_name(&args.symbol)),
        false => relations.lines(texts, pair.from, pair.to),
    };
    let shown = relations.symbol(if pair.side == Relation::Callees { pair.to } else { pair.from });
    let first = places.first();
    Row {
        kind: shown.kind.name(),
        line: match pair.side {
            Relation::Callees => shown.lines.0,
            _ => first.map_or(shown.lines.0, |place| place.line),
        },
        name: shown.name,
        file: shown.path,
        lines: places.iter().map(|place| place.line).collect(),
        text: first.map(|place| place.text.clone()).unwrap_or_default(),
        reference: pair.link.reference.name(),
        certainty: certainty(pair.link.certainty),
        test: shown.is_test,
    }
}
