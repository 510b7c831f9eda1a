//! The commands of the README work as they are written.

use crate::examples::prepare;
use crate::site::{MAINSTAY, Site, workspace};

#[test]
fn every_command_of_the_readme_succeeds() {
    let text = std::fs::read_to_string(workspace().join("README.md")).unwrap();
    let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("$ mainstay ")).collect();
    assert!(commands.len() >= 10, "{commands:?}");
    let site = Site::new();
    prepare(&site);
    std::fs::create_dir(site.home().join(".cursor")).unwrap();
    site.write(
        "src/watch.rs",
        "/// Watches the parent, so that a process tree is ended.\npub fn watch_parent() {}\n",
    );
    for command in commands {
        let ran = site.ran(site.program("sh").args(["-c", &format!("'{MAINSTAY}' {command}")]));
        assert_eq!(ran.exit, 0, "{command}: {}", ran.transcript());
    }
    let connected = std::fs::read_to_string(site.home().join(".cursor/mcp.json")).unwrap();
    assert!(connected.contains("mainstay"), "following the README connects a client");
}
