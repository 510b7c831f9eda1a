//! A small Vite project with the kit's components as source, so that generated code builds as is.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::codegen::{self, Framework, js_literal};
use crate::compose;
use crate::json::{pretty, quoted};
use crate::kit::{Component, Kit, TypeName};
use crate::render::Styling;
use crate::tokens::emit;
use crate::tree::Tree;

const CORE: &str = include_str!("../kit/runtime/core.ts");
const REACT: &str = include_str!("../kit/runtime/react.tsx");
const VUE: &str = include_str!("../kit/runtime/vue.ts");
const SVELTE: &str = include_str!("../kit/runtime/Node.svelte");
const ELEMENTS: &str = include_str!("../kit/runtime/elements.ts");

/// One file of a project.
pub struct ProjectFile {
    /// Relative, with `/`.
    pub path: String,
    pub text: String,
}

/// The files of a project; `tree` is shown, or a composed dashboard when absent.
///
/// There is no project for plain HTML: a generated page needs none.
pub fn project(kit: &Kit, framework: Framework, tree: Option<&Tree>) -> Vec<ProjectFile> {
    let sample;
    let tree = match tree {
        Some(tree) => tree,
        None => {
            let composition = compose::compose(
                kit,
                "dashboard of subscriptions with revenue chart",
                None,
                &Default::default(),
                1,
            );
            sample = Tree::read(&composition.schema).expect("a composed tree has the right structure");
            &sample
        }
    };
    let code = codegen::generate(kit, tree, framework, true, Styling::Tokens);
    let mut files = library(kit, framework);
    let mut add = |path: &str, text: String| files.push(ProjectFile { path: path.to_owned(), text });
    let (plugin, dependencies, extension, main): (Option<(&str, &str)>, Value, &str, &str) = match framework {
        Framework::React => (
            Some(("react", "@vitejs/plugin-react")),
            json!({ "react": "^19.0.0", "react-dom": "^19.0.0" }),
            "tsx",
            "import { createRoot } from 'react-dom/client';\nimport './oods/tokens.css';\nimport './oods/components.css';\nimport { GeneratedUI } from './GeneratedUI';\n\ncreateRoot(document.getElementById('root')!).render(<GeneratedUI />);\n",
        ),
        Framework::Vue => (
            Some(("vue", "@vitejs/plugin-vue")),
            json!({ "vue": "^3.5.0" }),
            "ts",
            "import { createApp } from 'vue';\nimport './oods/tokens.css';\nimport './oods/components.css';\nimport GeneratedUI from './GeneratedUI.vue';\n\ncreateApp(GeneratedUI).mount('#root');\n",
        ),
        Framework::Svelte => (
            Some(("{ svelte }", "@sveltejs/vite-plugin-svelte")),
            json!({ "svelte": "^5.0.0" }),
            "ts",
            "import { mount } from 'svelte';\nimport './oods/tokens.css';\nimport './oods/components.css';\nimport GeneratedUI from './GeneratedUI.svelte';\n\nmount(GeneratedUI, { target: document.getElementById('root')! });\n",
        ),
        Framework::Lit | Framework::Html => (
            None,
            json!({ "lit": "^3.0.0" }),
            "ts",
            "import './oods/tokens.css';\nimport './oods/components.css';\nimport './GeneratedUI';\n\ndocument.getElementById('root')!.append(document.createElement('generated-ui'));\n",
        ),
    };
    let generated = if framework == Framework::Html {
        codegen::generate(kit, tree, Framework::Lit, true, Styling::Tokens)
    } else {
        code
    };
    add(&format!("src/GeneratedUI{}", generated.extension), generated.text);
    add(&format!("src/main.{extension}"), main.to_owned());
    add("index.html", index_html(kit, extension));
    add("vite.config.ts", vite_config(plugin));
    add("tsconfig.json", pretty(&tsconfig()));
    add("src/env.d.ts", "/// <reference types=\"vite/client\" />\ndeclare module '*.vue';\ndeclare module '*/behaviour.js';\n".to_owned());
    let mut development = json!({ "typescript": "^5.6.0", "vite": "^6.0.0" });
    if framework == Framework::React {
        development["@types/react"] = "^19.0.0".into();
        development["@types/react-dom"] = "^19.0.0".into();
    }
    if let Some((_, package)) = plugin {
        development[package] = if framework == Framework::React { "^4.3.0" } else { "^5.0.0" }.into();
    }
    add(
        "package.json",
        pretty(&json!({
            "name": "design-kit-app", "private": true, "version": "0.0.0", "type": "module",
            "scripts": { "dev": "vite", "build": "vite build", "check": "tsc --noEmit" },
            "dependencies": dependencies, "devDependencies": development,
        })),
    );
    add("README.md", "# Design kit application\n\n`src/GeneratedUI` is generated; `src/oods` holds the components of the design kit as source.\n\n    npm install\n    npm run dev\n".to_owned());
    files
}

