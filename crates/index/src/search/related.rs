//! Words that code uses for words of a question: abbreviations, spellings, near synonyms.
//!
//! A question says *environment variable*, code says `env`; a question says *remove*, code says `delete`. Groups hold for
//! all their words; a related word counts less than the word itself, and `explain` names it.

use crate::hash::FastMap;
use crate::token::stem;
use std::sync::OnceLock;

/// The words of the groups a word is in, without the word itself.
pub(super) fn related(word: &str) -> &'static [&'static str] {
    static BY_STEM: OnceLock<FastMap<&'static str, Vec<&'static str>>> = OnceLock::new();
    BY_STEM.get_or_init(by_stem).get(stem(word)).map(Vec::as_slice).unwrap_or_default()
}

fn by_stem() -> FastMap<&'static str, Vec<&'static str>> {
    let mut out: FastMap<&'static str, Vec<&'static str>> = FastMap::default();
    for group in GROUPS {
        for word in group.split(' ') {
            let known = out.entry(stem(word)).or_default();
            for other in group.split(' ').filter(|other| stem(other) != stem(word)) {
                if !known.contains(&other) {
                    known.push(other);
                }
            }
        }
    }
    out
}

const GROUPS: &[&str] = &[
    "abort cancel stop interrupt",
    "abbreviation abbr",
    "address addr",
    "allocate alloc",
    "allocator arena",
    "application app",
    "argument arg args param parameter",
    "array list",
    "asynchronous async await",
    "attribute attr",
    "authenticate authentication auth login credential",
    "authorize authorization permission auth",
    "background daemon async",
    "begin start",
    "benchmark bench",
    "binary bin",
    "buffer buf",
    "calculate compute calc",
    "callback hook listener handler",
    "certificate cert tls ssl",
    "character char",
    "check validate verify assert",
    "checksum hash digest crc",
    "child sub nested",
    "clean cleanup clear purge",
    "close shutdown stop",
    "colour color",
    "column col",
    "command cmd",
    "compare cmp equal",
    "compress compression gzip deflate zip",
    "configuration config conf cfg settings options",
    "connection conn socket",
    "context ctx",
    "convert cast transform coerce",
    "copy clone dup",
    "create make new build",
    "current cur",
    "database db",
    "date time",
    "decode parse unmarshal deserialize",
    "default fallback",
    "delay wait sleep backoff",
    "dependency dep",
    "destination dest dst",
    "directory dir folder",
    "document doc",
    "drop discard skip",
    "duplicate dup",
    "duration elapsed timeout",
    "element elem",
    "encode serialize marshal dump",
    "encrypt cipher",
    "environment env",
    "error err exception failure fault",
    "evict expire expired purge",
    "execute exec run invoke",
    "expression expr",
    "extension ext",
    "fail failed failure error",
    "file path",
    "filter exclude match",
    "find search lookup",
    "font glyph",
    "format fmt",
    "function func fn",
    "generate gen",
    "group batch",
    "hide mask redact",
    "identifier id ident",
    "image picture photo",
    "implementation impl",
    "include import",
    "index idx",
    "information info",
    "initialize init setup",
    "insert add put",
    "integer int",
    "interval period",
    "iterate iter iterator",
    "keyboard key",
    "language lang locale i18n translation",
    "length len size",
    "level severity",
    "library lib",
    "limit max maximum bound",
    "link url href hyperlink",
    "load read",
    "location loc",
    "manager mgr",
    "maximum max",
    "memory mem",
    "merge combine join",
    "message msg",
    "metadata meta",
    "metrics statistics stats telemetry",
    "minimum min",
    "modify mutate update",
    "move rename",
    "multiple multi",
    "mutual mutex lock",
    "notify publish emit event",
    "number num",
    "object obj",
    "operation op",
    "package pkg",
    "pagination page",
    "parallel concurrent thread worker",
    "password secret credential",
    "pattern regex glob",
    "permission scope role visibility",
    "pointer ptr",
    "position pos",
    "previous prev",
    "print output display write",
    "process proc",
    "property prop",
    "protocol proto",
    "query sql",
    "queue job",
    "random rand jitter",
    "range slice",
    "receive recv",
    "recursive deep",
    "redirect location",
    "reference ref",
    "refuse reject deny",
    "regular regex",
    "remove delete del erase",
    "repeat retry",
    "repository repo",
    "request req",
    "response resp res reply",
    "restart reload",
    "result ret outcome",
    "retry attempt",
    "route router routing",
    "schedule timer cron",
    "sequence seq",
    "server srv",
    "signature sig",
    "source src",
    "specification spec",
    "statement stmt",
    "store save persist",
    "string str",
    "synchronous sync",
    "temporary temp tmp",
    "terminal tty console",
    "text string",
    "token lexer",
    "traceback stacktrace trace",
    "transaction tx",
    "update upgrade refresh",
    "upload multipart",
    "user owner",
    "utility util",
    "value val",
    "variable var",
    "version semver",
    "wait await block",
    "warning warn",
    "watch monitor observe",
    "websocket ws",
    "window win",
    "write print",
];

/// Words that make up a question without saying what it is about.
pub(super) fn is_weak(word: &str) -> bool {
    WEAK.iter().any(|line| line.split(' ').any(|weak| weak == word))
}

const WEAK: &[&str] = &[
    "about after again all allow allowed always another any around away back before between both change",
    "changes come comes different during each ends every everything first full give given gives go goes",
    "good handed instead keep keeps kept know known large larger last later left less like long longer",
    "look looked made make makes many more most much need needs never new next nothing now number off",
    "once one only other others out over own part per place put rather same second set several short",
    "shown single small some something soon still take taken takes tell thing things through time",
    "together too turn turned two until up upon want way well whatever whole",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn related_words_come_from_every_group_in_any_form() {
        assert_eq!(related("directories"), ["dir", "folder"]);
        assert!(related("failures").contains(&"exception"));
        assert!(related("zebra").is_empty());
    }
}
