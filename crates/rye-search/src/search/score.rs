//! BM25 over weighted fields: a word counts by where it stands, how rare it is, and how long the document is.

use super::collection::Part;
use super::plan::Feature;
use crate::document::UNITS_PER_WEIGHT;

/// How soon more occurrences stop to count.
const SATURATION: f32 = 1.2;
/// How much longer documents are held back, from 0 to 1.
const LENGTH_PENALTY: f32 = 0.5;

/// The scores of ascending documents, by the features in their order.
#[expect(clippy::cast_precision_loss, reason = "a score need not be exact")]
pub(super) fn scores(
    features: &[Feature<'_>],
    (number, part): (usize, &Part<'_>),
    average_length: f32,
    documents: &[u32],
) -> Vec<f32> {
    let mut scores = vec![0.0; documents.len()];
    let lengths = part.view.documents.lengths;
    for feature in features.iter().filter(|feature| feature.weight > 0.0) {
        feature.lists[number].join(documents, |position, weight| {
            let length = lengths.get(documents[position] as usize) as f32;
            let frequency = f32::from(weight) / UNITS_PER_WEIGHT;
            let norm = SATURATION * (1.0 - LENGTH_PENALTY + LENGTH_PENALTY * length / average_length);
            scores[position] += feature.weight * frequency / (frequency + norm);
        });
    }
    scores
}