/// Writes a project into a directory that is absent or empty.
pub fn write(directory: &Path, files: &[ProjectFile]) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    if fs::read_dir(directory)?.next().is_some() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the directory is not empty"));
    }
    for file in files {
        let path = directory.join(&file.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, &file.text)?;
    }
    Ok(())
}

/// The component library of a project, below `src/oods`.
fn library(kit: &Kit, framework: Framework) -> Vec<ProjectFile> {
    let brand = kit.default_brand();
    let themes = kit.themes_of(brand, kit.theme(None));
    let sets: Vec<(&str, &crate::tokens::TokenSet)> =
        themes.iter().map(|(theme, set)| (*theme, set.as_ref())).collect();
    let mut files = Vec::new();
    let mut add =
        |path: &str, text: String| files.push(ProjectFile { path: format!("src/oods/{path}"), text });
    add("core.ts", CORE.to_owned());
    add("registry.ts", registry(kit));
    add("behaviour.js", kit.behaviour.clone());
    add("tokens.css", emit::css(&sets));
    add("components.css", kit.stylesheet());
    match framework {
        Framework::React => {
            add("react.tsx", REACT.to_owned());
            add("index.tsx", react_index(kit));
        }
        Framework::Vue => {
            add("vue.ts", VUE.to_owned());
            let exports: String = kit
                .components
                .iter()
                .map(|c| format!("export const {} = create('{}');\n", c.name, c.name))
                .collect();
            add("index.ts", format!("import {{ create }} from './vue';\n\n{exports}"));
        }
        Framework::Svelte => {
            add("Node.svelte", SVELTE.to_owned());
            let mut exports = String::new();
            for component in &kit.components {
                let name = &component.name;
                exports.push_str(&format!("export {{ default as {name} }} from './{name}.svelte';\n"));
                add(&format!("{name}.svelte"), svelte_component(name));
            }
            add("index.ts", format!("import './behaviour.js';\n{exports}"));
        }
        Framework::Lit | Framework::Html => {
            add("elements.ts", ELEMENTS.to_owned());
            add("index.ts", "import './elements';\n".to_owned());
        }
    }
    files
}

fn svelte_component(name: &str) -> String {
    format!(
        "<script lang=\"ts\">\nimport Node from './Node.svelte';\nimport {{ draw }} from './core';\n\n\
         let {{ children, ...props }}: {{ children?: import('svelte').Snippet; [key: string]: unknown }} = $props();\n</script>\n\n\
         <Node node={{draw('{name}', props, children !== undefined)}} {{children}} />\n"
    )
}

