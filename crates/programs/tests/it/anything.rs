//! Whatever text comes in, nothing panics, and what an import writes can be loaded.

use std::path::Path;

use mainstay_programs::import::{ImportOptions, from_file, from_help};
use mainstay_programs::{config, policy};
use proptest::prelude::*;

/// Texts made of what the readers look for, so that chance gets past the first line.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z]{0,6}",
        "[\\x00-\\x7f]{0,4}",
        "\\PC{0,4}",
        prop::sample::select(vec![
            "\n",
            "\n  ",
            "  ",
            ": ",
            "- ",
            "--",
            "-x",
            "[",
            "]",
            "<",
            ">",
            "{",
            "}",
            "=",
            "...",
            "|",
            "\"",
            "'",
            "#",
            "r#",
            "Usage: ",
            "Commands:\n",
            "Options:\n",
            "arguments:\n",
            "name",
            "command",
            "tools",
            "args",
            "cmd \"",
            "flag \"",
            "arg \"",
            "complete -c tool ",
            "_arguments ",
            "\u{8}",
            "\u{1b}[",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn files_load_or_are_refused(text in text()) {
        for name in ["x.yaml", "x.toml", "x.json"] {
            let _ = config::parse(Path::new(name), &text);
            let _ = policy::parse(Path::new(name), &text);
        }
    }

    #[test]
    fn an_import_from_any_help_text_loads(text in text()) {
        let options = ImportOptions { depth: 1, ..ImportOptions::default() };
        if let Ok(draft) = from_help("tool", &options, &mut |_| Some(text.clone())) {
            let yaml = draft.to_yaml();
            prop_assert!(config::parse(Path::new("x.yaml"), &yaml).is_ok(), "{yaml}");
        }
    }

    #[test]
    fn an_import_from_any_file_loads(text in text()) {
        let dir = tempfile::tempdir().unwrap();
        for name in ["x.kdl", "x.yaml", "x.fish", "_x"] {
            let path = dir.path().join(name);
            std::fs::write(&path, &text).unwrap();
            if let Ok(draft) = from_file("tool", &path) {
                let yaml = draft.to_yaml();
                prop_assert!(config::parse(Path::new("x.yaml"), &yaml).is_ok(), "{yaml}");
            }
        }
    }
}
