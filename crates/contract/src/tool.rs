//! The definition of a tool, from which every surface is computed.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::{
    Call, Fault, FaultResult, Need, Planning, Policy, Ruling, Schema, Toolset, args_schema_of, closed,
    envelope_schema, read_args, result_schema_of, with_reserved,
};

/// What a call can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    Read,
    Write,
    Destructive,
    /// Reads or writes beyond this machine.
    Network,
}

/// How an answer is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Payload {
    /// The envelope around a JSON result.
    Envelope,
    /// The JSON result itself, as text and structured content.
    Bare,
    /// Plain text.
    Text,
    /// Content blocks chosen by the tool.
    Content,
}

/// Who checks the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgCheck {
    /// The runtime, against the input schema.
    Schema,
    /// The tool itself, because its texts are part of the contract.
    Tool,
}

/// Whether a call may go on as a task that the client polls, where the protocol has tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskSupport {
    #[default]
    Never,
    /// As a task for clients that know tasks, at once for the others.
    Optional,
    /// Only as a task.
    Required,
    /// Only as a task, which starts once the client has answered the tool's questions.
    AfterInput,
}

/// In which form of `tools/list` a tool appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Listing {
    Classic,
    Discovery,
}

/// Another name under which a tool answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Alias {
    pub name: String,
    /// Shown in `tools/list`, marked deprecated.
    pub listed: bool,
}

/// A call that works, executed by a test.
#[derive(Debug, Clone, Serialize)]
pub struct Example {
    pub summary: String,
    pub args: Value,
}

/// Everything about a tool except the work.
#[derive(Debug, Clone)]
pub struct ToolDef {
    pub id: String,
    pub aliases: Vec<Alias>,
    pub title: String,
    pub summary: String,
    pub toolset: Toolset,
    pub input: Schema,
    /// Schema of the result (not of the envelope).
    pub output: Option<Schema>,
    pub effect: Effect,
    /// How exactly the tool can say beforehand what it changes.
    pub planning: Planning,
    pub payload: Payload,
    pub args: ArgCheck,
    pub listing: Listing,
    /// Registered only when the operator asks for it by name or for everything.
    pub on_demand: bool,
    pub policy: Policy,
    pub tasks: TaskSupport,
    /// Grows by one with every change a caller can notice.
    pub schema_version: u32,
    /// Deterministic and read-only, as `meta/tools` reports it.
    pub stable: bool,
    pub examples: Vec<Example>,
    /// Group, category and tags used by discovery; empty means the toolset's own.
    pub group: Option<String>,
    pub category: Option<String>,
    pub tags: Vec<String>,
    /// What a policy file says about the tool.
    pub ruling: Option<Ruling>,
    /// What the tool needs of the machine.
    pub needs: Option<Need>,
    /// Arguments of the contract that are refused because nothing stands behind them yet.
    pub reserved: Vec<(String, String)>,
    /// What the operator's policy demands, in words for people: `(argument, rule)`; without an argument it is about
    /// the whole tool.
    pub rules: Vec<(Option<String>, String)>,
}

/// The name a strict MCP client accepts for an id: `/` and `.` become `_`.
pub fn wire_name(id: &str) -> String {
    id.replace(['/', '.'], "_")
}

