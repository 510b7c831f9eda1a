//! Plans: what a call would change, shown first and applied later, if nothing has changed in between.
//!
//! A preview runs the tool with nothing allowed and keeps what it names, bound to the tool, to a hash of its arguments
//! and to a moment. Applying runs the preview once more, at the same moment, and goes ahead only where it comes out
//! the same; whatever is written is then compared once more, target by target, as it is written.

mod store;

use std::time::Duration;

use jiff::Timestamp;
use mainstay_contract::{
    Body, Difference, ErrorCode, Fault, FaultResult, Planning, Target, ToolDef, differences, drifted,
    timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

pub use store::PlanStore;

/// Names of the call metadata.
pub const PLAN: &str = "mainstay/plan";
pub const APPLY: &str = "mainstay/apply";

/// How long a plan can be applied.
pub const LIFETIME: Duration = Duration::from_secs(30 * 60);
/// Targets told in one answer; the plan holds all.
const SHOWN_TARGETS: usize = 200;

/// What a caller wants done with the changes of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    Direct,
    Preview,
    Apply(String),
}

impl Intent {
    /// Reads the metadata of a call.
    pub fn of(meta: &Map<String, Value>) -> FaultResult<Intent> {
        let preview = match meta.get(PLAN) {
            None | Some(Value::Bool(false)) => false,
            Some(Value::Bool(true)) => true,
            Some(value) => {
                return Err(
                    Fault::invalid(format!("{PLAN} must be true or false")).detail("value", value.clone())
                );
            }
        };
        match (preview, meta.get(APPLY)) {
            (false, None) => Ok(Intent::Direct),
            (true, None) => Ok(Intent::Preview),
            (false, Some(Value::String(id))) => Ok(Intent::Apply(id.clone())),
            (true, Some(_)) => Err(Fault::invalid(format!("{PLAN} and {APPLY} exclude each other"))),
            (false, Some(value)) => {
                Err(Fault::invalid(format!("{APPLY} must be the id of a plan"))
                    .detail("value", value.clone()))
            }
        }
    }
}

/// What a call would change, as it was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    pub tool: String,
    /// Hash of the arguments; they themselves are not kept, because they may be secret.
    pub args: String,
    #[serde(with = "moment")]
    pub at: Timestamp,
    #[serde(with = "moment")]
    pub expires: Timestamp,
    pub targets: Vec<Target>,
}

