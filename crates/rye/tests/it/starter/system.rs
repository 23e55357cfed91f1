//! Time, and what machine this is.

use serde_json::json;

use super::{call, refusal, wrong_parameters};
use crate::space::TestSpace;

const TIME: &str = "rye/system/time";
const FACTS: &str = "rye/system/facts";

#[test]
fn times_are_told_and_converted() {
    let space = TestSpace::with_bundle();
    let before = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let now = call(&space, TIME, &json!({}));
    assert!(
        now["unix"].as_u64().unwrap() >= before && now["utc"].as_str().unwrap().ends_with("+00:00"),
        "{now}"
    );
    let at = |params| call(&space, TIME, &params)["utc"].clone();
    for (value, expect) in [
        (json!("2026-07-01T12:00"), "2026-07-01T10:00:00+00:00"),
        (json!("2026-01-01T12:00"), "2026-01-01T11:00:00+00:00"),
        (json!("2026-07-01T12:00Z"), "2026-07-01T12:00:00+00:00"),
        (json!("2026-07-01 12:00:00.5+05:30"), "2026-07-01T06:30:00.500000+00:00"),
        (json!("2026-07-01"), "2026-06-30T22:00:00+00:00"),
        (json!(0), "1970-01-01T00:00:00+00:00"),
    ] {
        assert_eq!(at(json!({ "at": value, "zone": "Europe/Berlin" })), expect, "{value}");
    }
    let zones = call(&space, TIME, &json!({ "find_zones": "new york" }));
    assert!(zones["zones"].as_array().unwrap().contains(&json!("America/New_York")), "{zones}");
}

#[test]
fn what_is_no_time_is_told() {
    let space = TestSpace::with_bundle();
    for at in [json!("yesterday"), json!("2026-13-01"), json!(1e300)] {
        assert!(refusal(&space, TIME, &json!({ "at": at })).contains("is not a time"), "{at}");
    }
    for zone in ["Nowhere/None", "../../etc/passwd", "/etc/passwd"] {
        assert!(
            refusal(&space, TIME, &json!({ "zone": zone })).starts_with("there is no time zone"),
            "{zone}"
        );
    }
    refusal(&space, TIME, &json!({ "at": "0001-01-01T00:00", "zone": "Asia/Tokyo" }));
    wrong_parameters(&space, TIME, &json!({ "at": [] }));
}

#[test]
fn facts_about_the_machine() {
    let space = TestSpace::with_bundle();
    let facts = call(&space, FACTS, &json!({}));
    assert_eq!(facts["os"]["system"], "Linux");
    assert!(
        facts["cpu"]["count"].as_u64() > Some(0) && facts["memory"]["total"].as_u64() > Some(0),
        "{facts}"
    );
    assert!(facts["disk"]["free"].as_u64() <= facts["disk"]["total"].as_u64());
    assert!(facts["programs"]["bash"]["version"].as_str().unwrap().contains('.'), "{facts}");
    assert_eq!(
        call(&space, FACTS, &json!({ "programs": ["no-such-program"] }))["programs"],
        json!({ "no-such-program": null })
    );
    wrong_parameters(&space, FACTS, &json!({ "programs": ["../evil"] }));
}
