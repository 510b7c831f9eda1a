//! How central a definition is: the chance to stand on it when references are followed at random.

use super::{Certainty, Relations, SymbolId};

const DAMPING: f32 = 0.85;
const ROUNDS: usize = 20;
/// What a step by name counts beside one that is resolved.
const GUESS: f32 = 0.2;
/// A test says little of what matters.
const TEST: f32 = 0.3;

impl Relations {
    /// The rank of every definition, best first. Walks start again at `focus`, anywhere where it is empty.
    pub fn ranked(&self, focus: &[SymbolId]) -> Vec<(SymbolId, f32)> {
        let count = self.nodes.all.len();
        if count == 0 {
            return Vec::new();
        }
        let start = self.starts(focus);
        let mut weight = vec![0f32; count];
        let value = |certainty| if certainty == Certainty::Resolved { 1.0 } else { GUESS };
        for edge in self.edges.all() {
            weight[edge.from as usize] += value(edge.certainty);
        }
        let mut rank = start.clone();
        for _ in 0..ROUNDS {
            let mut next = vec![0f32; count];
            let mut lost = 0f32;
            for (at, rank) in rank.iter().enumerate() {
                if weight[at] == 0.0 {
                    lost += rank;
                }
            }
            for edge in self.edges.all() {
                let share = value(edge.certainty) / weight[edge.from as usize];
                next[edge.to as usize] += rank[edge.from as usize] * share;
            }
            for (next, start) in next.iter_mut().zip(&start) {
                *next = DAMPING * (*next + lost * start) + (1.0 - DAMPING) * start;
            }
            rank = next;
        }
        let mut out: Vec<(SymbolId, f32)> = (0u32..)
            .zip(rank)
            .filter(|(node, _)| self.nodes.get(*node).is_target())
            .map(|(node, rank)| {
                (SymbolId(node), if self.nodes.get(node).is_test { rank * TEST } else { rank })
            })
            .collect();
        out.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        out
    }

    fn starts(&self, focus: &[SymbolId]) -> Vec<f32> {
        let count = self.nodes.all.len();
        if focus.is_empty() {
            let each = |node: &super::nodes::Node| if node.is_test { TEST } else { 1.0 };
            let sum: f32 = self.nodes.all.iter().map(each).sum();
            return self.nodes.all.iter().map(|node| each(node) / sum).collect();
        }
        let mut start = vec![0f32; count];
        for id in focus {
            start[id.0 as usize] += 1.0 / focus.len() as f32;
        }
        start
    }
}
