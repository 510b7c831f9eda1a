//! Every setting, once: flag, variable and configuration key differ only in spelling.

/// What a setting holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Switch,
    Text,
    Path,
    Number,
    List,
    /// A list of paths.
    Paths,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// One row of the settings table.
#[derive(Debug)]
pub struct Setting {
    /// The configuration key and, with `--`, the flag.
    pub key: &'static str,
    pub kind: Kind,
    /// Variables of the seeds that mean the same, beside `MAINSTAY_…`.
    pub seed_env: &'static [&'static str],
    /// What holds when nobody chooses; empty means unset.
    pub default: &'static str,
    pub help: &'static str,
    /// Never shown: tokens and the like.
    pub secret: bool,
}

const fn row(
    key: &'static str,
    kind: Kind,
    seed_env: &'static [&'static str],
    default: &'static str,
    help: &'static str,
) -> Setting {
    Setting { key, kind, seed_env, default, help, secret: false }
}

pub const SETTINGS: &[Setting] = &[
    row("toolsets", Kind::List, &[], "search,programs,catalog,foundry", "Toolsets to serve"),
    row(
        "form",
        Kind::Choice(&["auto", "classic", "discovery"]),
        &[],
        "auto",
        "Form of the tool list; auto is discovery for the programs toolset alone, classic otherwise",
    ),
    row("tool-names", Kind::Choice(&["wire", "id"]), &[], "wire", "Spelling of tool names over MCP"),
    row("tools", Kind::List, &[], "", "Serve only these tools"),
    row("exclude-tools", Kind::List, &[], "", "Never serve these tools"),
    row("read-only", Kind::Switch, &[], "false", "Leave out every tool that can write"),
    row(
        "allow-write",
        Kind::List,
        &[],
        "",
        "Toolsets whose tools may write; all of them when unset, none of them with the word none",
    ),
    row("require-plans", Kind::Switch, &[], "false", "Let tools that write do so only by a plan"),
    row("plan-lifetime-s", Kind::Number, &[], "1800", "Seconds for which a plan can be applied"),
    row("repo", Kind::Path, &[], "", "Repository the tools work on; the working directory when unset"),
    row(
        "cache-dir",
        Kind::Path,
        &[],
        "",
        "Where indexes and downloads are kept; the user's cache directory when unset",
    ),
    row(
        "state-dir",
        Kind::Path,
        &[],
        "",
        "Where plans wait to be applied; the user's state directory when unset",
    ),
    row(
        "tool-timeout-ms",
        Kind::Number,
        &["PAIROFCLEATS_MCP_TOOL_TIMEOUT_MS"],
        "",
        "Time limit of every tool, in milliseconds",
    ),
    row(
        "queue-max",
        Kind::Number,
        &["PAIROFCLEATS_MCP_QUEUE_MAX"],
        "64",
        "Calls accepted and not yet answered",
    ),
    row("workers", Kind::Number, &[], "16", "Calls running at once"),
    row(
        "transport",
        Kind::Choice(&["sdk", "legacy"]),
        &["PAIROFCLEATS_MCP_TRANSPORT"],
        "sdk",
        "Framing on stdio: lines, or Content-Length",
    ),
    row(
        "instructions-dir",
        Kind::Path,
        &["INSTRUCTIONS_DIR"],
        "instructions",
        "Directory of the instruction catalog",
    ),
    row(
        "enable-mutation",
        Kind::Switch,
        &["MCP_ENABLE_MUTATION"],
        "false",
        "Let tools change the instruction catalog",
    ),
    row("log-verbose", Kind::Switch, &["MCP_LOG_VERBOSE"], "false", "Log every call"),
    row("log-mutation", Kind::Switch, &["MCP_LOG_MUTATION"], "false", "Log calls that change the catalog"),
    row("features", Kind::List, &["INDEX_FEATURES"], "", "Optional catalog features, such as usage"),
    row(
        "gov-hash-trailing-newline",
        Kind::Switch,
        &["GOV_HASH_TRAILING_NEWLINE"],
        "false",
        "End the hashed governance text with a newline",
    ),
    row(
        "role",
        Kind::Choice(&["designer", "maintainer"]),
        &["MCP_ROLE"],
        "designer",
        "Role of the caller in the foundry",
    ),
    row("policy-file", Kind::Path, &["MCP_POLICY_FILE"], "", "Policy of the foundry tools"),
    row(
        "toolset",
        Kind::Choice(&["default", "all"]),
        &["MCP_TOOLSET"],
        "default",
        "Register on-demand tools too",
    ),
    row("extra-tools", Kind::List, &["MCP_EXTRA_TOOLS"], "", "On-demand tools to register"),
    row(
        "release-packages",
        Kind::List,
        &[],
        "",
        "Folders of packages to release, beside those below packages/",
    ),
    row("kit", Kind::Path, &[], "", "Design kit to use in place of the built-in one"),
    row(
        "browser",
        Kind::Path,
        &[],
        "",
        "Chromium the foundry takes pictures with; found on the PATH when unset",
    ),
    row(
        "axe-core",
        Kind::Path,
        &[],
        "",
        "axe.min.js of axe-core; the one in node_modules of the project when unset",
    ),
    row("programs", Kind::List, &[], "", "Program configurations: files or names of bundled ones"),
    row("programs-policy", Kind::Path, &[], "", "Policy of the program tools"),
    row("describe", Kind::Switch, &[], "false", "Offer climax_describe in discovery form"),
    row("host", Kind::Text, &[], "127.0.0.1", "Address the HTTP server listens on"),
    row("port", Kind::Number, &[], "7345", "Port the HTTP server listens on; 0 takes a free one"),
    Setting { secret: true, ..row("token", Kind::Text, &[], "", "Bearer token HTTP clients must send") },
    row("token-file", Kind::Path, &[], "", "File of tokens with scopes, written by `mainstay token`"),
    row(
        "rate-limit",
        Kind::Number,
        &[],
        "",
        "Requests a minute one HTTP caller may send; no limit when unset",
    ),
    row(
        "public-url",
        Kind::Text,
        &[],
        "",
        "Address clients know the HTTP server by, when a proxy stands before it",
    ),
    row("jwt-issuer", Kind::Text, &[], "", "Issuer whose signed access tokens HTTP clients may send"),
    row(
        "jwt-audience",
        Kind::List,
        &[],
        "",
        "Names of this server in access tokens; made from public-url when unset",
    ),
    row("jwt-keys-file", Kind::Path, &[], "", "File of the issuer's public keys (JWKS)"),
    row("jwt-keys-url", Kind::Text, &[], "", "Address of the issuer's public keys (JWKS)"),
    row(
        "jwt-algorithms",
        Kind::List,
        &[],
        "RS256,ES256,EdDSA",
        "Ways of signing access tokens that are accepted",
    ),
    row(
        "jwt-leeway-s",
        Kind::Number,
        &[],
        "60",
        "Seconds by which clocks may differ when access tokens are checked",
    ),
    row("allowed-repo-roots", Kind::Paths, &[], "", "Directories whose repositories HTTP clients may name"),
    row("cors-origins", Kind::List, &[], "", "Origins browsers may call the HTTP API from"),
    row("audit", Kind::Path, &[], "", "Directory of the audit log; calls are not logged when unset"),
    row("record", Kind::Path, &[], "", "File to record calls and answers in, for `mainstay replay`"),
    row("documents", Kind::Switch, &[], "true", "Read PDF and DOCX files when indexing"),
    row(
        "document-timeout-ms",
        Kind::Number,
        &[],
        "15000",
        "Time limit of reading one PDF or DOCX file, in milliseconds",
    ),
    row("lint-reports", Kind::Paths, &[], "", "SARIF files of linters, which search shows and filters by"),
    row("watch", Kind::Switch, &[], "false", "Keep indexes fresh from file events while a server runs"),
    row("join-daemon", Kind::Switch, &[], "true", "Let `mainstay mcp` use a running daemon"),
    row(
        "runtime-dir",
        Kind::Path,
        &[],
        "",
        "Where daemons are found; the user's runtime directory when unset",
    ),
    row("daemon-sessions", Kind::Number, &[], "64", "Clients one daemon serves at once"),
    row(
        "risk-rules",
        Kind::Path,
        &[],
        "",
        "File with rules about risks beside those of the program, as TOML",
    ),
    row(
        "download-sources",
        Kind::Path,
        &[],
        "",
        "File that says where models, dictionaries and extensions come from",
    ),
    row(
        "download-hosts",
        Kind::List,
        &[],
        "",
        "Hosts downloads may be redirected to, and that HTTP clients may name; .example.org means all below it",
    ),
    row(
        "ca-file",
        Kind::Path,
        &["SSL_CERT_FILE"],
        "",
        "Certificates downloads trust in place of the built-in ones",
    ),
    Setting {
        secret: true,
        ..row(
            "http-proxy",
            Kind::Text,
            &["all_proxy", "ALL_PROXY", "http_proxy"],
            "",
            "Proxy of http downloads",
        )
    },
    Setting {
        secret: true,
        ..row(
            "https-proxy",
            Kind::Text,
            &["all_proxy", "ALL_PROXY", "https_proxy", "HTTPS_PROXY"],
            "",
            "Proxy of https downloads",
        )
    },
    row("no-proxy", Kind::List, &["no_proxy", "NO_PROXY"], "", "Hosts downloads reach without a proxy"),
    row(
        "update-url",
        Kind::Text,
        &[],
        "",
        "Address `mainstay doctor` asks for the newest version, such as a release's server.json; unset, nothing is asked",
    ),
    row(
        "dashboard",
        Kind::Switch,
        &[],
        "false",
        "Serve pages that show what the server does; on stdio on a port of their own",
    ),
    row("dashboard-host", Kind::Text, &[], "127.0.0.1", "Loopback address of these pages"),
    row("dashboard-port", Kind::Number, &[], "8787", "Port of these pages"),
    row("dashboard-tries", Kind::Number, &[], "10", "How many ports from that one on are tried"),
];

impl Setting {
    pub fn flag(&self) -> String {
        format!("--{}", self.key)
    }

    pub fn env(&self) -> String {
        format!("MAINSTAY_{}", self.key.replace('-', "_").to_uppercase())
    }

    pub fn find(key: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }
}
