//! Servers at which the operator logs in.

use std::net::TcpListener;
use std::path::Path;
use std::process::Output;

use serde_json::json;

use super::login_peer::{LoginPeer, Misdeed, logged_in};
use crate::mcp::stdio_peer::StdioPeer;
use crate::space::TestSpace;

/// A space whose operator has imported the tools of a server, and is logged in there.
fn with_login(peer: &LoginPeer) -> TestSpace {
    let space = TestSpace::with_key();
    let output = add(&space, peer);
    assert!(output.status.success(), "{output:?}");
    space
}

fn add(space: &TestSpace, peer: &LoginPeer) -> Output {
    logged_in(&space.rye(["mcp", "add", "box", "--yes", "--oauth", "--url", &peer.url()]))
}

/// What a call of the tool says, and whether it worked.
fn who(space: &TestSpace) -> (String, bool) {
    let output = space.rye(["execute", "mcp/box/who"]).output();
    let said = [output.stdout, output.stderr].concat();
    (String::from_utf8(said).unwrap(), output.status.success())
}

/// Why a login fails, and what was asked for tokens meanwhile.
fn failure(misdeed: Misdeed) -> (String, Vec<String>) {
    let peer = LoginPeer::start();
    peer.state().misdeed = Some(misdeed);
    let space = TestSpace::with_key();
    let output = add(&space, &peer);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(!space.path("home/.ai/secrets").exists());
    let said = String::from_utf8(output.stderr).unwrap();
    let grants = peer.state().grants.clone();
    (said, grants)
}

/// Whether a text is in any file below a folder.
fn is_below(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return is_below(&path, text);
        }
        std::fs::read(&path).is_ok_and(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
    })
}

#[test]
fn a_login_is_kept_and_used_and_nobody_sees_it() {
    let peer = LoginPeer::start();
    let space = with_login(&peer);
    assert_eq!(peer.state().grants, ["authorization_code registered"]);
    assert_eq!(peer.state().scope, "talk offline_access");
    let file = space.read("project/.ai/tools/mcp/servers/box.yaml");
    assert!(file.contains("auth: \"oauth\""), "{file}");
    let (said, is_good) = who(&space);
    assert!(is_good && said.contains("you sent [token]"), "{said}");
    assert_eq!(space.rye(["secret", "list"]).json()["secrets"], json!([]));
    for folder in ["project", "home", "cache"] {
        assert!(!is_below(&space.path(folder), "of-the-operator"), "{folder}");
    }
    let again = logged_in(&space.rye(["mcp", "login", "box"]));
    let said = String::from_utf8(again.stdout).unwrap();
    assert!(said.starts_with("logged in at http://127.0.0.1:") && again.status.success(), "{said}");
}

#[test]
fn a_login_is_renewed_when_it_has_expired_and_when_the_server_says_so() {
    let peer = LoginPeer::start();
    // A token of this kind has expired before it is used.
    peer.state().lifetime = 0;
    let space = with_login(&peer);
    let grants = || peer.state().grants.len();
    let at_import = grants();
    assert!(at_import > 1, "{:?}", peer.state().grants);
    peer.state().lifetime = 3600;
    assert!(who(&space).1);
    assert_eq!(grants(), at_import + 1);
    assert!(who(&space).1);
    assert_eq!(grants(), at_import + 1);
    peer.state().valid.clear();
    assert!(who(&space).1);
    assert_eq!(grants(), at_import + 2);
    assert!(peer.state().grants[1..].iter().all(|grant| grant == "refresh_token registered"));
}

