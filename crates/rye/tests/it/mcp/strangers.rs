//! Whoever connects over HTTP and does not say what they want.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use super::http_peer::HttpServer;
use crate::workshop::Workshop;

#[test]
fn are_not_waited_for() {
    let shop = Workshop::new();
    let server = HttpServer::start(&shop.space.rye(["mcp", "serve", "--http", "127.0.0.1:0"]));
    let strangers: Vec<TcpStream> = ["", "P", "POST /mcp HTTP/1.1\r\nHost:"]
        .iter()
        .map(|said| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.write_all(said.as_bytes()).unwrap();
            stream
        })
        .collect();
    for mut stream in strangers {
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("the end of the connection");
    }
    let session = server.hello();
    assert_eq!(server.call(&session, "help", &json!({}))["structuredContent"]["status"], "success");
}
