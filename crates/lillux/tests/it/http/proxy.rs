//! A proxy in the environment counts only if the options say so.
//!
//! The environment of this process belongs to all tests, so the two cases run in a process of their own.

use std::process::Command;

use lillux::http::{HttpClient, HttpClientOptions, HttpErrorKind, ProxyPolicy};

use super::server::Server;
use super::{get, text};

const TARGET: &str = "http://no-such-host.invalid/echo";

#[test]
fn the_environment_counts_if_asked() {
    run_with_proxy("http::proxy::asks_for_the_proxy");
}

#[test]
fn the_environment_does_not_count_by_default() {
    run_with_proxy("http::proxy::asks_for_nothing");
}

#[test]
#[ignore = "runs in a process of its own, started by the_environment_counts_if_asked"]
fn asks_for_the_proxy() {
    let options = HttpClientOptions { proxy: ProxyPolicy::Environment, ..HttpClientOptions::default() };
    let outcome = HttpClient::new(options).unwrap().send(&get(TARGET), None).unwrap();
    assert!(text(&outcome).starts_with(&format!("GET {TARGET}\n")), "{}", text(&outcome));
}

#[test]
#[ignore = "runs in a process of its own, started by the_environment_does_not_count_by_default"]
fn asks_for_nothing() {
    let error = super::send(&get(TARGET)).unwrap_err();
    assert!(matches!(error.kind(), HttpErrorKind::Dns { .. }), "{error:?}");
}

#[expect(clippy::disallowed_methods, reason = "a test process with another environment")]
fn run_with_proxy(test: &str) {
    let server = Server::start();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored"])
        .env("HTTP_PROXY", server.url(""))
        .env("http_proxy", server.url(""))
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .env_remove("REQUEST_METHOD")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
}
