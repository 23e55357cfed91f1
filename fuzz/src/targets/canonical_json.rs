//! JSON in canonical form.

use lillux::cas::CanonicalJson;
use serde_json::Value;

pub(crate) fn canonical_json(bytes: &[u8]) {
    let Ok(json) = CanonicalJson::parse(bytes) else { return };
    let canonical = json.as_bytes();
    assert!(str::from_utf8(canonical).is_ok());
    let again = CanonicalJson::parse(canonical).expect("what was written can be read");
    assert_eq!((again.as_bytes(), again.digest()), (canonical, json.digest()));
    let spaced = [b" \t\r\n", bytes, b" \n"].concat();
    assert_eq!(CanonicalJson::parse(&spaced).expect("spaces mean nothing"), json);
    let value: Value = serde_json::from_slice(canonical).expect("it is JSON");
    let pretty = serde_json::to_vec_pretty(&value).expect("a value can be written");
    assert_eq!(CanonicalJson::parse(&pretty).expect("it is the same value"), json);
}
