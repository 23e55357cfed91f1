//! Servers that do not answer, and callers that no longer care.

use std::thread;
use std::time::Duration;

use lillux::http::{HttpErrorKind, Retry};
use lillux::{CancelToken, Overflow, StreamLimit};

use super::server::Server;
use super::{client, get, send};

/// Far longer than a test may take: a test that ends shows that nobody waited for it.
const FOREVER: Duration = Duration::from_secs(100_000);

#[test]
fn a_timeout_covers_the_head_and_the_body() {
    let server = Server::start();
    for path in ["/hang", "/stall", "/endless"] {
        let limit = Duration::from_millis(200);
        let request = get(&server.url(path)).timeout(limit).response_limit(StreamLimit::truncate(10));
        let error = send(&request).unwrap_err();
        assert!(
            matches!(error.kind(), HttpErrorKind::Timeout { limit: told } if *told == limit),
            "{path}: {error:?}"
        );
    }
}

#[test]
fn cancelling_ends_a_request_wherever_it_is() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let limit = StreamLimit { memory: 10, overflow: Overflow::Spool(folder.path().to_owned()) };
    let patient = Retry::Idempotent { max: 1, backoff: FOREVER / 2 };
    for path in ["/hang", "/stall", "/flaky?fails=1&code=503"] {
        let cancel = CancelToken::new().unwrap();
        let request = get(&server.url(path)).timeout(FOREVER).response_limit(limit.clone()).retry(patient);
        let error = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(200));
                cancel.cancel();
            });
            client().send(&request, Some(&cancel)).unwrap_err()
        });
        assert!(matches!(error.kind(), HttpErrorKind::Cancelled), "{path}: {error:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left of the bodies");
}

#[test]
fn one_token_ends_all_the_requests_that_share_it() {
    let server = Server::start();
    let (client, cancel) = (client(), CancelToken::new().unwrap());
    let request = get(&server.url("/hang")).timeout(FOREVER);
    thread::scope(|scope| {
        let sent: Vec<_> = (0..4).map(|_| scope.spawn(|| client.send(&request, Some(&cancel)))).collect();
        thread::sleep(Duration::from_millis(200));
        cancel.cancel();
        for request in sent {
            assert!(matches!(request.join().unwrap().unwrap_err().kind(), HttpErrorKind::Cancelled));
        }
    });
    // The client itself is as good as before.
    assert_eq!(client.send(&get(&server.url("/echo")), None).unwrap().status, 200);
    let late = client.send(&get(&server.url("/echo")), Some(&cancel)).unwrap_err();
    assert!(matches!(late.kind(), HttpErrorKind::Cancelled));
}

#[test]
fn a_name_without_an_address_is_told_apart() {
    let error = send(&get("http://no-such-host.invalid/")).unwrap_err();
    let HttpErrorKind::Dns { host, .. } = error.kind() else { panic!("{error:?}") };
    assert_eq!(host, "no-such-host.invalid");
}

#[test]
fn a_server_that_closes_without_a_word_gives_no_response() {
    let server = Server::start();
    let error = send(&get(&server.url("/drop"))).unwrap_err();
    assert!(matches!(error.kind(), HttpErrorKind::NoResponse { .. }), "{error:?}");
}
