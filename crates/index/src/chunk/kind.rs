//! The kinds of chunks, the same words in query files, filters and answers.

macro_rules! kinds {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// What a chunk is. The numbers are written to disk: append only.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Kind { $($variant),+ }

        impl Kind {
            pub const ALL: &'static [Kind] = &[$(Kind::$variant),+];

            pub fn name(self) -> &'static str {
                match self { $(Kind::$variant => $name),+ }
            }
        }
    };
}

kinds! {
    Block = "block",
    Function = "function",
    Method = "method",
    Constructor = "constructor",
    Class = "class",
    Struct = "struct",
    Enum = "enum",
    Union = "union",
    Trait = "trait",
    Interface = "interface",
    Impl = "impl",
    Object = "object",
    Module = "module",
    Type = "type",
    Constant = "constant",
    Variable = "variable",
    Property = "property",
    Macro = "macro",
    Test = "test",
    Section = "section",
    Entry = "entry",
    Rule = "rule",
    Message = "message",
    Service = "service",
    Query = "query",
    Table = "table",
    View = "view",
    Index = "index",
    Trigger = "trigger",
    Resource = "resource",
    Target = "target",
}

impl Kind {
    pub fn from_u8(number: u8) -> Option<Kind> {
        Kind::ALL.get(number as usize).copied()
    }

    /// Finds a kind by name. Long names in the style of syntax trees work too: `MethodDeclaration`, `ClassDefinition`.
    pub fn by_name(name: &str) -> Option<Kind> {
        let lower = name.to_ascii_lowercase();
        let short =
            ["declaration", "definition", "element"].iter().find_map(|suffix| lower.strip_suffix(suffix));
        let wanted = match short.unwrap_or(&lower) {
            "typealias" | "alias" => "type",
            "ruleset" | "atrule" => "rule",
            "configentry" | "config" => "entry",
            "file" => "block",
            "func" | "fn" => "function",
            "namespace" | "package" => "module",
            "const" => "constant",
            "protocol" => "interface",
            "extension" => "impl",
            other => return Kind::ALL.iter().copied().find(|kind| kind.name() == other),
        };
        Kind::ALL.iter().copied().find(|kind| kind.name() == wanted)
    }

    /// Holds statements: what is nested in it is part of it.
    pub fn is_callable(self) -> bool {
        matches!(self, Kind::Function | Kind::Method | Kind::Constructor | Kind::Macro | Kind::Test)
    }

    /// Holds members: a function inside is a method.
    pub fn has_members(self) -> bool {
        matches!(
            self,
            Kind::Class
                | Kind::Struct
                | Kind::Enum
                | Kind::Union
                | Kind::Trait
                | Kind::Interface
                | Kind::Impl
                | Kind::Object
        )
    }

    /// Defines a name that other code refers to.
    pub fn is_definition(self) -> bool {
        !matches!(self, Kind::Block | Kind::Section | Kind::Entry | Kind::Rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_round_trip_and_accept_tree_style_names() {
        for (number, kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(Kind::from_u8(number as u8), Some(*kind));
            assert_eq!(Kind::by_name(kind.name()), Some(*kind));
        }
        assert_eq!(Kind::by_name("FunctionDeclaration"), Some(Kind::Function));
        assert_eq!(Kind::by_name("TypeAlias"), Some(Kind::Type));
        assert_eq!(Kind::by_name("nonsense"), None);
    }
}
