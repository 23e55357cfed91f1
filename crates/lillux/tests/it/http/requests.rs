//! What travels, and what comes back.

use lillux::http::{HttpEnding, HttpErrorKind, HttpMethod, HttpRequest};

use super::server::Server;
use super::{client, get, send, text, whole};

#[test]
fn a_request_arrives_as_it_was_written() {
    let server = Server::start();
    let request = HttpRequest::new(HttpMethod::Post, &server.url("/echo?a=b"))
        .unwrap()
        .header("X-Many", "1")
        .and_then(|request| request.header("X-Many", "2"))
        .unwrap()
        .body("hello\0world");
    let outcome = send(&request).unwrap();
    let echo = text(&outcome);
    assert!(echo.starts_with("POST /echo?a=b\n"), "{echo}");
    assert!(echo.ends_with("\n\nhello\0world"), "{echo}");
    for line in ["x-many: 1", "x-many: 2", "content-length: 11"] {
        assert!(echo.lines().any(|found| found == line), "{line} in {echo}");
    }
    assert!(echo.contains("user-agent: lillux/"), "{echo}");
    assert!(!echo.contains("accept-encoding"), "{echo}");
    assert_eq!((outcome.status, outcome.ending, outcome.attempts), (200, HttpEnding::Complete, 1));
    assert_eq!(outcome.url.as_str(), server.url("/echo?a=b"));
    let twice = outcome.headers.iter().filter(|(name, _)| *name == "x-twice").map(|(_, value)| value);
    assert_eq!(twice.collect::<Vec<_>>(), [b"a", b"b"]);
}

#[test]
fn every_method_can_be_sent() {
    let server = Server::start();
    let client = client();
    for method in HttpMethod::ALL {
        let outcome = client.send(&HttpRequest::new(method, &server.url("/echo")).unwrap(), None).unwrap();
        let expect = if method == HttpMethod::Head { String::new() } else { format!("{method} /echo") };
        assert_eq!(text(&outcome).lines().next().unwrap_or_default(), expect);
    }
}

#[test]
fn a_failing_status_is_an_outcome() {
    let server = Server::start();
    for code in [204, 304, 400, 404, 500, 503] {
        assert_eq!(send(&get(&server.url(&format!("/status?code={code}")))).unwrap().status, code);
    }
}

#[test]
fn bodies_are_handed_out_as_they_were_sent() {
    let server = Server::start();
    assert_eq!(text(&send(&get(&server.url("/chunked"))).unwrap()), "one two three");
    let packed = send(&get(&server.url("/gzip"))).unwrap();
    assert_eq!(
        (&packed.body.bytes[..2], packed.headers.get("content-encoding")),
        (&[0x1f, 0x8b][..], Some(&b"gzip"[..]))
    );
}

#[test]
fn connections_are_kept_within_a_client() {
    let server = Server::start();
    let client = client();
    let peer = || text(&client.send(&get(&server.url("/peer")), None).unwrap()).to_owned();
    assert_eq!(peer(), peer());
    assert_ne!(text(&send(&get(&server.url("/peer"))).unwrap()), peer());
}

#[test]
fn one_client_serves_many_threads() {
    let server = Server::start();
    let client = client();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (client, url) = (&client, server.url(&format!("/echo?{number}")));
            scope.spawn(move || {
                let outcome = client.send(&get(&url), None).unwrap();
                assert!(text(&outcome).starts_with(&format!("GET /echo?{number}\n")));
            });
        }
    });
}

#[test]
fn credentials_in_a_url_are_sent_and_never_shown() {
    let server = Server::start();
    let url = server.url("/echo").replace("//", "//me:s%65cret@");
    let outcome = send(&get(&url)).unwrap();
    assert!(text(&outcome).contains("authorization: Basic bWU6c2VjcmV0\n"), "{}", text(&outcome));
    assert_eq!(outcome.url.as_str(), server.url("/echo"));

    let dropped = send(&get(&url.replace("/echo", "/drop"))).unwrap_err();
    let unparsable = HttpRequest::new(HttpMethod::Get, "http://me:s%65cret@ho st/").unwrap_err();
    let foreign = HttpRequest::new(HttpMethod::Get, "ftp://me:s%65cret@host/").unwrap_err();
    for error in [dropped, unparsable, foreign] {
        let shown = format!("{} {error:?}", whole(&error));
        assert!(!shown.contains("cret"), "{shown}");
    }
}

#[test]
fn an_explicit_authorization_wins_over_the_url() {
    let server = Server::start();
    let request =
        get(&server.url("/echo").replace("//", "//me:pw@")).header("Authorization", "Bearer x").unwrap();
    let outcome = send(&request).unwrap();
    let sent = text(&outcome).lines().filter(|line| line.starts_with("authorization:"));
    assert_eq!(sent.collect::<Vec<_>>(), ["authorization: Bearer x"]);
}

#[test]
fn what_could_be_injected_is_refused_before_anything_is_sent() {
    for (name, value) in [("X-A", "1\r\nX-B: 2"), ("X-A\r\nX-B", "2"), ("X-A", "\0")] {
        let error = get("http://127.0.0.1/").header(name, value).unwrap_err();
        assert!(matches!(error.kind(), HttpErrorKind::InvalidHeader { .. }));
        assert!(!whole(&error).contains(['\r', '\n', '\0']));
    }
    for url in ["http://127.0.0.1/\r\nX-B: 2", "http://127.0.0.1/\0", "gopher://127.0.0.1/", "/relative"] {
        let error = HttpRequest::new(HttpMethod::Get, url).unwrap_err();
        assert!(matches!(error.kind(), HttpErrorKind::InvalidUrl { .. }));
    }
}

#[test]
fn an_error_says_what_was_asked_and_why_it_failed() {
    let error = HttpRequest::new(HttpMethod::Get, "file:///etc/passwd").unwrap_err();
    let expect = "HTTP request `GET file:///etc/passwd` failed: invalid URL: \
                  the scheme is `file`: expected `http` or `https`";
    assert_eq!(whole(&error), expect);
    let odd = send(&get("http://{{host}}/")).unwrap_err();
    assert!(matches!(odd.kind(), HttpErrorKind::InvalidUrl { .. }), "{odd:?}");
}
