//! A tree as HTML: templates from the kit, interpreted with escaping in one place.

mod chart;
mod document;
mod expr;
mod functions;
mod html;
mod lower;
mod safety;
mod template;

pub use document::{Fragment, Page, document, document_in, fragments};
pub use functions::{date as display_date, humanize};
pub use html::{Rendered, escape, render_roots};
pub use lower::{Kind, Lowered, Part, Styling, lower};
pub use safety::{attribute_name, css_declaration, safe_url};
pub use template::{Template, TemplateError};