impl ToolDef {
    pub fn new(id: impl Into<String>, toolset: Toolset) -> ToolDef {
        let id = id.into();
        ToolDef {
            title: id.clone(),
            id,
            aliases: Vec::new(),
            summary: String::new(),
            toolset,
            input: Schema::lazy(|| closed(Value::Object(Default::default()))),
            output: None,
            effect: Effect::Read,
            planning: Planning::Nothing,
            payload: Payload::Envelope,
            args: ArgCheck::Schema,
            listing: Listing::Classic,
            on_demand: false,
            policy: Policy::interactive(),
            tasks: TaskSupport::Never,
            schema_version: 1,
            stable: false,
            examples: Vec::new(),
            group: None,
            category: None,
            tags: Vec::new(),
            ruling: None,
            needs: None,
            reserved: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// Whether a name means this tool: its id, its wire name or an alias.
    pub fn answers_to(&self, name: &str) -> bool {
        name == self.id || name == self.wire_name() || self.aliases.iter().any(|alias| alias.name == name)
    }

    pub fn wire_name(&self) -> String {
        wire_name(&self.id)
    }

    pub fn title(mut self, title: &str) -> ToolDef {
        self.title = title.to_owned();
        self
    }

    pub fn summary(mut self, summary: impl Into<String>) -> ToolDef {
        self.summary = summary.into();
        self
    }

    pub fn alias(mut self, name: &str, listed: bool) -> ToolDef {
        self.aliases.push(Alias { name: name.to_owned(), listed });
        self
    }

    pub fn reads(self) -> ToolDef {
        self.effect(Effect::Read)
    }

    pub fn writes(self) -> ToolDef {
        self.effect(Effect::Write)
    }

    pub fn destroys(self) -> ToolDef {
        self.effect(Effect::Destructive)
    }

    pub fn effect(mut self, effect: Effect) -> ToolDef {
        self.effect = effect;
        self
    }

    /// Says that every change is named with its state before and after, so that a preview is exact.
    pub fn planned(mut self) -> ToolDef {
        self.planning = Planning::Exact;
        self
    }

    /// Says that a preview names the targets and their state, and why it cannot name the state afterwards.
    pub fn planned_as_far(mut self, reason: &'static str) -> ToolDef {
        self.planning = Planning::Bound(reason);
        self
    }

    /// Says that the tool hands its call over, and that the other tool is what is planned.
    pub fn forwards(mut self) -> ToolDef {
        self.planning = Planning::Forwarded;
        self
    }

    pub fn policy(mut self, policy: Policy) -> ToolDef {
        self.policy = policy;
        self
    }

    pub fn payload(mut self, payload: Payload) -> ToolDef {
        self.payload = payload;
        self
    }

    pub fn args(mut self, args: ArgCheck) -> ToolDef {
        self.args = args;
        self
    }

    pub fn listing(mut self, listing: Listing) -> ToolDef {
        self.listing = listing;
        self
    }

    pub fn tasks(mut self, support: TaskSupport) -> ToolDef {
        self.tasks = support;
        self
    }

    pub fn on_demand(mut self) -> ToolDef {
        self.on_demand = true;
        self
    }

    /// Names what the tool needs of the machine.
    pub fn needs(mut self, need: Need) -> ToolDef {
        self.needs = Some(need);
        self
    }

    pub fn stable(mut self) -> ToolDef {
        self.stable = true;
        self
    }

    pub fn schema_version(mut self, version: u32) -> ToolDef {
        self.schema_version = version;
        self
    }

    pub fn example(mut self, summary: &str, args: Value) -> ToolDef {
        self.examples.push(Example { summary: summary.to_owned(), args });
        self
    }

    pub fn tags(mut self, tags: &[&str]) -> ToolDef {
        self.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        self
    }

    /// Names arguments that the schema lists and refuses: `(name, meaning)`.
    pub fn reserved(mut self, names: &[(&str, &str)]) -> ToolDef {
        self.reserved =
            names.iter().map(|(name, meaning)| ((*name).to_owned(), (*meaning).to_owned())).collect();
        self
    }

    /// Replaces the derived argument schema, for arguments a Rust type cannot describe.
    pub fn input(mut self, schema: impl Into<Schema>) -> ToolDef {
        self.input = schema.into();
        self
    }

    pub fn output(mut self, schema: impl Into<Schema>) -> ToolDef {
        self.output = Some(schema.into());
        self
    }

    /// Schema of what MCP calls `structuredContent`.
    pub fn structured_schema(&self) -> Option<Value> {
        let output = self.output.as_ref()?;
        match self.payload {
            Payload::Envelope => {
                let mut schema = envelope_schema(output);
                if self.planning != Planning::Nothing {
                    schema["properties"]["_meta"]["properties"]["plan"] = crate::plan::plan_schema();
                }
                Some(schema)
            }
            Payload::Bare => Some(Value::clone(output)),
            Payload::Text | Payload::Content => None,
        }
    }

    /// Joins the definition with typed work; both schemas come from the types.
    pub fn handler<A, R, E, F>(mut self, run: F) -> Tool
    where
        A: DeserializeOwned + JsonSchema + 'static,
        R: Serialize + JsonSchema + 'static,
        E: Into<Fault>,
        F: Fn(&Call, A) -> Result<R, E> + Send + Sync + 'static,
    {
        let reserved = self.reserved.clone();
        self.input = Schema::lazy(move || with_reserved(args_schema_of::<A>(), &reserved));
        self.output = Some(Schema::lazy(result_schema_of::<R>));
        self.raw_handler(move |call, args| {
            let args = read_args(args).map_err(Fault::invalid)?;
            Body::json(&run(call, args).map_err(Into::into)?)
        })
    }

    /// Joins the definition with work that reads and writes JSON itself.
    pub fn raw_handler<F>(self, run: F) -> Tool
    where
        F: Fn(&Call, Value) -> FaultResult<Body> + Send + Sync + 'static,
    {
        Tool { def: Arc::new(self), run: Arc::new(run) }
    }
}

/// What a tool answers before a surface encodes it.
#[derive(Debug, Clone)]
pub enum Body {
    /// A JSON result, already serialised.
    Json(Box<RawValue>),
    /// Plain text; a failure can be part of the contract's texts.
    Text { text: String, is_error: bool },
    /// Goes on as a call of another tool, under that tool's schema, gate and limits.
    Forward { tool: String, args: Value },
    /// MCP content blocks.
    Content { blocks: Vec<Value>, structured: Option<Value>, is_error: bool },
    /// Questions the client must answer before the tool is called again, by key; `state` comes back
    /// unchanged with the answers.
    Input { requests: Map<String, Value>, state: Option<String> },
    /// Nothing was done: what would be changed, as data and in words, and the answer as far as it is known.
    Planned { plan: Value, text: String, result: Option<Box<RawValue>> },
}

impl Body {
    pub fn json(result: &impl Serialize) -> FaultResult<Body> {
        serde_json::value::to_raw_value(result).map(Body::Json).map_err(|error| Fault::internal(&error))
    }

    pub fn text(text: impl Into<String>) -> Body {
        Body::Text { text: text.into(), is_error: false }
    }

    pub fn failed_text(text: impl Into<String>) -> Body {
        Body::Text { text: text.into(), is_error: true }
    }
}

/// The work behind a tool.
pub type Handler = Arc<dyn Fn(&Call, Value) -> FaultResult<Body> + Send + Sync>;

/// A definition and its work.
#[derive(Clone)]
pub struct Tool {
    pub def: Arc<ToolDef>,
    pub run: Handler,
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Args {
        /// Words to repeat.
        text: String,
        /// How often; once when absent.
        times: Option<usize>,
    }

    #[derive(Serialize, JsonSchema)]
    struct Echo {
        text: String,
        #[serde(skip_serializing_if = "String::is_empty")]
        rest: String,
    }

    fn echo() -> Tool {
        ToolDef::new("test/echo", Toolset::Search).summary("Repeat").handler(|_: &Call, args: Args| {
            Ok::<_, Fault>(Echo { text: args.text.repeat(args.times.unwrap_or(1)), rest: String::new() })
        })
    }

    #[test]
    fn schemas_come_from_the_types_and_are_closed() {
        let tool = echo();
        assert_eq!(tool.def.wire_name(), "test_echo");
        assert_eq!(tool.def.input["additionalProperties"], false);
        assert_eq!(tool.def.input["required"], serde_json::json!(["text"]));
        assert_eq!(tool.def.input["properties"]["times"]["type"], "integer", "{:?}", tool.def.input);
        assert_eq!(tool.def.input["properties"]["times"]["description"], "How often; once when absent.");
    }

    #[test]
    fn a_field_that_can_be_left_out_is_not_required() {
        assert_eq!(echo().def.output.as_ref().unwrap()["required"], serde_json::json!(["text"]));
    }

    #[test]
    fn a_typed_handler_answers_json() {
        let tool = echo();
        let call = Call::detached(Arc::clone(&tool.def));
        let body = (tool.run)(&call, serde_json::json!({"text": "ab", "times": 2})).unwrap();
        assert!(matches!(body, Body::Json(raw) if raw.get() == r#"{"text":"abab"}"#));
        assert!((tool.run)(&call, serde_json::json!({"text": 1})).is_err());
    }
}
