//! Whether the transports do what the protocol requires, as the official suite sees it.
//!
//! The suite wants tools that have nothing to do with ours, so something else answers here; everything in front of it, from
//! the socket to the handler, is what `rye mcp serve --http` runs.

mod fixture;
mod rounds;
mod suite;

use std::sync::mpsc;

use lillux::CancelToken;

use self::fixture::Fixture;
use self::suite::{Check, Findings};
use super::serve::respond_over_http;
use super::settings::HttpSettings;

/// Serves what the suite prescribes, and lets it check that.
fn findings(requirements: &str) -> Findings {
    let folder = tempfile::tempdir().unwrap();
    let settings = HttpSettings {
        address: ([127, 0, 0, 1], 0).into(),
        hosts: Vec::new(),
        origins: Vec::new(),
        token_file: folder.path().join("token"),
    };
    let cancel = CancelToken::new().unwrap();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let serving = scope.spawn(|| {
            respond_over_http(&Fixture::new(), &settings, &cancel, |address, token| {
                sender.send((format!("http://{address}/mcp"), token.as_str().to_owned())).unwrap();
            })
        });
        let (url, token) = receiver.recv().unwrap();
        let findings = suite::check_server(requirements, &url, &token);
        cancel.cancel();
        serving.join().unwrap().unwrap();
        findings
    })
}

/// Every required scenario passes. What fails is told check by check.
fn check(requirements: &str) {
    let findings = findings(requirements);
    for scenario in &findings.required {
        assert!(findings.checks.iter().any(|check| check.scenario == *scenario), "{scenario} was not run");
    }
    let (mut passed, mut failed) = (0, 0);
    for Check { scenario, id, status, message } in &findings.checks {
        let is_required = findings.required.contains(scenario);
        if status != "SUCCESS" {
            println!(
                "{status}{} {scenario}:{id} {message}",
                if is_required { "" } else { " (not required)" }
            );
        }
        passed += usize::from(is_required && status == "SUCCESS");
        failed += usize::from(is_required && status == "FAILURE");
    }
    let scenarios = findings.required.len();
    println!(
        "{requirements}: {scenarios} scenarios required, {passed} of their checks passed, {failed} failed"
    );
    assert_eq!(failed, 0, "{}", findings.said);
    assert!(findings.is_good, "{}", findings.said);
}

#[test]
fn all_that_2025_11_25_requires() {
    check("2025-11-25");
}

#[test]
fn all_that_2026_07_28_requires() {
    check("2026-07-28");
}
