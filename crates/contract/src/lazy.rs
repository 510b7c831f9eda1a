//! A JSON Schema that is made when it is first looked at: most tools of a server are never called.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use serde::{Serialize, Serializer};
use serde_json::Value;

type Make = Box<dyn FnOnce() -> Value + Send>;

/// A schema, used like the `Value` it is.
#[derive(Clone)]
pub struct Schema(Arc<LazyLock<Value, Make>>);

impl Schema {
    pub fn lazy(make: impl FnOnce() -> Value + Send + 'static) -> Schema {
        Schema(Arc::new(LazyLock::new(Box::new(make))))
    }
}

impl Deref for Schema {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

impl From<Value> for Schema {
    fn from(schema: Value) -> Schema {
        Schema::lazy(move || schema)
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}
