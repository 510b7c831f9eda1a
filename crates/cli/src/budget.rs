//! Flags that say how much of an answer is wanted.

use clap::{Arg, ArgMatches};
use mainstay_runtime::budget::{CURSOR, DETAIL, MAX_TOKENS};
use serde_json::{Map, Value};

/// Each flag with the call metadata it stands for and its meaning.
const FLAGS: [(&str, &str, &str); 3] = [
    ("answer-tokens", MAX_TOKENS, "Answer with at most so many tokens; the cursor leads to the rest"),
    ("answer-detail", DETAIL, "How much is told of each listed thing: ids, brief or full"),
    ("answer-cursor", CURSOR, "Go on from the cursor of an earlier answer"),
];

/// The flags as arguments of a command.
pub fn flags() -> impl Iterator<Item = Arg> {
    FLAGS.iter().map(|(flag, _, help)| Arg::new(*flag).long(*flag).value_name("VALUE").help(*help))
}

/// Whether a flag of this name is one of these.
pub fn is_flag(name: &str) -> bool {
    FLAGS.iter().any(|(flag, ..)| *flag == name)
}

/// The call metadata that was asked for.
pub fn meta(matches: &ArgMatches) -> Map<String, Value> {
    let given = FLAGS.iter().filter_map(|(flag, key, _)| {
        let text = matches.get_one::<String>(flag)?;
        let number = text.parse::<u64>().ok().filter(|_| *key == MAX_TOKENS);
        Some(((*key).to_owned(), number.map_or_else(|| Value::from(text.as_str()), Value::from)))
    });
    given.collect()
}
