//! Flags that say how much of an answer is wanted.

use clap::{Arg, ArgAction, ArgMatches};
use mainstay_runtime::budget::{CURSOR, DETAIL, MAX_TOKENS};
use mainstay_runtime::meta_value;
use mainstay_runtime::plan::{APPLY, PLAN};
use serde_json::{Map, Value};

/// Each flag with the call metadata it stands for and its meaning.
const FLAGS: [(&str, &str, &str); 4] = [
    ("answer-tokens", MAX_TOKENS, "Answer with at most so many tokens; the cursor leads to the rest"),
    ("answer-detail", DETAIL, "How much is told of each listed thing: ids, brief or full"),
    ("answer-cursor", CURSOR, "Go on from the cursor of an earlier answer"),
    ("apply-plan", APPLY, "Do what the plan of this id says, if nothing has changed since"),
];

/// The switch that asks for a plan.
pub const PLAN_FLAG: &str = "plan";

/// The flags as arguments of a command.
pub fn flags() -> impl Iterator<Item = Arg> {
    let valued = FLAGS.iter();
    let valued = valued.map(|(flag, _, help)| Arg::new(*flag).long(*flag).value_name("VALUE").help(*help));
    let plan = Arg::new(PLAN_FLAG).long(PLAN_FLAG).action(ArgAction::SetTrue);
    valued.chain([plan.help("Change nothing and show what would be changed, as a plan to apply")])
}

/// Whether a flag of this name is one of these.
pub fn is_flag(name: &str) -> bool {
    name == PLAN_FLAG || FLAGS.iter().any(|(flag, ..)| *flag == name)
}

/// The call metadata that was asked for.
pub fn meta(matches: &ArgMatches) -> Map<String, Value> {
    let given = FLAGS.iter().filter_map(|(flag, key, _)| {
        let text = matches.get_one::<String>(flag)?;
        Some(((*key).to_owned(), meta_value(key, text)))
    });
    let plan = matches.get_flag(PLAN_FLAG).then(|| (PLAN.to_owned(), Value::Bool(true)));
    given.chain(plan).collect()
}
