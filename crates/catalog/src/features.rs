//! Feature switches and the counters that show they are in use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::{CatalogConfig, KNOWN_FEATURES};

/// Counts of feature activity by name.
pub(crate) struct Counters(Mutex<BTreeMap<String, u64>>);

/// Which features are on, and what they did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Features {
    /// Active features.
    pub features: BTreeSet<String>,
    /// Activity counters.
    pub counters: BTreeMap<String, u64>,
    /// Feature names as the operator gave them.
    pub env: Vec<String>,
}

impl Counters {
    pub fn new(config: &CatalogConfig) -> Counters {
        let active = active(config).into_iter().map(|name| (format!("featureActivated:{name}"), 1));
        Counters(Mutex::new(active.collect()))
    }

    pub fn bump(&self, name: &str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(name.to_owned()).or_default() += 1;
    }

    pub fn report(&self, config: &CatalogConfig) -> Features {
        Features {
            features: active(config),
            counters: self.0.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            env: config.features.clone(),
        }
    }
}

fn active(config: &CatalogConfig) -> BTreeSet<String> {
    let known = KNOWN_FEATURES.iter().filter(|name| config.has_feature(name));
    known.map(|name| (*name).to_owned()).collect()
}