/// A moment as text, to the nanosecond.
mod moment {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(moment: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(moment)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

impl Plan {
    pub fn new(
        tool: &ToolDef,
        args: &Value,
        at: Timestamp,
        lifetime: Duration,
        targets: Vec<Target>,
    ) -> Plan {
        let expires = at.checked_add(lifetime).unwrap_or(Timestamp::MAX);
        Plan { tool: tool.id.clone(), args: hash_of(args), at, expires, targets }
    }

    /// The id follows from the content, so that a plan that was edited is none.
    pub fn id(&self) -> String {
        let text = serde_json::to_string(self).expect("a plan holds only strings and times");
        format!("plan-{}", &hex(&Sha256::digest(text))[..32])
    }

    /// Refuses a plan that is too old or is for another call.
    pub fn check(&self, tool: &ToolDef, args: &Value, now: Timestamp) -> FaultResult<()> {
        if now > self.expires {
            let message = format!("the plan expired at {}", timestamp(self.expires));
            return Err(Fault::new(ErrorCode::PlanExpired, message)
                .detail("expiredAt", timestamp(self.expires))
                .hint("nothing was changed; preview again and apply the new plan"));
        }
        if self.tool != tool.id {
            let message = format!("the plan is for {}, not for {}", self.tool, tool.id);
            return Err(Fault::new(ErrorCode::PlanMissing, message)
                .detail("tool", self.tool.as_str())
                .hint("nothing was changed; apply the plan with the tool it was made for"));
        }
        let found = hash_of(args);
        match found == self.args {
            true => Ok(()),
            false => Err(drifted(&[Difference {
                target: "the call".into(),
                what: "arguments",
                expected: Some(self.args.clone()),
                found: Some(found),
            }])),
        }
    }

    /// Refuses a plan that would come out differently now.
    pub fn compare(&self, found: &[Target]) -> FaultResult<()> {
        match differences(&self.targets, found) {
            differences if differences.is_empty() => Ok(()),
            differences => Err(drifted(&differences)),
        }
    }

    /// The plan as `_meta.plan` shows it.
    pub fn shown(&self, planning: &Planning) -> Value {
        let mut plan = json!({
            "id": self.id(),
            "tool": self.tool,
            "argsHash": self.args,
            "expiresAt": timestamp(self.expires),
            "kind": planning.name(),
            "targetCount": self.targets.len(),
            "targets": &self.targets[..self.targets.len().min(SHOWN_TARGETS)],
        });
        if let Planning::Bound(reason) = planning {
            plan["unknown"] = json!(reason);
        }
        plan
    }

    /// The plan in words.
    pub fn text(&self, planning: &Planning) -> String {
        let mut text = format!("Plan {} for {}\n", self.id(), self.tool);
        if self.targets.is_empty() {
            text.push_str("  nothing would change\n");
        }
        for target in self.targets.iter().take(SHOWN_TARGETS) {
            let action = json!(target.action);
            let state = |hash: &Option<String>| {
                hash.as_deref().map_or("-", |hash| hash.get(..12).unwrap_or(hash)).to_owned()
            };
            let (before, after) = (state(&target.before), state(&target.after));
            let action = action.as_str().unwrap_or_default();
            text.push_str(&format!("  {action:<8} {}  {before} -> {after}\n", target.target));
        }
        if self.targets.len() > SHOWN_TARGETS {
            text.push_str(&format!("  and {} more\n", self.targets.len() - SHOWN_TARGETS));
        }
        if let Planning::Bound(reason) = planning {
            text.push_str(&format!("Not known before: {reason}\n"));
        }
        text.push_str(&format!("Apply it before {}", timestamp(self.expires)));
        text
    }

    /// The answer to a preview.
    pub fn body(&self, planning: &Planning, result: Option<Body>) -> Body {
        let result = match result {
            Some(Body::Json(raw)) => Some(raw),
            _ => None,
        };
        Body::Planned { plan: self.shown(planning), text: self.text(planning), result }
    }
}

/// The refusal of a direct call where the operator demands plans.
pub fn required(tool: &ToolDef, rule: &str) -> Fault {
    Fault::new(ErrorCode::PlanRequired, format!("{} changes things and needs a plan", tool.id))
        .detail("tool", tool.id.as_str())
        .detail("rule", rule)
        .hint("call it with mainstay/plan (`--plan` in a shell), look at the plan, and repeat the call with mainstay/apply")
}

/// The refusal of a plan for a tool that changes nothing.
pub fn needless(tool: &ToolDef) -> Fault {
    Fault::invalid(format!("{} changes nothing, so that there is nothing to plan", tool.id))
        .hint("call it without mainstay/plan and mainstay/apply")
}

/// The refusal of a plan whose call would be refused by now; being stopped says nothing about the plan.
pub fn refused_now(fault: Fault) -> Fault {
    if matches!(fault.code, ErrorCode::Cancelled | ErrorCode::ToolTimeout | ErrorCode::Timeout) {
        return fault;
    }
    let difference = Difference {
        target: "the call".into(),
        what: "refused",
        expected: None,
        found: Some(fault.message.clone()),
    };
    let drifted = drifted(&[difference]).detail("cause", fault.to_error());
    Fault { message: format!("the call would be refused by now: {}", fault.message), ..drifted }
}

/// SHA-256 of JSON with the keys of every object in order.
pub(crate) fn hash_of(value: &Value) -> String {
    hex(&Sha256::digest(sorted(value).to_string()))
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            keys.into_iter().map(|key| (key.clone(), sorted(&map[key]))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use mainstay_contract::Toolset;

    use super::*;

    fn tool(id: &str) -> ToolDef {
        ToolDef::new(id, Toolset::Search).writes().planned()
    }

    fn plan() -> Plan {
        let targets = vec![Target::exact("a", Some("1".into()), Some("2".into()))];
        Plan::new(
            &tool("t"),
            &json!({"x": 1, "y": [{"b": 1, "a": 2}]}),
            Timestamp::UNIX_EPOCH,
            LIFETIME,
            targets,
        )
    }

    #[test]
    fn metadata_is_checked() {
        let of = |pairs: Value| Intent::of(pairs.as_object().unwrap());
        assert_eq!(of(json!({})).unwrap(), Intent::Direct);
        assert_eq!(of(json!({PLAN: false})).unwrap(), Intent::Direct);
        assert_eq!(of(json!({PLAN: true})).unwrap(), Intent::Preview);
        assert_eq!(of(json!({APPLY: "p"})).unwrap(), Intent::Apply("p".into()));
        for bad in [json!({PLAN: 1}), json!({PLAN: true, APPLY: "p"}), json!({APPLY: 7})] {
            assert_eq!(of(bad).unwrap_err().code, ErrorCode::InvalidRequest);
        }
    }

    #[test]
    fn a_plan_fits_its_call_only() {
        let (plan, now) = (plan(), Timestamp::UNIX_EPOCH);
        let reordered = json!({"y": [{"a": 2, "b": 1}], "x": 1});
        assert!(plan.check(&tool("t"), &reordered, now).is_ok());
        let code = |tool: &ToolDef, args: Value, now| plan.check(tool, &args, now).unwrap_err().code;
        assert_eq!(code(&tool("u"), reordered.clone(), now), ErrorCode::PlanMissing);
        assert_eq!(code(&tool("t"), json!({"x": 2}), now), ErrorCode::PlanDrifted);
        let late = plan.expires.checked_add(Duration::from_millis(1)).unwrap();
        assert_eq!(code(&tool("t"), reordered, late), ErrorCode::PlanExpired);
    }

    #[test]
    fn the_id_follows_from_the_content() {
        let (one, mut other) = (plan(), plan());
        assert_eq!(one.id(), other.id());
        other.targets[0].after = Some("3".into());
        assert_ne!(one.id(), other.id());
        assert!(one.text(&Planning::Exact).contains("replace  a  1 -> 2"));
    }
}
