//! Where each client keeps its configuration on each system.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Client;

/// A family of systems with its own folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    Linux,
    Mac,
    Windows,
}

impl Os {
    pub fn this() -> Os {
        match std::env::consts::OS {
            "macos" => Os::Mac,
            "windows" => Os::Windows,
            _ => Os::Linux,
        }
    }
}

/// Whose configuration is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every project of this user.
    User,
    /// The project in the working directory, shared with whoever has it.
    Project,
}

/// The folders that decide where files are.
#[derive(Debug, Clone)]
pub struct Places {
    home: PathBuf,
    zed: PathBuf,
    /// Where desktop programs keep theirs.
    app_data: PathBuf,
    claude_home: Option<PathBuf>,
    codex_home: PathBuf,
    project: PathBuf,
}

impl Places {
    /// Reads the folders from variables; without a home there is none.
    pub fn new(os: Os, env: &BTreeMap<String, String>, project: &Path) -> Option<Places> {
        let dir = |name: &str| env.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = dir("HOME").or_else(|| dir("USERPROFILE"))?;
        let config = dir("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let app_data = match os {
            Os::Linux => config.clone(),
            Os::Mac => home.join("Library/Application Support"),
            Os::Windows => dir("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming")),
        };
        Some(Places {
            zed: if os == Os::Windows { app_data.join("Zed") } else { config.join("zed") },
            claude_home: dir("CLAUDE_CONFIG_DIR"),
            codex_home: dir("CODEX_HOME").unwrap_or_else(|| home.join(".codex")),
            app_data,
            home,
            project: project.to_owned(),
        })
    }

    /// The file of a client; not every client has one in a project.
    pub fn file(&self, client: Client, scope: Scope) -> Option<PathBuf> {
        Some(match (client, scope) {
            (Client::ClaudeCode, Scope::User) => {
                self.claude_home.as_ref().unwrap_or(&self.home).join(".claude.json")
            }
            (Client::ClaudeDesktop, Scope::User) => self.app_data.join("Claude/claude_desktop_config.json"),
            (Client::ClaudeDesktop, Scope::Project) => return None,
            (Client::VsCode, Scope::User) => self.app_data.join("Code/User/mcp.json"),
            (Client::VsCode, Scope::Project) => self.project.join(".vscode/mcp.json"),
            (Client::Cursor, Scope::User) => self.home.join(".cursor/mcp.json"),
            (Client::Cursor, Scope::Project) => self.project.join(".cursor/mcp.json"),
            (Client::Codex, Scope::User) => self.codex_home.join("config.toml"),
            (Client::Codex, Scope::Project) => self.project.join(".codex/config.toml"),
            (Client::Zed, Scope::User) => self.zed.join("settings.json"),
            (Client::Zed, Scope::Project) => self.project.join(".zed/settings.json"),
            (Client::ClaudeCode, Scope::Project) | (Client::McpJson, _) => self.project.join(".mcp.json"),
        })
    }

    /// What exists where the client is installed or in use.
    pub(super) fn signs(&self, client: Client) -> Vec<PathBuf> {
        let file = self.file(client, Scope::User).expect("every client has a file of the user");
        match client {
            Client::ClaudeCode => vec![file, self.home.join(".claude")],
            Client::McpJson => vec![file],
            _ => file.parent().map(Path::to_owned).into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(os: Os, env: &[(&str, &str)], client: Client, file: &str) {
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let places = Places::new(os, &env, Path::new("/p")).unwrap();
        assert_eq!(places.file(client, Scope::User).unwrap(), Path::new(file), "{os:?} {client:?}");
    }

    #[test]
    fn each_system_has_its_own_folders() {
        let home = &[("HOME", "/h")];
        check(Os::Linux, home, Client::VsCode, "/h/.config/Code/User/mcp.json");
        check(Os::Linux, home, Client::ClaudeDesktop, "/h/.config/Claude/claude_desktop_config.json");
        check(Os::Mac, home, Client::VsCode, "/h/Library/Application Support/Code/User/mcp.json");
        check(Os::Mac, home, Client::Zed, "/h/.config/zed/settings.json");
        check(
            Os::Windows,
            &[("USERPROFILE", "/u"), ("APPDATA", "/u/r")],
            Client::ClaudeDesktop,
            "/u/r/Claude/claude_desktop_config.json",
        );
    }

    #[test]
    fn variables_of_the_clients_are_respected() {
        let env =
            &[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x"), ("CODEX_HOME", "/c"), ("CLAUDE_CONFIG_DIR", "/a")];
        check(Os::Linux, env, Client::Zed, "/x/zed/settings.json");
        check(Os::Linux, env, Client::Codex, "/c/config.toml");
        check(Os::Linux, env, Client::ClaudeCode, "/a/.claude.json");
    }
}
