//! `ChangeLog`: the notable changes of an entry, kept as the text they are stored and answered as.
//!
//! A catalog holds thousands of logs that are almost never looked into; as text one costs a single allocation.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// Notable changes, oldest first.
#[derive(Debug, Clone)]
pub struct ChangeLog {
    text: Box<RawValue>,
    len: u32,
}

impl ChangeLog {
    pub fn len(&self) -> usize {
        self.len as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The changes one by one.
    pub fn items(&self) -> Vec<Value> {
        serde_json::from_str(self.text.get()).expect("a change log was written from a list")
    }

    /// Adds the newest change.
    pub fn push(&mut self, change: Value) {
        let mut items = self.items();
        items.push(change);
        *self = items.into();
    }
}

impl From<Vec<Value>> for ChangeLog {
    fn from(items: Vec<Value>) -> ChangeLog {
        let text = serde_json::value::to_raw_value(&items).expect("JSON values serialise");
        ChangeLog { text, len: items.len() as u32 }
    }
}

impl PartialEq for ChangeLog {
    fn eq(&self, other: &ChangeLog) -> bool {
        self.text.get() == other.text.get()
    }
}

impl Serialize for ChangeLog {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl JsonSchema for ChangeLog {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        <Vec<Value>>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        <Vec<Value>>::json_schema(generator)
    }
}
