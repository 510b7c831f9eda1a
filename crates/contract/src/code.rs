//! Error codes: one table with meaning, remedy, HTTP status, exit status and JSON-RPC code.

use serde::{Serialize, Serializer};

/// What a process exit says about a failed call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitClass {
    /// 2: the command line was wrong.
    Usage,
    /// 3: the request cannot be met.
    Unmet,
    /// 4: cancelled, timed out or overloaded.
    Interrupted,
    /// 5: our fault.
    Internal,
}

impl ExitClass {
    pub fn status(self) -> u8 {
        match self {
            ExitClass::Usage => 2,
            ExitClass::Unmet => 3,
            ExitClass::Interrupted => 4,
            ExitClass::Internal => 5,
        }
    }
}

/// One row of the public error table.
#[derive(Debug)]
pub struct CodeRow {
    pub code: ErrorCode,
    pub name: &'static str,
    pub meaning: &'static str,
    pub remedy: &'static str,
    pub http: u16,
    pub exit: ExitClass,
    /// JSON-RPC error code when this failure is a protocol error.
    pub rpc: i32,
    /// The code shown on MCP and HTTP, where it differs (codes of the foundry line protocol).
    pub shared: Option<ErrorCode>,
}

macro_rules! codes {
    ($($variant:ident $name:literal $http:literal $exit:ident $rpc:literal $(=> $shared:ident)? : $meaning:literal, $remedy:literal;)+) => {
        /// Every error code of the contract.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $(#[doc = $meaning] $variant,)+ }

        impl ErrorCode {
            /// The public error table, in documentation order.
            pub const TABLE: &'static [CodeRow] = &[
                $(CodeRow {
                    code: ErrorCode::$variant,
                    name: $name,
                    meaning: $meaning,
                    remedy: $remedy,
                    http: $http,
                    exit: ExitClass::$exit,
                    rpc: $rpc,
                    shared: codes!(@shared $($shared)?),
                },)+
            ];
        }
    };
    (@shared) => { None };
    (@shared $shared:ident) => { Some(ErrorCode::$shared) };
}

codes! {
    InvalidRequest "INVALID_REQUEST" 400 Usage -32602: "The request is malformed or does not match the schema", "Fix the request; `mainstay tools show NAME` prints the schema";
    UnknownTool "UNKNOWN_TOOL" 404 Usage -32602: "No tool of that name is registered", "List the tools with `mainstay tools list`";
    NotFound "NOT_FOUND" 404 Unmet -32602: "A file, entry or other resource does not exist", "Check the path or id";
    NoIndex "NO_INDEX" 409 Unmet -32000: "The repository has no index yet", "Build one with `mainstay index build`";
    CapabilityMissing "CAPABILITY_MISSING" 501 Unmet -32000: "An optional program or platform feature is missing", "Install what the message names, or change the configuration";
    QueueOverloaded "QUEUE_OVERLOADED" 503 Interrupted -32001: "The server accepts no more calls right now", "Retry later or reduce concurrency";
    ToolTimeout "TOOL_TIMEOUT" 504 Interrupted -32000: "The tool ran past its time limit and was stopped", "Raise the limit or narrow the request";
    Cancelled "CANCELLED" 499 Interrupted -32000: "The call was cancelled", "Nothing to do";
    Internal "INTERNAL" 500 Internal -32603: "Something failed inside the server", "Report it with the log";
    Unauthorized "UNAUTHORIZED" 401 Unmet -32000: "Credentials are missing or wrong", "Send a valid bearer token";
    Forbidden "FORBIDDEN" 403 Unmet -32000: "Policy does not allow this call", "Run `mainstay tools explain NAME` to see which rule decided";
    DownloadVerifyFailed "DOWNLOAD_VERIFY_FAILED" 502 Unmet -32000: "A download does not have the pinned checksum", "Retry; check network and proxy";
    ArchiveUnsafe "ARCHIVE_UNSAFE" 422 Unmet -32000: "An archive holds entries that may not be unpacked", "Use an archive without links and absolute or parent paths";
    ArchiveTooLarge "ARCHIVE_TOO_LARGE" 422 Unmet -32000: "An archive is larger than the limit", "Use a smaller archive or raise the limit";
    PlanRequired "PLAN_REQUIRED" 428 Unmet -32000: "The operator lets this tool change things only by a plan", "Preview the call, look at the plan and apply it";
    PlanMissing "PLAN_MISSING" 404 Unmet -32000: "There is no such plan, it was applied already, or it is for another tool", "Preview the call again and apply the new plan";
    PlanExpired "PLAN_EXPIRED" 410 Unmet -32000: "The plan was made too long ago", "Preview the call again and apply the new plan";
    PlanDrifted "PLAN_DRIFTED" 409 Unmet -32000: "What the plan is about has changed since it was made", "Look at `details.differences`, preview again and apply the new plan";
    SchemaInput "SCHEMA_INPUT" 400 Usage -32602 => InvalidRequest: "The input does not match the tool's schema", "Fix the input; `details.errors` lists every violation";
    SchemaOutput "SCHEMA_OUTPUT" 500 Internal -32603 => Internal: "A tool's answer does not match its own schema", "Report it with the log";
    PolicyDenied "POLICY_DENIED" 403 Unmet -32000 => Forbidden: "The caller's role may not use this tool", "Ask for a role that is allowed";
    RateLimit "RATE_LIMIT" 429 Interrupted -32001 => QueueOverloaded: "The tool was called too often", "Retry after `retryAfterMs`";
    Concurrency "CONCURRENCY" 429 Interrupted -32001 => QueueOverloaded: "The tool is already running as often as allowed", "Retry after `retryAfterMs`";
    Timeout "TIMEOUT" 504 Interrupted -32000 => ToolTimeout: "The tool ran past its time limit and was stopped", "Raise the limit or narrow the request";
    BadRequest "BAD_REQUEST" 400 Unmet -32602 => InvalidRequest: "The tool could not do what was asked", "Read the message";
}

impl ErrorCode {
    pub fn row(self) -> &'static CodeRow {
        Self::TABLE.iter().find(|row| row.code == self).expect("the macro writes one row per variant")
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The code used on MCP and HTTP.
    pub fn shared(self) -> ErrorCode {
        self.row().shared.unwrap_or(self)
    }

    /// The code used on the foundry line protocol.
    pub fn line(self) -> ErrorCode {
        match self {
            ErrorCode::InvalidRequest => ErrorCode::SchemaInput,
            ErrorCode::Forbidden | ErrorCode::Unauthorized => ErrorCode::PolicyDenied,
            ErrorCode::QueueOverloaded => ErrorCode::Concurrency,
            ErrorCode::ToolTimeout => ErrorCode::Timeout,
            ErrorCode::UnknownTool
            | ErrorCode::SchemaInput
            | ErrorCode::SchemaOutput
            | ErrorCode::PolicyDenied
            | ErrorCode::RateLimit
            | ErrorCode::Concurrency
            | ErrorCode::Timeout => self,
            _ => ErrorCode::BadRequest,
        }
    }
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_maps_to_a_shared_code_and_a_line_code() {
        for row in ErrorCode::TABLE {
            assert!(row.code.shared().row().shared.is_none(), "{} is not shared", row.code.shared());
            assert_eq!(row.code.line().line(), row.code.line());
            assert!((400..=599).contains(&row.http), "{}", row.name);
            assert!(!row.meaning.ends_with('.') && !row.remedy.ends_with('.'));
        }
    }
}
