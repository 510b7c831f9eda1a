//! schemathesis, which reads the OpenAPI document and tries to prove it wrong.
//!
//! It is expected in `.deps/venv` of the repository, or in the folder named by `MAINSTAY_TEST_VENV`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::server::Server;

#[test]
fn schemathesis_finds_nothing() {
    let named = std::env::var_os("MAINSTAY_TEST_VENV").map(PathBuf::from);
    let venv = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.deps/venv"));
    let program = venv.join("bin/schemathesis");
    assert!(
        program.is_file(),
        "schemathesis is not in {}: run the set-up script of the tests, or set MAINSTAY_TEST_VENV",
        venv.display()
    );
    let server = Server::start();
    let work = tempfile::tempdir().unwrap();
    let output = Command::new(program)
        .args(["run", &format!("http://{}/openapi.json", server.address)])
        .args(["--checks", "all", "--max-examples", "15", "--seed", "1", "--no-color"])
        // These two fail and wait on purpose.
        .args(["--exclude-path-regex", "^/tools/(fail|wait)$"])
        .current_dir(work.path())
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{report}");
    assert!(report.contains("No issues found"), "{report}");
}
