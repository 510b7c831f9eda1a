//! `show_file` and what it may not show.

use mainstay_contract::ErrorCode;
use serde_json::json;

use crate::site::Site;

#[test]
fn lines_come_with_the_definition_they_belong_to() {
    let site = Site::new(&[("src/a.rs", "fn one() {\n    1;\n}\n\nfn two() {\n    2;\n}\n")]);
    let shown = site.call("show_file", json!({"file": "src/a.rs", "startLine": 6, "endLine": 7})).unwrap();
    assert_eq!((&shown["text"], &shown["totalLines"]), (&json!("    2;\n}\n"), &json!(7)));
    assert_eq!((&shown["chunk"]["name"], &shown["chunk"]["startLine"]), (&json!("two"), &json!(5)));
    assert_eq!(shown["truncated"], false);
}

#[test]
fn long_files_are_shown_in_parts() {
    let text = "line\n".repeat(5_000);
    let site = Site::new(&[("long.txt", &text)]);
    let shown = site.call("show_file", json!({"file": "long.txt", "endLine": 5_000})).unwrap();
    assert_eq!((&shown["endLine"], &shown["truncated"]), (&json!(2_000), &json!(true)));
    let rest =
        site.call("show_file", json!({"file": "long.txt", "startLine": 4_999, "endLine": 5_000})).unwrap();
    assert_eq!(rest["text"], "line\nline\n");
}

#[test]
fn nothing_outside_the_repository_is_shown() {
    let site = Site::new(&[("a.txt", "inside\n")]);
    std::fs::write(site.outside().join("secret.txt"), "secret").unwrap();
    std::os::unix::fs::symlink(site.outside().join("secret.txt"), site.repo().join("link.txt")).unwrap();
    let absolute = site.outside().join("secret.txt").display().to_string();
    for path in ["../secret.txt", "x/../../secret.txt", "link.txt", &absolute, "a\0b"] {
        let fault = site.call("show_file", json!({"file": path})).unwrap_err();
        assert!(matches!(fault.code, ErrorCode::Forbidden), "{path:?}: {fault:?}");
        assert!(!fault.message.contains("secret\n"));
    }
    assert_eq!(site.call("show_file", json!({"file": "none.txt"})).unwrap_err().code, ErrorCode::NotFound);
}

#[test]
fn impossible_ranges_are_refused() {
    let site = Site::new(&[("a.txt", "one\ntwo\n")]);
    for args in
        [json!({"file": "a.txt", "startLine": 9}), json!({"file": "a.txt", "startLine": 2, "endLine": 1})]
    {
        let fault = site.call("show_file", args.clone()).unwrap_err();
        assert_eq!(fault.code, ErrorCode::InvalidRequest, "{args}");
    }
}

#[test]
fn a_binary_file_is_named_as_one() {
    let site = Site::new(&[("empty.txt", "")]);
    site.write("b.bin", &[0, 159, 146, 150, 0, 1, 2, 3]);
    let shown = site.call("show_file", json!({"file": "b.bin"})).unwrap();
    assert_eq!((&shown["binary"], &shown["bytes"], &shown["text"]), (&json!(true), &json!(8), &json!("")));
    let empty = site.call("show_file", json!({"file": "empty.txt"})).unwrap();
    assert_eq!(
        (&empty["binary"], &empty["totalLines"], &empty["endLine"]),
        (&json!(false), &json!(0), &json!(0))
    );
}

#[test]
fn a_large_file_is_read_without_being_kept() {
    let mut text = String::new();
    for line in 1..=400_000 {
        text.push_str(&format!("line {line} {}\n", "x".repeat(40)));
    }
    let site = Site::new(&[("large.log", &text)]);
    assert!(text.len() > 16 << 20);
    let shown = site.call("show_file", json!({"file": "large.log", "startLine": 399_999})).unwrap();
    assert_eq!((&shown["endLine"], &shown["totalLines"]), (&json!(400_000), &json!(400_000)));
    assert!(shown["text"].as_str().unwrap().starts_with("line 399999 x"));
    assert_eq!(shown["truncated"], false);
    let fault = site.call("show_file", json!({"file": "large.log", "startLine": 400_001})).unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidRequest);
    let mut binary = text.into_bytes();
    binary[100] = 0;
    site.write("large.bin", &binary);
    assert_eq!(site.call("show_file", json!({"file": "large.bin"})).unwrap()["binary"], true);
}

#[test]
fn a_line_without_end_is_cut() {
    let site = Site::new(&[("min.js", &format!("{}\nlast\n", "x".repeat(2 << 20)))]);
    let shown = site.call("show_file", json!({"file": "min.js"})).unwrap();
    assert_eq!((&shown["endLine"], &shown["truncated"]), (&json!(1), &json!(true)));
    assert_eq!(shown["text"].as_str().unwrap().len(), 512 << 10);
    assert_eq!(site.call("show_file", json!({"file": "min.js", "startLine": 2})).unwrap()["text"], "last\n");
}

#[test]
fn a_symbol_is_named_with_what_it_is_nested_in() {
    let site = Site::new(&[("a.py", "class Shop:\n    def sell(self, what):\n        return what\n")]);
    let shown = site.call("show_file", json!({"file": "a.py", "startLine": 3})).unwrap();
    assert_eq!((&shown["symbol"]["name"], &shown["symbol"]["kind"]), (&json!("Shop.sell"), &json!("method")));
    assert_eq!(shown["symbol"]["signature"], "def sell(self, what):");
    assert!(shown.get("git").is_none(), "there is no history");
}
