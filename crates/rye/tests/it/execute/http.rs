//! Requests, to a server of our own.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::json;

use super::{error_code, stdout, tool, trusted};

/// Answers one request for each of these, and gives back what was asked.
pub(crate) fn serve(answers: Vec<&'static str>) -> (u16, std::thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = std::thread::spawn(move || {
        answers
            .into_iter()
            .map(|answer| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = Vec::new();
                let mut buffer = [0; 4096];
                loop {
                    let length = stream.read(&mut buffer).unwrap();
                    request.extend_from_slice(&buffer[..length]);
                    let text = String::from_utf8_lossy(&request).into_owned();
                    let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                    let wanted = head
                        .lines()
                        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
                    if body.len() >= wanted.unwrap_or(0) || length == 0 {
                        break;
                    }
                }
                stream.write_all(answer.as_bytes()).unwrap();
                String::from_utf8(request).unwrap()
            })
            .collect()
    });
    (port, served)
}

pub(crate) const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\nconnection: close\r\n\r\n{\"ok\": 1}";
pub(crate) const TEAPOT: &str =
    "HTTP/1.1 418 I'm a teapot\r\ncontent-length: 3\r\nconnection: close\r\n\r\nno!";

fn api(port: u16) -> String {
    format!(
        "version: \"1.0.0\"\ntool_type: http\nexecutor_id: rye/core/primitives/http_client\ndescription: A test\n\
         config:\n  method: POST\n  url: \"http://127.0.0.1:{port}/items/{{id}}\"\n  query: {{q: \"{{words}}\"}}\n\
         \x20 headers: {{x-name: \"{{name}}\"}}\n  body: {{name: \"{{name}}\", count: \"{{count}}\"}}\n\
         \x20 auth: {{bearer: API_TOKEN}}\n\
         config_schema: {{type: object, properties: {{id: {{type: integer}}, name: {{type: string}}, count: {{type: integer}}, words: {{type: array}}}}}}\n"
    )
}

#[test]
fn everything_is_filled_in() {
    let space = trusted();
    let (port, served) = serve(vec![OK]);
    tool(&space, "t/api.yaml", &api(port));
    space.rye(["secret", "set", "API_TOKEN"]).read("hunter2hunter2");
    let sent = json!({ "id": 7, "name": "A & B", "count": 3, "words": ["x y", "z"] }).to_string();
    let report = space.rye(["execute", "t/api", "--params", &sent]).json();
    assert_eq!((&report["data"], &report["http_status"]), (&json!({ "ok": 1 }), &json!(200)));
    let request = served.join().unwrap().remove(0);
    assert!(request.starts_with("POST /items/7?q=x+y&q=z HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("x-name: A & B\r\n"), "{request}");
    assert!(request.contains("authorization: Bearer hunter2hunter2\r\n"), "{request}");
    assert!(request.ends_with("{\"name\":\"A & B\",\"count\":3}"), "{request}");
    assert!(!report.to_string().contains("hunter2"));
}

#[test]
fn a_bad_status_is_a_failure() {
    let space = trusted();
    let (port, served) = serve(vec![TEAPOT, TEAPOT]);
    let url = format!("{{\"url\": \"http://127.0.0.1:{port}/\"}}");
    let output = space.rye(["execute", "http_client", "--params", &url]).output();
    assert_eq!(output.status.code(), Some(1));
    let report = space.rye(["execute", "http_client", "--params", &url]).json();
    assert_eq!(report["error"]["code"], "TOOL_FAILED");
    assert_eq!((&report["data"]["status"], &report["data"]["body"]), (&json!(418), &json!("no!")));
    served.join().unwrap();
}

#[test]
fn names_are_looked_up() {
    let space = trusted();
    let (port, served) = serve(vec![OK]);
    let url = format!("{{\"url\": \"http://localhost:{port}/\"}}");
    let report = space.rye(["execute", "http_client", "--params", &url]).json();
    assert_eq!(report["data"]["body"], json!({ "ok": 1 }), "{report}");
    assert!(served.join().unwrap().remove(0).contains(&format!("host: localhost:{port}\r\n")));
    let unknown = r#"{"url": "http://no-such-name.invalid/"}"#;
    let output = space.rye(["execute", "http_client", "--params", unknown]).output();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("cannot find the address of `no-such-name.invalid`"), "{told}");
}

#[test]
fn headers_can_come_from_one_parameter() {
    let space = trusted();
    let text = "version: \"1.0.0\"\ntool_type: http\nexecutor_id: rye/core/primitives/http_client\ndescription: A test\n\
        config: {url: \"http://127.0.0.1:1/\", headers: \"{headers}\", query: \"{words}\"}\n\
        config_schema: {type: object, properties: {headers: {}, words: {}}}\n";
    tool(&space, "t/api.yaml", text);
    let plan =
        |params: serde_json::Value| stdout(&space, &["t/api", "--dry-run", "--params", &params.to_string()]);
    let shown = plan(json!({ "headers": { "x-a": "b" }, "words": { "q": ["1", 2] } }));
    assert!(shown.contains("http://127.0.0.1:1/?q=1&q=2") && shown.contains("x-a"), "{shown}");
    plan(json!({ "headers": null, "words": {} }));
    for wrong in [json!("x"), json!(["x"]), json!(1)] {
        let params = json!({ "headers": wrong, "words": {} }).to_string();
        assert_eq!(error_code(&space, &["t/api", "--params", &params]), "TEMPLATE_INVALID", "{wrong}");
    }
}

#[test]
fn nobody_there() {
    let space = trusted();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("{{\"url\": \"http://127.0.0.1:{port}/\"}}");
    let shown = space.rye(["execute", "http_client", "--params", &url]).show();
    assert!(shown.contains("[HTTP_FAILED]"), "{shown}");
}

#[test]
fn a_secret_that_is_not_there_is_asked_for() {
    let space = trusted();
    tool(&space, "t/api.yaml", &api(1));
    let shown =
        space.rye(["execute", "t/api", "--id", "1", "--name", "x", "--count", "1", "--words", "y"]).show();
    assert!(shown.contains("[SECRET_MISSING]") && shown.contains("rye secret set API_TOKEN"), "{shown}");
    let plan =
        stdout(&space, &["t/api", "--id", "1", "--name", "x", "--count", "1", "--words", "y", "--dry-run"]);
    assert!(plan.contains("authorized by the secret API_TOKEN"), "{plan}");
}