#[test]
fn without_a_login_is_said_how_to_log_in() {
    let peer = LoginPeer::start();
    let space = with_login(&peer);
    insta::assert_snapshot!(space.rye(["mcp", "logout", "box"]).show(), @"
    $ rye mcp logout box
    exit code: 0
    --- stdout
    logged out of box
    ");
    insta::assert_snapshot!(space.rye(["mcp", "logout", "box"]).show(), @"
    $ rye mcp logout box
    exit code: 1
    --- stderr
    note: nobody was logged in at box
    ");
    let (said, is_good) = who(&space);
    assert!(!is_good);
    insta::assert_snapshot!(said, @"
    error: the MCP server `box` failed: nobody has logged in [LOGIN_NEEDED]
    hint: run `rye mcp login box`
    error: tool:mcp/box/who failed with exit code 3 [TOOL_FAILED]
    ");
    let kept = std::fs::read_dir(space.path("home/.ai/secrets")).unwrap();
    let kept: Vec<_> = kept.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(kept, ["identity"]);
}

#[test]
fn a_login_that_is_not_taken_any_more_is_one_to_make_again() {
    let peer = LoginPeer::start();
    let space = with_login(&peer);
    let mut state = peer.state();
    state.valid.clear();
    state.misdeed = Some(Misdeed::Forgetful);
    drop(state);
    let (said, is_good) = who(&space);
    assert!(!is_good && said.contains("the login is not valid any more"), "{said}");
    assert!(said.contains("hint: run `rye mcp login box`"), "{said}");
}

#[test]
fn an_answer_that_is_not_ours_gives_no_token() {
    let (said, grants) = failure(Misdeed::OtherState);
    assert!(said.contains("the answer belongs to another login: its state is not ours"), "{said}");
    assert_eq!(grants, [""; 0]);
    let (said, grants) = failure(Misdeed::OtherIssuer);
    assert!(said.contains("an answer is from `https://bank.example`, and the login is at"), "{said}");
    assert_eq!(grants, [""; 0]);
    let (said, grants) = failure(Misdeed::OtherResource);
    assert!(said.contains("says that it is `https://bank.example/mcp`"), "{said}");
    assert_eq!(grants, [""; 0]);
}

#[test]
fn a_server_that_wants_more_is_told_how() {
    let peer = LoginPeer::start();
    let space = with_login(&peer);
    peer.state().misdeed = Some(Misdeed::MoreScopes);
    let (said, is_good) = who(&space);
    assert!(!is_good && said.contains("it needs `talk`, `shout` [LOGIN_NEEDED]"), "{said}");
    assert!(said.contains("hint: run `rye mcp login box --scope talk --scope shout`"), "{said}");
}

#[test]
fn the_operator_may_bring_a_client_and_say_what_is_allowed() {
    let peer = LoginPeer::start();
    let space = with_login(&peer);
    space.rye(["secret", "set", "BOX_CLIENT"]).read("hunter2hunter2");
    let options = ["--client-id", "mine", "--client-secret", "BOX_CLIENT", "--scope", "shout"];
    let output = logged_in(&space.rye(["mcp", "login", "box"].into_iter().chain(options)));
    assert!(output.status.success(), "{output:?}");
    assert_eq!(peer.state().scope, "shout offline_access");
    peer.state().valid.clear();
    assert!(who(&space).1);
    let grants = peer.state().grants.split_off(1);
    assert_eq!(grants, ["authorization_code mine with its secret", "refresh_token mine with its secret"]);
}

#[test]
fn a_server_that_says_nothing_is_looked_at() {
    let peer = LoginPeer::start();
    peer.state().misdeed = Some(Misdeed::Mute);
    let space = with_login(&peer);
    peer.state().valid.clear();
    assert!(who(&space).1);
    assert_eq!(peer.state().grants.len(), 2);
}

#[test]
fn a_server_that_is_removed_takes_its_login_along() {
    let peer = LoginPeer::start();
    let space = with_login(&peer);
    space.run(["mcp", "remove", "box", "--yes"]);
    assert_eq!(std::fs::read_dir(space.path("home/.ai/secrets")).unwrap().count(), 1);
}

#[test]
fn a_token_does_not_follow_a_redirect() {
    let peer = LoginPeer::start();
    let space = with_login(&peer);
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    let address = format!("http://{}/mcp", elsewhere.local_addr().unwrap());
    peer.state().misdeed = Some(Misdeed::Redirect(address));
    let (said, is_good) = who(&space);
    assert!(!is_good && said.contains("307"), "{said}");
    assert_eq!(elsewhere.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn a_server_of_the_same_name_elsewhere_does_not_get_the_token() {
    let peer = LoginPeer::start();
    let space = with_login(&peer);
    let other = LoginPeer::start();
    let file = "project/.ai/tools/mcp/servers/box.yaml";
    let text = space.read(file).replace(&peer.url(), &other.url());
    space.write(file, text);
    space.run(["sign", "mcp/servers/box"]);
    let (said, is_good) = who(&space);
    assert!(!is_good && said.contains("nobody has logged in"), "{said}");
}

#[test]
fn a_session_that_is_kept_ends_with_the_login() {
    let peer = LoginPeer::start();
    let space = with_login(&peer);
    let mut served = StdioPeer::connect(&space.rye(["mcp", "serve"]));
    let mut who = || served.call("execute", &json!({ "item_id": "mcp/box/who" }));
    assert_eq!(who()["structuredContent"]["data"], "you sent [token]");
    assert_eq!(who()["structuredContent"]["warm"], true);
    peer.state().valid.clear();
    assert_eq!(who()["structuredContent"]["data"], "you sent [token]");
    space.run(["mcp", "logout", "box"]);
    let refused = who().to_string();
    assert!(refused.contains("rye mcp login box"), "{refused}");
}

#[test]
fn who_does_not_come_back_is_not_waited_for() {
    let peer = LoginPeer::start();
    let space = with_login(&peer);
    let output = space.rye(["mcp", "login", "box", "--login-timeout", "0.2"]).output();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("nobody has logged in within 0.2 s [TIMEOUT]"), "{said}");
    assert!(who(&space).1);
}
