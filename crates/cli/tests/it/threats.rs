//! The page about threats names tests that exist.

use crate::site::workspace;

#[test]
fn every_test_that_guards_a_boundary_exists() {
    let root = workspace();
    let page = std::fs::read_to_string(root.join("docs/threat-model.md")).unwrap();
    let mut named = 0;
    for word in page.split('`').skip(1).step_by(2) {
        if let Some((file, test)) = word.split_once("::") {
            let path = root.join(file);
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
            let is_test = text.contains(&format!("fn {test}()"));
            assert!(is_test, "{file} has no test {test}");
            named += 1;
        } else if word.starts_with("tests/") {
            assert!(root.join(word).is_file(), "{word} is missing");
            named += 1;
        }
    }
    assert!(named >= 60, "only {named} tests are named");
    for promise in 1..=10 {
        assert!(page.contains(&format!("\n| N{promise} ")), "the promise N{promise} has no row");
    }
    for row in page.lines().filter(|line| line.starts_with("| ") && !line.contains("---")).skip(1) {
        if !row.starts_with("| boundary") && !row.starts_with("| promise") {
            assert!(row.contains("::") || row.contains("`tests/"), "no test guards: {row}");
        }
    }
}
