//! Every number of the ranker, in one place.
//!
//! Found on the repositories of `bench/quality`, mostly on one half of them. Most of them are flat around
//! their value: what differed by less than half a point of NDCG between the halves was left round.

/// How fast repetition of a word saturates in a chunk, and how much a chunk's length counts.
pub const K1: f32 = 1.5;
pub const B: f32 = 0.6;
/// A one-line constant is not thirty times as much about its words as a function: short chunks count as this share of
/// the average.
pub const SHORT: f32 = 0.4;

/// What a word counts in the fields of a chunk; once in the body is one.
pub const NAME_TF: f32 = 3.0;
pub const SIGNATURE_TF: f32 = 1.5;
pub const DOC_TF: f32 = 1.4;
/// A file name counts for the first chunk of its file like one good word.
pub const FILE_NAME_TF: f32 = 1.5;
/// Matches of a literal or expression beyond the words in it.
pub const MATCH: f32 = 1.0;

/// The whole file's text beside the chunk's: a question's words are often spread over several functions.
pub const FILE_SHARE: f32 = 0.3;
pub const FILE_K1: f32 = 1.2;
pub const FILE_B: f32 = 0.5;

/// What the nearest vector adds, beside the best text.
pub const VECTOR: f32 = 0.3;

/// What is left of a hit that holds none of the query's weight.
pub const COVER: f32 = 0.4;
/// A word that code uses for one of the query's, beside the word itself.
pub const RELATED: f32 = 0.6;
/// A word that says little, beside one that says much.
pub const WEAK: f32 = 0.4;

/// Words of the query in the file's name and in its folders, as a share of the query.
pub const PATH_NAME: f32 = 1.0;
pub const PATH_FOLDER: f32 = 0.25;
/// A word that only begins like the one in the path.
pub const PATH_LIKE: f32 = 0.8;
/// The file is named after what is asked, and after nothing else.
pub const PATH_WHOLE: f32 = 1.25;
/// `.gitignore` is not about ignoring files: the names of data files say little.
pub const PATH_DATA: f32 = 0.3;

/// What is left of hits nobody asked for.
pub const TEST: f32 = 0.3;
pub const DOCS: f32 = 0.3;
pub const EXAMPLE: f32 = 0.45;
pub const GENERATED: f32 = 0.4;
pub const VENDORED: f32 = 0.4;
pub const MINIFIED: f32 = 0.2;
pub const DECLARATIONS: f32 = 0.55;

/// By what a chunk is.
pub const PROSE: f32 = 0.7;
pub const DATA: f32 = 0.45;
pub const BLOCK: f32 = 0.75;
pub const CONSTANT: f32 = 0.7;
/// What a type is comes before what it can do.
pub const IMPL: f32 = 0.8;
pub const TYPE: f32 = 1.12;
pub const DEFINITION: f32 = 1.05;
pub const PART: f32 = 0.9;

/// A definition of a name the query may mean: `sym:Name`, a name as written, neighbouring words run together, a word.
pub const WISH_SYMBOL: f32 = 4.0;
pub const WISH_NAME: f32 = 3.0;
pub const WISH_RUN: f32 = 1.9;
pub const WISH_WORD: f32 = 1.2;
/// The definition is spelt as in the query.
pub const SPELLING: f32 = 1.15;
/// Words of the query in the chunk's own name.
pub const NAME_WORDS: f32 = 0.35;

/// Other hits in the file raise its best one; each later one makes room.
pub const COMPANY: f32 = 0.3;
pub const ROOM: f32 = 0.85;
