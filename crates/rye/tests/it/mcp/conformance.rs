//! What the official suite can check of the server as it is. The rest wants tools that the suite prescribes, and is
//! checked in `rye-mcp` behind the same transports.

use super::http_peer::HttpServer;
use super::npm_peer::{modules, npm_peer};
use crate::workshop::Workshop;

const SUITE: &str = "@modelcontextprotocol/conformance/dist/index.js";
const TOKEN: &str = include_str!("../../../../../tests/peers/with_token.mjs");

/// Lets the suite run scenarios in one version of the protocol.
fn check(version: &str, scenarios: &[&str]) {
    let shop = Workshop::new();
    shop.shell_tool("my/echo", "", "cat");
    // The script has to be where its packages are.
    let script = shop.space.write("elsewhere/with_token.mjs", TOKEN);
    std::os::unix::fs::symlink(modules(), shop.space.path("elsewhere/node_modules")).unwrap();
    let server = HttpServer::start(&shop.space.rye(["mcp", "serve", "--http", "127.0.0.1:0"]));
    let url = format!("http://{}/mcp", server.address);
    for scenario in scenarios {
        let mut suite = npm_peer(&shop, SUITE);
        suite.env("NODE_OPTIONS", format!("--import={}", script.display()));
        suite.env("RYE_TEST_TOKEN", &server.token);
        suite.args(["server", "--url", &url, "--scenario", scenario, "--spec-version", version]);
        let output = suite.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{scenario}: {said}");
        assert!(said.contains("Passed: ") && !said.contains("Passed: 0/"), "{scenario}: {said}");
    }
}

#[test]
fn of_2025_11_25() {
    check(
        "2025-11-25",
        &[
            "server-initialize",
            "server-session-lifecycle",
            "ping",
            "tools-list",
            "resources-list",
            "prompts-list",
            "dns-rebinding-protection",
        ],
    );
}

#[test]
fn of_2026_07_28() {
    check(
        "2026-07-28",
        &[
            "tools-list",
            "sep-2164-resource-not-found",
            "dns-rebinding-protection",
            "caching",
            "http-header-validation",
            "input-required-result-unsupported-methods",
        ],
    );
}
