//! The canonical form of JSON, against the data of RFC 8785 and against itself.

use std::fmt::Write;

use lillux::cas::{CanonicalJson, CanonicalJsonErrorKind};
use proptest::prelude::*;
use serde_json::{Value, json};

/// RFC 8785, appendix B: the bits of a double, and how it is written.
const NUMBERS: &[(u64, &str)] = &[
    (0x0000_0000_0000_0000, "0"),
    (0x8000_0000_0000_0000, "0"),
    (0x0000_0000_0000_0001, "5e-324"),
    (0x8000_0000_0000_0001, "-5e-324"),
    (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
    (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
    (0x4340_0000_0000_0000, "9007199254740992"),
    (0xc340_0000_0000_0000, "-9007199254740992"),
    (0x4430_0000_0000_0000, "295147905179352830000"),
    (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
    (0x44b5_2d02_c7e1_4af6, "1e+23"),
    (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
    (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
    (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
    (0x444b_1ae4_d6e2_ef50, "1e+21"),
    (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
    (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
    (0x41b3_de43_5555_5553, "333333333.3333332"),
    (0x41b3_de43_5555_5554, "333333333.33333325"),
    (0x41b3_de43_5555_5555, "333333333.3333333"),
    (0x41b3_de43_5555_5556, "333333333.3333334"),
    (0x41b3_de43_5555_5557, "333333333.33333343"),
    (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
    (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
];

/// A text, and its canonical form: RFC 8785, sections 3.2.2 and 3.2.3, and the edges of its rules.
const TEXTS: &[(&str, &str)] = &[
    (
        r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#,
        concat!(
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#,
            r#""string":"€$\u000f\nA'B\"\\\\\"/"}"#
        ),
    ),
    (
        r#"{
            "\u20ac": "Euro Sign",
            "\r": "Carriage Return",
            "\ufb33": "Hebrew Letter Dalet With Dagesh",
            "1": "One",
            "\ud83d\ude00": "Emoji: Grinning Face",
            "\u0080": "Control",
            "\u00f6": "Latin Small Letter O With Diaeresis"
        }"#,
        concat!(
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",",
            "\"\u{f6}\":\"Latin Small Letter O With Diaeresis\",\"\u{20ac}\":\"Euro Sign\",",
            "\"\u{1f600}\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}"
        ),
    ),
    ("[-0, 0.0, -0.0e7, 1.0, 100e-2]", "[0,0,0,1,1]"),
    (r#""\u0000\u001f\b\f\n\r\t\u007f\u2028""#, "\"\\u0000\\u001f\\b\\f\\n\\r\\t\u{7f}\u{2028}\""),
    (
        r#"{"a":{"d":{},"c":[]},"A":[{"z":1,"y":2}],"":0}"#,
        r#"{"":0,"A":[{"y":2,"z":1}],"a":{"c":[],"d":{}}}"#,
    ),
    // An accent that stands alone and one that does not are different strings.
    ("[\"\u{e9}\", \"e\u{301}\"]", "[\"\u{e9}\",\"e\u{301}\"]"),
];

/// Texts that have no canonical form, because they are no I-JSON.
const REFUSED: &[&str] = &[
    r#"{"a":1,"a":1}"#,
    r#"[{"x":{"a":1,"\u0061":2}}]"#,
    r#""\ud800""#,
    r#""\udc00\ud800""#,
    "1e400",
    "NaN",
    "[1,]",
    "01",
    "\u{feff}1",
    "{} {}",
    "",
];

fn canonical(text: &str) -> String {
    String::from_utf8(CanonicalJson::parse(text.as_bytes()).unwrap().as_bytes().to_vec()).unwrap()
}

#[test]
fn numbers_are_written_as_the_rfc_says() {
    for (bits, expect) in NUMBERS {
        let number = f64::from_bits(*bits);
        let json = CanonicalJson::of(&json!(number)).unwrap();
        assert_eq!(str::from_utf8(json.as_bytes()).unwrap(), *expect, "{bits:016x}");
        // The text means the same double, so it is its own canonical form.
        assert_eq!(canonical(expect), *expect);
    }
}

#[test]
fn texts_are_written_as_the_rfc_says() {
    for (text, expect) in TEXTS {
        assert_eq!(canonical(text), *expect);
        assert_eq!(canonical(expect), *expect);
    }
}

#[test]
fn what_is_ambiguous_is_refused() {
    for text in REFUSED {
        let error = CanonicalJson::parse(text.as_bytes()).unwrap_err();
        assert!(matches!(error.kind(), CanonicalJsonErrorKind::Parse(_)), "{text}: {error:?}");
    }
    let error = CanonicalJson::parse(b"\"\xff\"").unwrap_err();
    assert!(matches!(error.kind(), CanonicalJsonErrorKind::Parse(_)), "{error:?}");
}

#[test]
fn integers_beyond_a_double_are_refused() {
    for text in ["9007199254740993", "[-9007199254740993]", "18446744073709551615"] {
        let error = CanonicalJson::parse(text.as_bytes()).unwrap_err();
        assert!(matches!(error.kind(), CanonicalJsonErrorKind::InexactInteger { .. }), "{text}: {error:?}");
    }
}

#[test]
fn what_can_be_written_can_be_read() {
    let nested = |depth| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    let json = CanonicalJson::of(&nested(127)).unwrap();
    assert_eq!(CanonicalJson::parse(json.as_bytes()).unwrap(), json);
    let error = CanonicalJson::of(&nested(128)).unwrap_err();
    assert!(matches!(error.kind(), CanonicalJsonErrorKind::TooDeep { max: 127 }), "{error:?}");
}

proptest! {
    #[test]
    fn the_form_does_not_depend_on_the_spelling(value in any_value(), seed: u64) {
        let json = CanonicalJson::of(&value).unwrap();
        let mut text = String::new();
        Spelling(seed).write(&value, &mut text);
        prop_assert_eq!(&CanonicalJson::parse(text.as_bytes()).unwrap(), &json, "{}", text);
        prop_assert_eq!(&CanonicalJson::parse(json.as_bytes()).unwrap(), &json);
    }

    #[test]
    fn different_values_have_different_forms(left in any_value(), right in any_value()) {
        // Equality of numbers is that of doubles, so the comparison is made on what the form is read as.
        let read = |value: &Value| -> Value {
            serde_json::from_slice(CanonicalJson::of(value).unwrap().as_bytes()).unwrap()
        };
        let same_form = CanonicalJson::of(&left).unwrap() == CanonicalJson::of(&right).unwrap();
        prop_assert_eq!(same_form, read(&left) == read(&right));
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let exact = 1_i64 << 53;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-exact..=exact).prop_map(Value::from),
        proptest::num::f64::NORMAL.prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(any_key(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Keys around the place where the order of UTF-16 is not that of UTF-8.
fn any_key() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-c\u{e000}-\u{e003}\u{fb33}\u{10000}-\u{10003}\u{1f600}]{0,3}"]
}

/// Writes a value with arbitrary white space, escapes and order of keys.
struct Spelling(u64);

impl Spelling {
    fn choose(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }

    fn space(&mut self, text: &mut String) {
        for _ in 0..self.choose(3) {
            text.push([' ', '\n', '\t', '\r'][usize::try_from(self.choose(4)).unwrap()]);
        }
    }

    fn write(&mut self, value: &Value, text: &mut String) {
        self.space(text);
        match value {
            Value::String(string) => self.write_string(string, text),
            Value::Array(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    text.push_str(if index > 0 { "," } else { "" });
                    self.write(item, text);
                }
                self.space(text);
                text.push(']');
            }
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                members.sort_by_cached_key(|_| self.choose(1 << 20));
                text.push('{');
                for (index, (key, member)) in members.into_iter().enumerate() {
                    text.push_str(if index > 0 { "," } else { "" });
                    self.space(text);
                    self.write_string(key, text);
                    self.space(text);
                    text.push(':');
                    self.write(member, text);
                }
                self.space(text);
                text.push('}');
            }
            literal => text.push_str(&literal.to_string()),
        }
        self.space(text);
    }

    fn write_string(&mut self, string: &str, text: &mut String) {
        text.push('"');
        for character in string.chars() {
            if self.choose(3) == 0 || character.is_control() || matches!(character, '"' | '\\') {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(text, "\\u{unit:04x}").unwrap();
                }
            } else {
                text.push(character);
            }
        }
        text.push('"');
    }
}
