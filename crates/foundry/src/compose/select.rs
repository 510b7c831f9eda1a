//! Choosing a component for a slot: signals with weights, a score that is not dressed up.

use super::intent::Intent;
use super::{Preferences, Selection};
use crate::kit::{Component, Kit};

/// A component that could fill a slot.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub name: String,
    /// 0 to 1: the sum of the signals, two decimals.
    pub confidence: f64,
    pub reason: String,
}

/// What a slot is for: preferred components, where they belong, in which context.
struct Purpose {
    preferred: &'static [&'static str],
    regions: &'static [&'static str],
    contexts: &'static [&'static str],
}

fn purpose(intent: &str) -> Purpose {
    let (preferred, regions, contexts): (&[&str], &[&str], &[&str]) = match intent {
        "page-header" => (&["PageHeader", "DetailHeader", "Text"], &["top"], &["detail", "list"]),
        "metrics-display" => (&["MetricCard", "StatSummary", "Card"], &["main"], &["card", "list"]),
        "data-display" => (&["Table", "Card", "VizLinePreview"], &["main"], &["list", "detail"]),
        "chart-display" => {
            (&["VizLinePreview", "VizMarkPreview", "VizAreaPreview"], &["main"], &["detail", "card"])
        }
        "navigation-panel" => (&["NavigationPanel", "Tabs", "ItemList"], &["sidebar"], &["list", "detail"]),
        "text-input" => (&["SearchInput", "Input", "TagInput"], &["top"], &["list", "form"]),
        "filter-control" => (&["Select", "FilterPanel", "Input"], &["top"], &["list", "form"]),
        "action-button" => (&["Button", "Link"], &["top", "bottom"], &["form"]),
        "pagination-control" => (&["PaginationBar", "Button", "Text"], &["bottom"], &["list"]),
        "metadata-display" => (&["MetadataPanel", "OwnershipSummary", "Badge"], &["sidebar"], &["detail"]),
        "data-list" => (&["Table", "ItemList", "Stack"], &["main"], &["list"]),
        "form-input" => (&["Input", "Select", "Textarea"], &["main"], &["form"]),
        "choice-input" => (&["Select", "RadioGroup", "StatusSelector"], &["main"], &["form"]),
        "date-input" => (&["DatePicker", "Input"], &["main"], &["form"]),
        "facts-display" => (&["MetadataPanel", "PriceSummary", "Card"], &["main"], &["detail"]),
        "activity-timeline" => {
            (&["AuditTimeline", "StatusTimeline", "PaymentTimeline"], &["main"], &["timeline", "detail"])
        }
        "progress-steps" => (&["StepIndicator", "ProgressBar", "Tabs"], &["top"], &["form"]),
        "status-indicator" => (&["StatusBadge", "Badge", "ColorizedBadge"], &["meta"], &["list", "card"]),
        _ => (&[], &[], &[]),
    };
    Purpose { preferred, regions, contexts }
}

pub struct Selector<'a, 'k> {
    kit: &'k Kit,
    intent: &'a Intent<'k>,
    preferences: &'a Preferences,
    top: usize,
    pub selections: Vec<Selection>,
}

impl<'a, 'k> Selector<'a, 'k> {
    pub fn new(
        kit: &'k Kit,
        intent: &'a Intent<'k>,
        preferences: &'a Preferences,
        top: usize,
    ) -> Selector<'a, 'k> {
        Selector { kit, intent, preferences, top, selections: Vec::new() }
    }

    /// Chooses for one slot and records how.
    pub fn choose(&mut self, slot: &str, intent: &'static str) -> Option<&'k Component> {
        let wanted =
            self.preferences.overrides.iter().find(|(name, _)| name == slot).map(|(_, component)| component);
        if let Some(component) = wanted.and_then(|name| self.kit.component(name)) {
            let reason = format!("chosen by the caller for {slot}");
            let candidate = Candidate { name: component.name.clone(), confidence: 1.0, reason };
            self.record(slot, intent, Some(component), vec![candidate]);
            return Some(component);
        }
        let mut scored: Vec<(f64, &Component, String)> = self
            .kit
            .components
            .iter()
            .map(|component| {
                let (score, reasons) = self.score(component, intent);
                (score, component, reasons.join("; "))
            })
            .filter(|(score, _, _)| *score >= 0.05)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
        let chosen = scored.first().map(|(_, component, _)| *component);
        let candidates = scored
            .into_iter()
            .take(self.top)
            .map(|(score, component, reason)| Candidate {
                name: component.name.clone(),
                confidence: (score * 100.0).round() / 100.0,
                reason,
            })
            .collect();
        self.record(slot, intent, chosen, candidates);
        chosen
    }

    fn record(
        &mut self,
        slot: &str,
        intent: &'static str,
        chosen: Option<&Component>,
        candidates: Vec<Candidate>,
    ) {
        let selected = chosen.map(|component| component.name.clone());
        self.selections.push(Selection { slot: slot.to_owned(), intent, selected, candidates });
    }

    fn score(&self, component: &Component, intent: &str) -> (f64, Vec<String>) {
        let purpose = purpose(intent);
        let mut score = 0.0;
        let mut reasons = Vec::new();
        if let Some(rank) = purpose.preferred.iter().position(|name| *name == component.name) {
            score += 0.40 * f64::max(0.3, 1.0 - 0.15 * rank as f64);
            reasons.push(format!("preferred for {intent:?} (rank {})", rank + 1));
        }
        if component.tags.iter().any(|tag| tag == intent) {
            score += 0.20;
            reasons.push(format!("tagged {intent}"));
        }
        let shared = |list: &[String], wanted: &[&str]| {
            list.iter().filter(|value| wanted.contains(&value.as_str())).count()
        };
        let contexts = shared(&component.contexts, purpose.contexts).min(2);
        let regions = shared(&component.regions, purpose.regions).min(2);
        score += 0.06 * contexts as f64 + 0.06 * regions as f64;
        if contexts > 0 {
            reasons.push(format!("{contexts} context match(es)"));
        }
        if regions > 0 {
            reasons.push(format!("{regions} region match(es)"));
        }
        let name = component.name.to_lowercase();
        let said = self
            .intent
            .words
            .iter()
            .filter(|word| {
                word.len() > 3
                    && *word != self.intent.layout.name()
                    && (name.contains(*word) || component.tags.contains(word))
            })
            .count()
            .min(3);
        if said > 0 {
            score += 0.06 * said as f64;
            reasons.push(format!("{said} word(s) of the intent"));
        }
        let slot_words = intent.split('-').filter(|word| name.contains(word)).count();
        if slot_words > 0 {
            score += 0.03;
            reasons.push("name matches the slot".into());
        }
        // Traits alone say nothing about a slot; they decide between components that fit it.
        let traits = self.intent.object.map_or(0, |object| {
            component.traits.iter().filter(|name| object.traits.contains(name)).count().min(2)
        });
        if traits > 0 && score >= 0.2 {
            score += 0.04 * traits as f64;
            reasons.push(format!("{traits} trait(s) of the object"));
        }
        (f64::min(score, 1.0), reasons)
    }
}
