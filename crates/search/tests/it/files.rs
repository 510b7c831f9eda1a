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
fn binaries_and_impossible_ranges_are_refused() {
    let site = Site::new(&[("a.txt", "one\ntwo\n")]);
    site.write("b.bin", &[0, 159, 146, 150, 0, 1, 2, 3]);
    for args in [
        json!({"file": "b.bin"}),
        json!({"file": "a.txt", "startLine": 9}),
        json!({"file": "a.txt", "startLine": 2, "endLine": 1}),
    ] {
        assert_eq!(
            site.call("show_file", args.clone()).unwrap_err().code,
            ErrorCode::InvalidRequest,
            "{args}"
        );
    }
}
