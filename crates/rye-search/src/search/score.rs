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
    let lengths = part.view.documents.lengths;
    let penalty = LENGTH_PENALTY / average_length;
    let norm = |document: u32| {
        let length = lengths.get(document as usize) as f32;
        SATURATION * (1.0 - LENGTH_PENALTY + penalty * length)
    };
    let mut scores: Vec<f32> = vec![0.0; documents.len()];
    for (turn, feature) in plan.wanted().enumerate() {
        let addend = |weight: u16, norm: f32| {
            let frequency = f32::from(weight) / UNITS_PER_WEIGHT;
            feature.weight * frequency / (frequency + norm)
        };
        let list = &feature.lists[number];
        if turn == 0
            && let Some(weights) = list.weights_of_all(documents)
        {
            // The norms by themselves, so that several scores are computed at a time.
            for (score, document) in scores.iter_mut().zip(documents) {
                *score = norm(*document);
            }
            for (score, weight) in scores.iter_mut().zip(weights.iter()) {
                *score = addend(weight, *score);
            }
        } else {
            list.join(documents, |position, weight| {
                scores[position] += addend(weight, norm(documents[position]));
            });
        }
    }
    scores
}
