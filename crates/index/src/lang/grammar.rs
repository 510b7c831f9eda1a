//! The linked grammars by the name `language.toml` uses. The only list of languages written in Rust.

use tree_sitter_language::LanguageFn;

pub(super) fn by_name(name: &str) -> Option<LanguageFn> {
    GRAMMARS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
}

static GRAMMARS: &[(&str, LanguageFn)] = &[
    ("bash", tree_sitter_bash::LANGUAGE),
    ("c", tree_sitter_c::LANGUAGE),
    ("c_sharp", tree_sitter_c_sharp::LANGUAGE),
    ("clojure_orchard", tree_sitter_clojure_orchard::LANGUAGE),
    ("cmake", tree_sitter_cmake::LANGUAGE),
    ("containerfile", tree_sitter_containerfile::LANGUAGE),
    ("cpp", tree_sitter_cpp::LANGUAGE),
    ("dart", tree_sitter_dart::LANGUAGE),
    ("elixir", tree_sitter_elixir::LANGUAGE),
    ("elm", tree_sitter_elm::LANGUAGE),
    ("erlang", tree_sitter_erlang::LANGUAGE),
    ("gleam", tree_sitter_gleam::LANGUAGE),
    ("go", tree_sitter_go::LANGUAGE),
    ("graphql", tree_sitter_graphql::LANGUAGE),
    ("groovy", tree_sitter_groovy::LANGUAGE),
    ("haskell", tree_sitter_haskell::LANGUAGE),
    ("hcl", tree_sitter_hcl::LANGUAGE),
    ("java", tree_sitter_java::LANGUAGE),
    ("javascript", tree_sitter_javascript::LANGUAGE),
    ("kotlin", tree_sitter_kotlin_ng::LANGUAGE),
    ("lua", tree_sitter_lua::LANGUAGE),
    ("make", tree_sitter_make::LANGUAGE),
    ("nix", tree_sitter_nix::LANGUAGE),
    ("php", tree_sitter_php::LANGUAGE_PHP),
    ("powershell", tree_sitter_powershell::LANGUAGE),
    ("proto", tree_sitter_proto::LANGUAGE),
    ("python", tree_sitter_python::LANGUAGE),
    ("r", tree_sitter_r::LANGUAGE),
    ("ruby", tree_sitter_ruby::LANGUAGE),
    ("rust", tree_sitter_rust::LANGUAGE),
    ("scala", tree_sitter_scala::LANGUAGE),
    ("sequel", tree_sitter_sequel::LANGUAGE),
    ("solidity", tree_sitter_solidity::LANGUAGE),
    ("starlark", tree_sitter_starlark::LANGUAGE),
    ("swift", tree_sitter_swift::LANGUAGE),
    ("tsx", tree_sitter_typescript::LANGUAGE_TSX),
    ("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
    ("zig", tree_sitter_zig::LANGUAGE),
];
