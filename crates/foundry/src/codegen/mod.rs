//! From a tree to source code. One program model, printed in the syntax of each framework.

mod lit;
mod literal;
mod program;
mod react;
mod svelte;
mod vue;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::issue::Issue;
use crate::kit::Kit;
use crate::render::{self, Styling};
use crate::tree::Tree;

pub use literal::js as js_literal;
use program::Program;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Framework {
    React,
    Vue,
    Html,
    Svelte,
    Lit,
}

/// Generated source.
pub struct Code {
    pub text: String,
    pub extension: &'static str,
    /// Modules the source imports.
    pub imports: Vec<&'static str>,
    pub warnings: Vec<Issue>,
}

/// The module the kit's components are imported from.
pub const COMPONENTS: &str = "@oods/components";

pub fn generate(kit: &Kit, tree: &Tree, framework: Framework, typescript: bool, styling: Styling) -> Code {
    if framework == Framework::Html {
        let page = render::document(kit, tree, kit.default_brand(), styling);
        return Code { text: page.html, extension: ".html", imports: Vec::new(), warnings: page.warnings };
    }
    let program = Program::new(kit, tree, styling);
    let (text, extension, imports): (String, &'static str, Vec<&'static str>) = match framework {
        Framework::React => (
            react::print(&program, typescript),
            if typescript { ".tsx" } else { ".jsx" },
            vec!["react", COMPONENTS],
        ),
        Framework::Vue => (vue::print(&program, typescript), ".vue", vec![COMPONENTS]),
        Framework::Svelte => (svelte::print(&program, typescript), ".svelte", vec![COMPONENTS]),
        Framework::Lit | Framework::Html => (
            lit::print(&program, typescript),
            if typescript { ".ts" } else { ".js" },
            vec!["lit", COMPONENTS],
        ),
    };
    let imports = imports
        .into_iter()
        .filter(|module| *module != COMPONENTS || !program.components.is_empty())
        .collect();
    Code { text, extension, imports, warnings: program.warnings }
}
