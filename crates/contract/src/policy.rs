//! What may be called by whom, how often and for how long: data read by the runtime.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Who is calling, as far as policy cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Designer,
    Maintainer,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Role::Designer => "designer",
            Role::Maintainer => "maintainer",
        }
    }

    pub fn parse(name: &str) -> Option<Role> {
        [Role::Designer, Role::Maintainer].into_iter().find(|role| role.name() == name)
    }
}

/// A switch an operator must turn on before a tool may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Gate {
    /// Catalog writes: `MCP_ENABLE_MUTATION=1`.
    Mutation,
}

/// Where a call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// On the thread that decoded the request: microseconds, touches memory only.
    Inline,
    /// On a worker thread, through the bounded queue.
    Worker,
}

/// Limits of one tool.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Roles that may call; empty means everyone.
    pub roles: Vec<Role>,
    pub timeout: Duration,
    /// Calls a minute, as a token bucket of that size.
    pub rate_per_minute: Option<u32>,
    /// Calls at once; one more is refused.
    pub concurrency: Option<u32>,
    /// Globs a writing tool may write below its root.
    pub writes: Vec<String>,
    pub gate: Option<Gate>,
    pub lane: Lane,
}

impl Policy {
    /// Answers from memory, at once.
    pub fn instant() -> Policy {
        Policy { lane: Lane::Inline, ..Policy::interactive() }
    }

    /// Answers while somebody waits: 30 s.
    pub fn interactive() -> Policy {
        Policy {
            roles: Vec::new(),
            timeout: Duration::from_secs(30),
            rate_per_minute: None,
            concurrency: None,
            writes: Vec::new(),
            gate: None,
            lane: Lane::Worker,
        }
    }

    /// Builds, downloads and other long work: 30 min.
    pub fn batch() -> Policy {
        Policy { timeout: Duration::from_secs(30 * 60), ..Policy::interactive() }
    }

    pub fn timeout(mut self, timeout: Duration) -> Policy {
        self.timeout = timeout;
        self
    }

    pub fn roles(mut self, roles: &[Role]) -> Policy {
        self.roles = roles.to_vec();
        self
    }

    pub fn rate_per_minute(mut self, rate: u32) -> Policy {
        self.rate_per_minute = Some(rate);
        self
    }

    pub fn concurrency(mut self, limit: u32) -> Policy {
        self.concurrency = Some(limit);
        self
    }

    pub fn writes(mut self, globs: &[&str]) -> Policy {
        self.writes = globs.iter().map(|glob| (*glob).to_owned()).collect();
        self
    }

    pub fn gate(mut self, gate: Gate) -> Policy {
        self.gate = Some(gate);
        self
    }
}
