//! The commands of the guides, run as they are written.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block: what stands behind the fence, and the text.
struct Block {
    info: String,
    text: String,
}

fn blocks(guide: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in guide.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => open = Some(Block { info: info.to_owned(), text: String::new() }),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// Runs a guide from top to bottom in an empty directory: writes its files, compares what its commands print.
fn check_guide(name: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = std::fs::read_to_string(root.join("docs/guides").join(name)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let bin = PathBuf::from(env!("CARGO_BIN_EXE_mainstay"));
    let path = format!("{}:{}", bin.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut commands = 0;
    for block in blocks(&guide) {
        if let Some((_, file)) = block.info.split_once("file=") {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, &block.text).unwrap();
        }
        if block.info != "console" {
            continue;
        }
        let (command, want) = block.text.split_once('\n').unwrap();
        let command = command.strip_prefix("$ ").unwrap_or_else(|| panic!("no command in {}", block.text));
        let output = Command::new("sh")
            .args(["-c", &format!("{command} 2>&1")])
            .current_dir(dir.path())
            .env_clear()
            .env("PATH", &path)
            .env("HOME", dir.path())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), want, "$ {command}");
        commands += 1;
    }
    assert!(commands > 0, "{name} has no commands");
}

#[test]
fn programs_guide_is_true() {
    check_guide("programs.md");
}

#[test]
fn catalog_guide_is_true() {
    check_guide("catalog.md");
}

#[test]
fn search_guide_is_true() {
    check_guide("search.md");
}
