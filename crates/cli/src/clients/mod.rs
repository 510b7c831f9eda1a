//! The MCP clients `connect` knows: where their files are, how an entry looks, and how one comes and goes.
//!
//! Nothing here prints or asks; folders and variables are passed in.

mod change;
mod entry;
mod json;
mod link;
mod places;
mod toml;

use std::path::PathBuf;

pub use self::change::{Change, plan_connect, plan_disconnect, registered};
pub use self::entry::Entry;
pub use self::link::install_link;
pub use self::places::{Os, Places, Scope};

/// The name of our entry unless somebody chooses another.
pub const ENTRY_NAME: &str = "mainstay";

/// How a client writes its configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON that may hold comments and trailing commas.
    Json,
    Toml,
}

/// One MCP client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    ClaudeCode,
    ClaudeDesktop,
    VsCode,
    Cursor,
    Codex,
    Zed,
    /// A `.mcp.json` in a project, read by several clients.
    McpJson,
}

impl Client {
    pub const ALL: [Client; 7] = [
        Client::ClaudeCode,
        Client::ClaudeDesktop,
        Client::VsCode,
        Client::Cursor,
        Client::Codex,
        Client::Zed,
        Client::McpJson,
    ];

    /// The word on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Client::ClaudeCode => "claude-code",
            Client::ClaudeDesktop => "claude-desktop",
            Client::VsCode => "vscode",
            Client::Cursor => "cursor",
            Client::Codex => "codex",
            Client::Zed => "zed",
            Client::McpJson => "mcp-json",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Client::ClaudeCode => "Claude Code",
            Client::ClaudeDesktop => "Claude Desktop",
            Client::VsCode => "VS Code",
            Client::Cursor => "Cursor",
            Client::Codex => "Codex",
            Client::Zed => "Zed",
            Client::McpJson => "mcp.json",
        }
    }

    pub fn parse(id: &str) -> Option<Client> {
        Client::ALL.into_iter().find(|client| client.id() == id)
    }

    pub fn format(self) -> Format {
        match self {
            Client::Codex => Format::Toml,
            _ => Format::Json,
        }
    }

    /// The key under which the client keeps its servers.
    pub fn key(self) -> &'static str {
        match self {
            Client::VsCode => "servers",
            Client::Codex => "mcp_servers",
            Client::Zed => "context_servers",
            _ => "mcpServers",
        }
    }

    /// Whether an entry says that it is a program.
    fn names_type(self) -> bool {
        matches!(self, Client::ClaudeCode | Client::VsCode)
    }

    /// What the client puts in place of the open folder; the others start servers in it, or know no folder.
    pub fn folder_variable(self) -> Option<&'static str> {
        match self {
            Client::VsCode | Client::Cursor => Some("${workspaceFolder}"),
            _ => None,
        }
    }

    /// Whether the client starts servers in no folder at all, so that an entry must name one.
    pub fn needs_folder(self) -> bool {
        self == Client::ClaudeDesktop
    }

    /// Whether the client seems to be in use on this machine.
    pub fn is_found(self, places: &Places) -> bool {
        places.signs(self).iter().any(|path| path.exists())
    }
}

/// Why a client's file is left alone.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("{file} cannot be understood: {reason}")]
    Unreadable { file: PathBuf, reason: String },
    #[error("{key} in {file} is not a table of servers")]
    NotServers { file: PathBuf, key: &'static str },
    #[error("{file} has an entry {name} that starts {command}, which is not Mainstay")]
    Foreign { file: PathBuf, name: String, command: String },
    #[error("{file} changed while it was looked at")]
    Changed { file: PathBuf },
    #[error("{title} has no configuration file in a project")]
    NoProjectFile { title: &'static str },
    #[error("could not {verb} {file}: {source}")]
    Io { verb: &'static str, file: PathBuf, source: std::io::Error },
}

impl From<ClientError> for mainstay_contract::Fault {
    fn from(error: ClientError) -> Self {
        use mainstay_contract::Fault;
        let hint = match &error {
            ClientError::Unreadable { .. } | ClientError::NotServers { .. } => {
                "mend the file, or take the block of `mainstay connect --print CLIENT` and paste it yourself"
            }
            ClientError::Foreign { .. } => "choose another name with --name",
            ClientError::Changed { .. } => "run the command again",
            ClientError::NoProjectFile { .. } => "leave out --project",
            ClientError::Io { .. } => "check the permissions of the file and its folder",
        };
        Fault::invalid(error).hint(hint)
    }
}
