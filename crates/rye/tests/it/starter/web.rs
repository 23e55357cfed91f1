//! Requests, to a server of our own.

use serde_json::json;

use super::{call, wrong_parameters};
use crate::execute::http::{OK, TEAPOT, serve};
use crate::space::TestSpace;

const FETCH: &str = "rye/web/fetch";

#[test]
fn a_page_is_fetched() {
    let space = TestSpace::with_bundle();
    let (port, served) = serve(vec![OK]);
    assert_eq!(
        call(&space, FETCH, &json!({ "url": format!("http://127.0.0.1:{port}/a?b=c") })),
        json!({ "ok": 1 })
    );
    let request = served.join().unwrap().remove(0);
    assert!(request.starts_with("GET /a?b=c HTTP/1.1\r\n"), "{request}");
    assert!(!request.to_lowercase().contains("content-length"), "{request}");
}

#[test]
fn everything_is_sent() {
    let space = TestSpace::with_bundle();
    let (port, served) = serve(vec![OK, OK]);
    let url = format!("http://127.0.0.1:{port}/items");
    let params = json!({ "url": url, "method": "PUT", "headers": { "X-One": "{url} ${HOME}" },
        "query": { "q": ["x y", 2], "none": null }, "body": { "name": "{method}" } });
    call(&space, FETCH, &params);
    call(&space, FETCH, &json!({ "url": url, "method": "POST", "body": "plain" }));
    let requests = served.join().unwrap();
    let put = &requests[0];
    assert!(put.starts_with("PUT /items?q=x+y&q=2 HTTP/1.1\r\n"), "{put}");
    // What came from the caller is not a template.
    assert!(put.contains("x-one: {url} ${HOME}\r\n") && put.ends_with("{\"name\":\"{method}\"}"), "{put}");
    assert!(requests[1].ends_with("\r\n\r\nplain"), "{}", requests[1]);
}

#[test]
fn what_goes_wrong_is_told() {
    let space = TestSpace::with_bundle();
    let (port, served) = serve(vec![TEAPOT]);
    let params = json!({ "url": format!("http://127.0.0.1:{port}/") }).to_string();
    let report = space.rye(["execute", FETCH, "--params", &params]).json();
    assert_eq!((&report["error"]["code"], &report["http_status"]), (&json!("TOOL_FAILED"), &json!(418)));
    assert_eq!(report["data"], "no!");
    served.join().unwrap();
    for url in ["file:///etc/passwd", "ftp://x/", "127.0.0.1", ""] {
        wrong_parameters(&space, FETCH, &json!({ "url": url }));
    }
    wrong_parameters(&space, FETCH, &json!({ "url": "http://x/", "headers": ["a"] }));
    wrong_parameters(&space, FETCH, &json!({ "url": "http://x/", "auth": { "bearer": "TOKEN" } }));
}

#[test]
fn what_it_would_do_is_explained_without_an_address() {
    let space = TestSpace::with_bundle();
    let shown = space.rye(["explain", FETCH]).show();
    assert!(shown.contains("GET {url}") && !shown.contains("what stops it"), "{shown}");
}
