//! Where a request may be sent on to.

use lillux::http::{HttpErrorKind, HttpMethod, HttpRequest, HttpUrl, RedirectRefusal};

use super::server::Server;
use super::{get, send, text};

fn encoded(url: &str) -> String {
    url.replace(':', "%3A").replace('/', "%2F").replace('?', "%3F").replace('&', "%26")
}

#[test]
fn a_chain_is_followed_and_told() {
    let server = Server::start();
    let outcome = send(&get(&server.url("/count?left=2"))).unwrap();
    assert!(text(&outcome).starts_with("GET /echo\n"));
    assert_eq!((outcome.url.as_str(), outcome.attempts), (&*server.url("/echo"), 1));
    let urls: Vec<_> = outcome.redirects.iter().map(HttpUrl::as_str).collect();
    assert_eq!(urls, [2, 1, 0].map(|left| server.url(&format!("/count?left={left}"))));
}

#[test]
fn the_limit_is_exact_and_a_loop_ends_at_it() {
    let server = Server::start();
    assert_eq!(send(&get(&server.url("/count?left=2")).max_redirects(3)).unwrap().redirects.len(), 3);
    let error = send(&get(&server.url("/count?left=2")).max_redirects(2)).unwrap_err();
    assert!(matches!(error.kind(), HttpErrorKind::TooManyRedirects { limit: 2, .. }), "{error:?}");
    let error = send(&get(&server.url("/loop"))).unwrap_err();
    let HttpErrorKind::TooManyRedirects { limit: 10, chain } = error.kind() else { panic!("{error:?}") };
    assert_eq!(chain.len(), 11);
    assert!(chain.iter().all(|url| url.as_str() == server.url("/loop")));
}

#[test]
fn with_no_redirects_allowed_a_redirect_is_the_outcome() {
    let server = Server::start();
    let outcome = send(&get(&server.url("/redirect?to=/echo")).max_redirects(0)).unwrap();
    assert_eq!((outcome.status, text(&outcome)), (302, "moved"));
    assert_eq!(outcome.headers.get("location"), Some(&b"/echo"[..]));
    let nowhere = send(&get(&server.url("/nowhere"))).unwrap();
    assert_eq!((nowhere.status, text(&nowhere)), (302, "no location"));
}

#[test]
fn the_method_and_the_body_follow_the_standard() {
    let server = Server::start();
    for (code, expect) in [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")] {
        let request =
            HttpRequest::new(HttpMethod::Post, &server.url(&format!("/redirect?to=/echo&code={code}")));
        let request =
            request.and_then(|request| request.header("Content-Type", "text/x")).unwrap().body("body");
        let outcome = send(&request).unwrap();
        let (kept, echo) = (expect == "POST", text(&outcome));
        assert!(echo.starts_with(&format!("{expect} /echo\n")), "{code}: {echo}");
        assert_eq!(
            (echo.contains("content-type"), echo.ends_with("\n\nbody")),
            (kept, kept),
            "{code}: {echo}"
        );
    }
}

#[test]
fn secrets_do_not_leave_their_origin() {
    let server = Server::start();
    let send_to = |target: &str| {
        let url = server.url(&format!("/redirect?to={}", encoded(target)));
        let request = get(&url.replace("//", "//me:pw@"))
            .header("Cookie", "secret")
            .and_then(|request| request.secret_header("X-Key", "secret"))
            .and_then(|request| request.header("X-Plain", "open"))
            .unwrap();
        text(&send(&request).unwrap()).to_owned()
    };
    let same = send_to("/echo");
    for name in ["cookie:", "x-key:", "authorization:", "x-plain:"] {
        assert!(same.contains(name), "{name} in {same}");
    }
    let other = send_to(&server.other_origin("/echo"));
    assert!(other.contains("x-plain: open") && other.contains("host: localhost"), "{other}");
    for name in ["cookie:", "x-key:", "authorization:"] {
        assert!(!other.contains(name), "{name} in {other}");
    }
}

#[test]
fn only_http_is_followed() {
    let server = Server::start();
    for target in ["file:///etc/passwd", "ftp://localhost/", "data:text/plain,x", "http://"] {
        let error = send(&get(&server.url(&format!("/redirect?to={}", encoded(target))))).unwrap_err();
        let HttpErrorKind::RefusedRedirect { location, source } = error.kind() else { panic!("{error:?}") };
        assert_eq!(location, target);
        assert!(matches!(source, RedirectRefusal::Location(_)));
    }
}
