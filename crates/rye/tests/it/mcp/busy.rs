//! While much is to be done for one call, everything else is answered at once.

use serde_json::json;

use super::stdio_peer::StdioPeer;
use crate::workshop::Workshop;

/// Far more items than a search can look at in the time that a message takes.
const ITEMS: usize = 10_000;

#[test]
fn while_a_search_looks_at_very_many_items() {
    let shop = Workshop::new();
    let text = "---\nversion: \"1.0.0\"\ndescription: One of many\n---\n";
    for folder in 0..100 {
        shop.space.folder(&format!("project/.ai/knowledge/many/{folder}"));
    }
    let many = shop.space.path("project/.ai/knowledge/many");
    for number in 0..ITEMS {
        let path = many.join(format!("{}/k{number}.md", number % 100));
        std::fs::write(path, format!("{text}Number {number}.\n")).unwrap();
    }
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let search = json!({ "name": "search", "arguments": { "query": "many", "item_type": "knowledge" } });
    let searching = peer.begin("tools/call", &search);
    let others: Vec<u64> = ["ping", "tools/list", "resources/templates/list"]
        .into_iter()
        .chain(["ping"; 20])
        .map(|method| peer.begin(method, &json!({})))
        .collect();
    for id in others {
        assert!(peer.answer(id).get("result").is_some());
    }
    assert!(peer.others.iter().all(|message| message["id"] != searching), "it was faster than all of them");
    let found = peer.answer(searching);
    let total = found["result"]["structuredContent"]["total"].as_u64().unwrap();
    assert!(total >= ITEMS as u64, "{found}");
}
