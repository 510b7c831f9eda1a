//! One finding about a tree or a patch, as every tool reports it.

use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Issue {
    /// Stable name of the kind of finding.
    pub code: String,
    pub message: String,
    /// JSON pointer into the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
}

impl Issue {
    pub fn error(code: &str, message: impl Into<String>) -> Issue {
        Issue::new(code, message.into(), Severity::Error)
    }

    pub fn warning(code: &str, message: impl Into<String>) -> Issue {
        Issue::new(code, message.into(), Severity::Warning)
    }

    fn new(code: &str, message: String, severity: Severity) -> Issue {
        Issue {
            code: code.to_owned(),
            message,
            path: None,
            hint: None,
            severity: Some(severity),
            component: None,
            node_id: None,
        }
    }

    pub fn at(mut self, path: impl Into<String>) -> Issue {
        self.path = Some(path.into());
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Issue {
        self.hint = Some(hint.into());
        self
    }

    /// The node and component the finding is about.
    pub fn about(mut self, node_id: &str, component: &str) -> Issue {
        self.node_id = Some(node_id.to_owned());
        self.component = Some(component.to_owned());
        self
    }
}
