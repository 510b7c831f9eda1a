//! The risks of one hit, as they are with calls and rules of a user taken in.

use super::answer::{RiskFlow, RiskStep};
use crate::facts::Fact;
use crate::facts::risk::{Flow, Step};
use crate::relations::{CrossFlow, Relations, RiskLayer, Texts};

/// Replaces what does not hold, and adds what crosses calls.
pub(super) fn correct(
    relations: &Relations,
    layer: &RiskLayer,
    texts: &mut Texts,
    node: u32,
    facts: &mut Vec<(Fact, String)>,
    flows: &mut Vec<RiskFlow>,
) {
    if layer.replaced.binary_search(&node).is_ok() {
        facts.retain(|(fact, _)| !Fact::RISKS.contains(fact));
        let own = layer.facts.iter().filter(|(known, ..)| *known == node);
        facts.extend(own.map(|(_, fact, value)| (*fact, value.clone())));
        let own = layer.own_flows.get(&node).map(Vec::as_slice).unwrap_or_default();
        *flows = own.iter().map(|flow| shown(relations, texts, node, flow)).collect();
    }
    for CrossFlow { flow, .. } in layer.flows.iter().filter(|cross| cross.nodes.contains(&node)) {
        facts.push((Fact::RiskFlow, format!("{}->{}", flow.source, flow.sink)));
        facts.extend([(Fact::RiskCategory, flow.category.to_owned())]);
        facts.extend(flow.ids.iter().map(|id| (Fact::RiskCategory, (*id).to_owned())));
        flows.push(shown(relations, texts, node, flow));
    }
    facts.sort();
    facts.dedup();
}

fn shown(relations: &Relations, texts: &mut Texts, node: u32, flow: &Flow) -> RiskFlow {
    let home = relations.nodes.file(node);
    let mut path: Vec<RiskStep> = Vec::new();
    for step in &flow.path {
        let (of, at) = match *step {
            Step::Here(at) => (node, at),
            Step::There { node, at } => (node, at),
        };
        let (file, line, text) = relations.place_of(texts, of, at);
        let file = (relations.nodes.file(of) != home).then_some(file);
        path.push(RiskStep { file, line, text });
    }
    path.dedup();
    let Flow { source, sink, category, severity, ids, .. } = *flow;
    RiskFlow { source, sink, category, severity, ids, path }
}
