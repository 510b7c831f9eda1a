//! `kit check`: everything that would make a kit disappoint, found at once.

use serde::Serialize;
use serde_json::Value;

use super::{Kit, KitError, LazyKit, Source};
use crate::tokens::{TokenError, contrast};

/// One thing wrong with a kit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Problem {
    pub code: &'static str,
    /// File, component or token the problem is in.
    pub at: String,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// What a check found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    pub name: Option<String>,
    pub version: Option<String>,
    pub component_count: usize,
    pub token_count: usize,
    pub rule_count: usize,
    pub problems: Vec<Problem>,
}

/// Checks a kit; never fails, a broken kit is a finding.
pub fn check(source: Source) -> Check {
    match LazyKit::new(source).get() {
        Ok(kit) => check_kit(&kit),
        Err(error) => Check {
            name: None,
            version: None,
            component_count: 0,
            token_count: 0,
            rule_count: 0,
            problems: vec![Problem {
                code: match &error {
                    KitError::Unreadable { .. } => "KIT_UNREADABLE",
                    _ => "KIT_INVALID",
                },
                at: "kit".into(),
                message: error.to_string(),
                hint: None,
            }],
        },
    }
}

fn check_kit(kit: &Kit) -> Check {
    let mut problems = Vec::new();
    let mut token_count = 0;
    for brand in &kit.manifest.brands {
        for theme in &kit.manifest.themes {
            let Some(set) = kit.tokens(brand, theme) else { continue };
            token_count = token_count.max(set.len());
            let place = format!("brand {brand}, theme {theme}");
            if set.is_empty() {
                problems.push(problem("TOKENS_MISSING", &place, "no token is defined".into()));
            }
            for error in set.defects() {
                let hint = match &error {
                    TokenError::Broken { near, .. } if !near.is_empty() => {
                        Some(format!("did you mean {}", near.join(", ")))
                    }
                    _ => None,
                };
                problems.push(Problem { hint, ..problem("TOKEN_DEFECT", &place, error.to_string()) });
            }
            for finding in
                contrast::evaluate(&set, &kit.rules, None).into_iter().filter(|finding| !finding.passed)
            {
                let problem = problem("CONTRAST", &place, format!("{}: {}", finding.rule, finding.summary));
                problems.push(Problem { hint: Some(finding.hint()), ..problem });
            }
        }
    }
    check_components(kit, &mut problems);
    problems.dedup();
    Check {
        name: Some(kit.manifest.name.clone()),
        version: Some(kit.manifest.version.clone()),
        component_count: kit.components.len(),
        token_count,
        rule_count: kit.rules.len(),
        problems,
    }
}

fn check_components(kit: &Kit, problems: &mut Vec<Problem>) {
    for component in &kit.components {
        for name in &component.traits {
            if !kit.traits.iter().any(|known| known.name == *name) {
                problems.push(problem(
                    "UNKNOWN_TRAIT",
                    &component.name,
                    format!("trait {name} is not defined"),
                ));
            }
        }
        for (name, value) in component.defaults.iter().chain(&component.example) {
            match component.prop(name) {
                None => problems.push(problem(
                    "UNKNOWN_PROP",
                    &component.name,
                    format!("{name} is not a property"),
                )),
                Some(prop) if !prop.kind.fits(value) || !in_options(&prop.options, value) => {
                    problems.push(problem(
                        "PROP_VALUE",
                        &component.name,
                        format!("{name} cannot be {value}, it must be {}", prop.kind.label()),
                    ))
                }
                Some(_) => {}
            }
        }
        let instead = component.deprecated.as_ref().and_then(|deprecation| deprecation.instead.as_deref());
        if let Some(instead) = instead.filter(|instead| kit.component(instead).is_none()) {
            let message = format!("it is deprecated in favour of {instead}, which does not exist");
            problems.push(problem("UNKNOWN_COMPONENT", &component.name, message));
        }
        if !kit.styles.iter().any(|section| section.name == component.archetype.family) {
            let message = format!("components.css has no section {}", component.archetype.family);
            problems.push(problem("STYLE_MISSING", &component.name, message));
        }
    }
    for object in &kit.objects {
        for name in &object.traits {
            if !kit.traits.iter().any(|known| known.name == *name) {
                problems.push(problem("UNKNOWN_TRAIT", &object.name, format!("trait {name} is not defined")));
            }
        }
    }
}

fn in_options(options: &[String], value: &Value) -> bool {
    options.is_empty() || value.as_str().is_some_and(|value| options.iter().any(|option| option == value))
}

fn problem(code: &'static str, at: &str, message: String) -> Problem {
    Problem { code, at: at.to_owned(), message, hint: None }
}
