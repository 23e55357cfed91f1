//! BM25 over weighted fields: a word counts by where it stands, how rare it is, and how long the document is.

use super::collection::Part;
use super::plan::Plan;
use crate::document::UNITS_PER_WEIGHT;

/// How soon more occurrences stop to count.
const SATURATION: f32 = 1.2;
/// How much longer documents are held back, from 0 to 1.
const LENGTH_PENALTY: f32 = 0.5;

/// The scores of ascending documents, by the features of a plan in their order.
#[expect(clippy::cast_precision_loss, reason = "a score need not be exact")]
pub(super) fn scores(
    plan: &Plan<'_>,
    (number, part): (usize, &Part<'_>),
    average_length: f32,
    documents: &[u32],
) -> Vec<f32> {
    let mut scores = vec![0.0; documents.len()];
    let lengths = part.view.documents.lengths;
    let norm = |&document: &u32| {
        let length = lengths.get(document as usize) as f32;
        SATURATION * (1.0 - LENGTH_PENALTY + LENGTH_PENALTY * length / average_length)
    };
    for feature in plan.wanted() {
        let addend = |weight: u16, norm: f32| {
            let frequency = f32::from(weight) / UNITS_PER_WEIGHT;
            feature.weight * frequency / (frequency + norm)
        };
        let list = &feature.lists[number];
        if let Some(weights) = list.weights_of_all(documents) {
            // By themselves, so that several are computed at a time.
            let norms: Vec<f32> = documents.iter().map(norm).collect();
            for ((score, &norm), weight) in scores.iter_mut().zip(&norms).zip(weights.iter()) {
                *score += addend(weight, norm);
            }
        } else {
            list.join(documents, |position, weight| {
                scores[position] += addend(weight, norm(&documents[position]));
            });
        }
    }
    scores
}
