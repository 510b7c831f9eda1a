//! Web components: a Lit element that uses the kit's custom elements.

use serde_json::Value;

use super::COMPONENTS;
use super::literal::{js, string, style_text};
use super::program::{Attr, Program, custom_element};

pub fn print(program: &Program, typescript: bool) -> String {
    let body = program.print(|element, children| {
        let tag =
            if element.component.is_some() { custom_element(&element.tag) } else { element.tag.clone() };
        let attrs: Vec<String> = element
            .attrs
            .iter()
            .map(|(name, attr)| attribute(element.component.is_some(), name, attr))
            .collect();
        let text = element.text.as_deref().map(|text| format!("${{{}}}", string(text)));
        program.tag(element, 3, &tag, &attrs, text, children)
    });
    let import =
        if program.components.is_empty() { String::new() } else { format!("import '{COMPONENTS}';\n") };
    let (handlers, data) = if typescript {
        (
            "  handlers: Record<string, (event: Event) => void> = {};\n",
            "  data: Record<string, unknown> = {};\n",
        )
    } else {
        ("  handlers = {};\n", "  data = {};\n")
    };
    let mut fields = String::new();
    let mut properties = Vec::new();
    if !program.handlers.is_empty() {
        fields.push_str(handlers);
        properties.push("handlers: { attribute: false }");
    }
    if !program.data.is_empty() {
        fields.push_str(data);
        properties.push("data: { attribute: false }");
    }
    let declared = if properties.is_empty() {
        String::new()
    } else {
        format!("  static properties = {{ {} }};\n{fields}\n", properties.join(", "))
    };
    // Fields declared in a class body would shadow Lit's accessors, so they are set in the constructor.
    let declared = if properties.is_empty() {
        declared
    } else {
        let typed = if typescript {
            fields
                .replace("  handlers: ", "  declare handlers: ")
                .replace("  data: ", "  declare data: ")
                .replace(" = {};", ";")
        } else {
            String::new()
        };
        let sets: String = properties
            .iter()
            .map(|property| format!("    this.{} = {{}};\n", property.split(':').next().unwrap_or_default()))
            .collect();
        format!(
            "  static properties = {{ {} }};\n{typed}\n  constructor() {{\n    super();\n{sets}  }}\n\n",
            properties.join(", ")
        )
    };
    format!(
        "import {{ LitElement, html }} from 'lit';\n{import}\nexport class GeneratedUI extends LitElement {{\n{declared}  render() {{\n    return html`\n{body}    `;\n  }}\n}}\n\ncustomElements.define('generated-ui', GeneratedUI);\n"
    )
}

fn attribute(component: bool, name: &str, attr: &Attr) -> String {
    let is_attribute = !component || name == "id" || name == "class" || name == "slot" || name.contains('-');
    match attr {
        Attr::Literal(Value::Bool(true)) if name == "hidden" => "hidden".to_owned(),
        Attr::Literal(value) if is_attribute => format!("{name}=${{{}}}", js(value)),
        Attr::Literal(value) => format!(".{name}=${{{}}}", js(value)),
        Attr::Handler(handler) => {
            format!("@{}=${{this.handlers.{handler}}}", name.trim_start_matches("on").to_lowercase())
        }
        Attr::Data(key, Some(fallback)) => {
            format!(".{name}=${{this.data[{}] ?? {}}}", string(key), js(fallback))
        }
        Attr::Data(key, None) => format!(".{name}=${{this.data[{}]}}", string(key)),
        Attr::Style(declarations) => format!("style=${{{}}}", string(&style_text(declarations))),
    }
}