/// Templates and components as data for the drawing core.
fn registry(kit: &Kit) -> String {
    let mut archetypes = Map::new();
    if let Some(all) = kit.archetypes_json.as_object() {
        for (name, archetype) in all {
            archetypes.insert(name.clone(), archetype.get("root").cloned().unwrap_or_default());
        }
    }
    let components: Map<String, Value> = kit
        .components
        .iter()
        .map(|component| {
            let props: Vec<&str> = component.props.iter().map(|(name, _)| name.as_str()).collect();
            (component.name.clone(), json!({ "archetype": component.archetype.name, "defaults": component.defaults, "props": props }))
        })
        .collect();
    format!(
        "// Data of the design kit {} {}.\n\nexport interface ComponentData {{\n  archetype: string;\n  defaults: Record<string, unknown>;\n  props: string[];\n}}\n\n\
         export const archetypes: Record<string, unknown> = {};\n\nexport const components: Record<string, ComponentData> = {};\n",
        kit.manifest.name,
        kit.manifest.version,
        js_literal(&Value::Object(archetypes)),
        js_literal(&Value::Object(components)),
    )
}

fn react_index(kit: &Kit) -> String {
    let mut text = String::from(
        "// Components of the design kit, typed from its property schemas.\nimport { create, type With } from './react';\n",
    );
    for component in &kit.components {
        text.push_str(&format!(
            "\n/** {} */\nexport interface {name}OwnProps {{\n{props}}}\nexport type {name}Props = With<{name}OwnProps>;\nexport const {name} = create<{name}OwnProps>('{name}');\n",
            comment(&component.summary),
            name = component.name,
            props = own_props(component),
        ));
    }
    text
}

fn own_props(component: &Component) -> String {
    let kind = |name: &TypeName| match name {
        TypeName::String => "string",
        TypeName::Number => "number",
        TypeName::Boolean => "boolean",
        TypeName::Array => "ReadonlyArray<unknown>",
        TypeName::Object => "Record<string, unknown>",
    };
    component
        .props
        .iter()
        .map(|(name, prop)| {
            let types = if prop.options.is_empty() {
                prop.kind.names().iter().map(kind).collect::<Vec<_>>().join(" | ")
            } else {
                prop.options.iter().map(|option| quoted(option)).collect::<Vec<_>>().join(" | ")
            };
            format!("  /** {} */\n  {}?: {types};\n", comment(&prop.description), quoted(name))
        })
        .collect()
}

fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace('\n', " ")
}

fn index_html(kit: &Kit, extension: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\" data-theme=\"{}\">\n  <head>\n    <meta charset=\"utf-8\" />\n    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n    <title>Design kit application</title>\n  </head>\n  <body class=\"oods-root\">\n    <main id=\"root\" class=\"oods-preview\"></main>\n    <script type=\"module\" src=\"/src/main.{extension}\"></script>\n  </body>\n</html>\n",
        kit.theme(None)
    )
}

fn vite_config(plugin: Option<(&str, &str)>) -> String {
    let (import, call) = match plugin {
        Some((name, package)) => {
            let function = name.trim_matches(|c| "{} ".contains(c));
            (format!("import {name} from '{package}';\n"), format!("{function}()"))
        }
        None => (String::new(), String::new()),
    };
    format!(
        "import {{ fileURLToPath }} from 'node:url';\nimport {{ defineConfig }} from 'vite';\n{import}\nexport default defineConfig({{\n  plugins: [{call}],\n  resolve: {{ alias: {{ '@oods/components': fileURLToPath(new URL('./src/oods', import.meta.url)) }} }},\n}});\n"
    )
}

fn tsconfig() -> Value {
    json!({
        "compilerOptions": {
            "target": "ES2022", "lib": ["ES2022", "DOM", "DOM.Iterable"], "module": "ESNext", "moduleResolution": "bundler",
            "jsx": "react-jsx", "strict": true, "noEmit": true, "isolatedModules": true, "skipLibCheck": true,
            "allowArbitraryExtensions": true, "useDefineForClassFields": false,
            "paths": { "@oods/components": ["./src/oods/index"] }
        },
        "include": ["src"]
    })
}
