//! Who answers for what ran, as the text that stands in answers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use rye_engine::ExecuteReport;
use rye_plan::PlanElement;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The texts of chains that ran lately. A chain that an engine knows is the same value in each of its reports.
#[derive(Debug, Default)]
pub(super) struct Attestations(Mutex<VecDeque<Known>>);

#[derive(Debug)]
struct Known {
    chain: Arc<[PlanElement]>,
    extractors: Arc<[PlanElement]>,
    helper: Option<Arc<PlanElement>>,
    server: Option<Arc<PlanElement>>,
    text: Arc<RawValue>,
}

/// So many texts are kept.
const MOST: usize = 16;

impl Attestations {
    /// Each file that had a say in what ran.
    pub(super) fn of(&self, report: &ExecuteReport) -> Option<Arc<RawValue>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.iter().find(|one| one.is_of(report)) {
            return Some(Arc::clone(&found.text));
        }
        let text: Arc<RawValue> = RawValue::from_string(attestation(report).to_string()).ok()?.into();
        if known.len() >= MOST {
            known.pop_front();
        }
        known.push_back(Known {
            chain: Arc::clone(&report.chain),
            extractors: Arc::clone(&report.extractors),
            helper: report.helper.clone(),
            server: report.server.clone(),
            text: Arc::clone(&text),
        });
        Some(text)
    }
}

impl Known {
    fn is_of(&self, report: &ExecuteReport) -> bool {
        Arc::ptr_eq(&self.chain, &report.chain)
            && Arc::ptr_eq(&self.extractors, &report.extractors)
            && self.helper == report.helper
            && self.server == report.server
    }
}

fn attestation(report: &ExecuteReport) -> Value {
    let chain = report.chain.iter().map(|one| element(one, "chain"));
    let extractors = report.extractors.iter().map(|one| element(one, "extractor"));
    let helper = report.helper.iter().map(|one| element(one, "helper"));
    let server = report.server.iter().map(|one| element(one, "server"));
    chain.chain(extractors).chain(helper).chain(server).collect()
}

fn element(element: &PlanElement, role: &str) -> Value {
    json!({
        "role": role,
        "id": element.item.id,
        "space": element.space,
        "version": element.version,
        "digest": element.digest,
        "signer": element.signer,
    })
}
