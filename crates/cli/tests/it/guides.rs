//! The commands of the book, run as they are written.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// Runs a page from top to bottom in an empty directory: writes its files, compares what its commands print.
fn check_page(name: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs").join(name)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let bin = PathBuf::from(env!("CARGO_BIN_EXE_mainstay"));
    let path = format!("{}:{}", bin.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut commands = 0;
    for block in blocks(&page) {
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
        let got = String::from_utf8_lossy(&output.stdout);
        if !is_like(&got, want) {
            assert_eq!(got, want, "$ {command}");
        }
        commands += 1;
    }
    assert!(commands > 0, "{name} has no commands");
}

fn check_guide(name: &str) {
    check_page(&format!("guides/{name}"));
}

/// Whether an output is the one a page shows; `…` stands for anything within a line, alone for any lines.
fn is_like(got: &str, want: &str) -> bool {
    let (got, want): (Vec<&str>, Vec<&str>) = (got.lines().collect(), want.lines().collect());
    lines_are_like(&got, &want)
}

fn lines_are_like(got: &[&str], want: &[&str]) -> bool {
    match want.split_first() {
        None => got.is_empty(),
        Some((&"…", rest)) => (0..=got.len()).any(|skipped| lines_are_like(&got[skipped..], rest)),
        Some((line, rest)) => {
            got.first().is_some_and(|first| line_is_like(first, line)) && lines_are_like(&got[1..], rest)
        }
    }
}

fn line_is_like(got: &str, want: &str) -> bool {
    let mut parts = want.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = got.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[test]
fn programs_guide_is_true() {
    check_guide("programs.md");
}

#[test]
fn plans_guide_is_true() {
    check_guide("plans.md");
}

#[test]
fn catalog_guide_is_true() {
    check_guide("catalog.md");
}

#[test]
fn quick_start_is_true() {
    check_page("quick-start.md");
}

#[test]
fn recipes_are_true() {
    for name in ["clients.md", "team.md", "ci.md"] {
        check_page(&format!("recipes/{name}"));
    }
}

#[test]
fn shortened_output_is_compared_where_it_is_shown() {
    let check =
        |got: &str, want: &str, is_so: bool| assert_eq!(is_like(got, want), is_so, "{got:?} {want:?}");
    check("a\nb\nc\n", "a\n…\nc\n", true);
    check("a\nc\n", "a\n…\nc\n", true);
    check("a\nb\n", "a\n…\nc\n", false);
    check("took 12 ms to run\n", "took … ms to …\n", true);
    check("took 12 s\n", "took … ms\n", false);
    check("plain\n", "plain\n", true);
    check("plain and more\n", "plain\n", false);
}

#[test]
fn search_operations_guide_is_true() {
    check_guide("search-operations.md");
}

#[test]
fn relations_guide_is_true() {
    check_guide("relations.md");
}

#[test]
fn search_guide_is_true() {
    check_guide("search.md");
}

/// These commands serve until they are stopped, so each runs until it announces an address.
#[test]
fn every_way_to_the_dashboard_announces_an_address() {
    let guides = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides");
    let page = std::fs::read_to_string(guides.join("dashboard.md")).unwrap();
    let commands = page.lines().filter_map(|line| line.strip_prefix("| `mainstay ")?.split_once('`'));
    let commands: Vec<&str> = commands.map(|(command, _)| command).collect();
    assert!(commands.len() >= 3, "{commands:?}");
    for command in commands {
        let site = crate::site::Site::new();
        let line = format!("exec mainstay {command} --port 0 --dashboard-port 0 2>&1");
        let bin = PathBuf::from(env!("CARGO_BIN_EXE_mainstay"));
        let mut server = site.program("sh");
        server.args(["-c", &line]).env("PATH", format!("{}:/usr/bin:/bin", bin.parent().unwrap().display()));
        let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(server.stdout.take().unwrap()).lines().map(Result::unwrap);
        let announced = said.find(|line| line.contains("http://127.0.0.1:"));
        server.kill().unwrap();
        server.wait().unwrap();
        assert!(announced.is_some(), "{command}");
    }
}

#[test]
fn foundry_releases_guide_is_true() {
    check_guide("foundry-releases.md");
}

#[test]
fn daemon_guide_is_true() {
    check_guide("daemon.md");
}

#[test]
fn access_guide_is_true() {
    check_guide("access.md");
}

#[test]
fn dashboard_guide_is_true() {
    check_guide("dashboard.md");
}

#[test]
fn every_guide_is_checked() {
    let guides = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides");
    for entry in std::fs::read_dir(guides).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(include_str!("guides.rs").contains(&format!("\"{name}\"")), "no test here runs {name}");
    }
}

#[test]
fn foundry_guide_is_true() {
    check_guide("foundry.md");
}

#[test]
fn structural_guide_is_true() {
    check_guide("structural.md");
}
