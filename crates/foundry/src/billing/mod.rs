//! Billing records of two providers, authored here: what differs between them, and how they look in the kit.

mod diff;
mod specimen;
pub mod switch;

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use diff::{Difference, differences};
pub use specimen::{comparison, page, specimen};

/// A billing provider there are fixtures of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    Stripe,
    Chargebee,
}

impl Provider {
    pub const ALL: [Provider; 2] = [Provider::Stripe, Provider::Chargebee];

    pub fn name(self) -> &'static str {
        match self {
            Provider::Stripe => "stripe",
            Provider::Chargebee => "chargebee",
        }
    }
}

/// A billing object that can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum Object {
    Subscription,
    Invoice,
    Plan,
    Usage,
}

impl Object {
    /// The key in a fixture, and the name in file names.
    pub fn key(self) -> &'static str {
        match self {
            Object::Subscription => "subscription",
            Object::Invoice => "invoice",
            Object::Plan => "plan",
            Object::Usage => "usage",
        }
    }

    /// As the contract spells it.
    pub fn title(self) -> &'static str {
        match self {
            Object::Subscription => "Subscription",
            Object::Invoice => "Invoice",
            Object::Plan => "Plan",
            Object::Usage => "Usage",
        }
    }
}

/// One record of a provider.
pub fn record(provider: Provider, object: Object) -> &'static Map<String, Value> {
    static FIXTURES: OnceLock<[Value; 2]> = OnceLock::new();
    let read = |text| serde_json::from_str(text).expect("the fixtures are part of the build and valid");
    let [stripe, chargebee] =
        FIXTURES.get_or_init(|| [read(include_str!("stripe.json")), read(include_str!("chargebee.json"))]);
    let fixture = match provider {
        Provider::Stripe => stripe,
        Provider::Chargebee => chargebee,
    };
    fixture[object.key()].as_object().expect("every fixture has every object")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_providers_have_the_same_keys_in_every_object() {
        for object in [Object::Subscription, Object::Invoice, Object::Plan, Object::Usage] {
            let [stripe, chargebee] = Provider::ALL.map(|provider| record(provider, object));
            assert!(stripe.keys().eq(chargebee.keys()), "{}", object.key());
            assert!(stripe["currency"].is_string() && stripe["status"].is_string());
        }
    }
}
