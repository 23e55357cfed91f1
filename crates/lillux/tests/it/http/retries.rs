//! What is tried again, and how often.

use std::net::TcpListener;
use std::time::Duration;

use lillux::http::{HttpErrorKind, HttpMethod, HttpOutcome, HttpRequest, Retry};

use super::server::Server;
use super::{get, send, text};

const TWICE: Retry = Retry::Idempotent { max: 2, backoff: Duration::from_millis(1) };

fn send_twice(method: HttpMethod, url: &str) -> HttpOutcome {
    send(&HttpRequest::new(method, url).unwrap().retry(TWICE)).unwrap()
}

#[test]
fn a_transient_status_is_tried_again() {
    let server = Server::start();
    for code in [429, 502, 503, 504] {
        let outcome = send_twice(HttpMethod::Get, &server.url(&format!("/flaky?fails=2&code={code}")));
        assert_eq!((outcome.status, text(&outcome), outcome.attempts), (200, "3", 3));
    }
    let outcome = send_twice(HttpMethod::Put, &server.url("/flaky?fails=3&code=503"));
    assert_eq!((outcome.status, outcome.attempts), (503, 3));
}

#[test]
fn nothing_else_is() {
    let server = Server::start();
    let once = |method, path: &str| {
        let outcome = send_twice(method, &server.url(path));
        assert_eq!(outcome.attempts, 1, "{path}");
        assert_ne!(outcome.status, 200, "{path}");
    };
    once(HttpMethod::Get, "/flaky?fails=1&code=500");
    once(HttpMethod::Get, "/flaky?fails=1&code=404");
    once(HttpMethod::Post, "/flaky?fails=1&code=503&post");
    once(HttpMethod::Patch, "/flaky?fails=1&code=503&patch");
    let never = send(&get(&server.url("/flaky?fails=1&code=503&never"))).unwrap();
    assert_eq!((never.status, never.attempts), (503, 1));
}

#[test]
fn an_answer_that_has_begun_is_not_asked_for_again() {
    let server = Server::start();
    for (path, begun) in [("/cut?sends=10", true), ("/drop", false)] {
        let error = send(&get(&server.url(path)).retry(TWICE)).unwrap_err();
        match error.kind() {
            HttpErrorKind::BodyRead { received, .. } if begun => assert_eq!(*received, 10),
            HttpErrorKind::NoResponse { .. } if !begun => {}
            _ => panic!("{error:?}"),
        }
        let seen =
            send(&get(&server.url(&format!("/seen?path={}", path.replace('?', "%3F").replace('=', "%3D")))));
        assert_eq!(text(&seen.unwrap()), "1");
    }
}

#[test]
fn the_wait_that_the_server_asks_for_counts() {
    let server = Server::start();
    let slow = Retry::Idempotent { max: 1, backoff: Duration::from_hours(1) };
    for asked in ["after=0", "date=-5"] {
        let request = get(&server.url(&format!("/flaky?fails=1&code=429&{asked}"))).retry(slow);
        assert_eq!(send(&request).unwrap().status, 200);
    }
    let outcome = send(&get(&server.url("/flaky?fails=1&code=429&after=1")).retry(TWICE)).unwrap();
    assert!(outcome.duration >= Duration::from_secs(1));
}

#[test]
fn a_wait_beyond_the_deadline_is_not_begun() {
    let server = Server::start();
    for asked in ["after=3600", "date=3600", "after=99999999999999999"] {
        let outcome = send_twice(HttpMethod::Get, &server.url(&format!("/flaky?fails=1&code=503&{asked}")));
        assert_eq!((outcome.status, text(&outcome), outcome.attempts), (503, "failed", 1));
    }
}

#[test]
fn a_refused_connection_is_tried_again() {
    // The port was free a moment ago; should another program take it, the request would be answered.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let backoff = Duration::from_millis(300);
    let request = get(&format!("http://127.0.0.1:{port}/")).retry(Retry::Idempotent { max: 1, backoff });
    let begun = std::time::Instant::now();
    let error = send(&request).unwrap_err();
    assert!(begun.elapsed() >= backoff, "it waited, so it tried again");
    let HttpErrorKind::Connect { source } = error.kind() else { panic!("{error:?}") };
    assert_eq!(source.kind(), std::io::ErrorKind::ConnectionRefused);
}
