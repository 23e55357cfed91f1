//! Parameters that are large, deep or made to be slow.

use rye_plan::parameters::{MAX_DEPTH, Parameters, ParametersError, Schema};
use serde_json::{Value, json};

fn nested(levels: usize) -> String {
    format!("{{\"a\":{}1{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1))
}

fn in_small_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(512 * 1024).spawn(work).unwrap().join().unwrap()
}

#[test]
fn depth_is_bounded() {
    in_small_thread(|| {
        let deepest = Parameters::parse(nested(MAX_DEPTH)).unwrap();
        assert_eq!(deepest.to_json(), nested(MAX_DEPTH));
        assert!(deepest.get("a").unwrap().is_array());
        for levels in [MAX_DEPTH + 1, 100_000, 1_000_000] {
            let error = Parameters::parse(nested(levels)).unwrap_err();
            assert!(
                matches!(error, ParametersError::TooDeep { position } if position.column == 1_005),
                "{error}"
            );
        }
        let unclosed = Parameters::parse("[{\"a\":".repeat(100_000));
        assert!(matches!(unclosed, Err(ParametersError::Syntax { .. })));
    });
}

#[test]
fn the_deepest_parameters_can_be_checked() {
    in_small_thread(|| {
        let list = json!({"$defs": {"l": {"type": ["array", "integer"], "items": {"$ref": "#/$defs/l"}}},
            "properties": {"a": {"$ref": "#/$defs/l"}}});
        let schema = Schema::compile(&list).unwrap();
        let sent = nested(MAX_DEPTH);
        assert_eq!(Parameters::parse(&sent).unwrap().check(&schema).unwrap().to_json(), sent);
        let errors = Parameters::parse(sent.replace('1', "\"\"")).unwrap().check(&schema).unwrap_err();
        assert_eq!(errors.violations.len(), 1);
        assert_eq!(errors.violations[0].path.len(), "/a".len() + 2 * (MAX_DEPTH - 1));
    });
}

#[test]
fn fifty_megabytes_pass() {
    let large = "x".repeat(50 * 1024 * 1024);
    let sent = format!("{{\"text\":\"{large}\"}}");
    let schema =
        Schema::compile(&json!({"properties": {"text": {"type": "string", "minLength": 3}}})).unwrap();
    let checked = Parameters::parse(&sent).unwrap().check(&schema).unwrap();
    assert!(checked.to_json() == sent);
    assert!(checked.get("text") == Some(Value::from(large)));
}

#[test]
fn refusals_are_short_whatever_was_sent() {
    let schema = Schema::compile(&json!({"additionalProperties": {"type": "string"}})).unwrap();
    let names = |count: usize| {
        Parameters::from_pairs((0..count).map(|index| (format!("n{index}"), json!(1)))).unwrap()
    };
    let listed =
        |count: usize| names(count).check(&schema).map_err(|e| (e.violations.len(), e.more)).unwrap_err();
    assert_eq!(listed(1_000), (1_000, false));
    assert_eq!(listed(1_001), (1_000, true));
    assert_eq!(listed(100_001), (1, true));

    let long = Parameters::from_pairs([("a", json!(["x".repeat(1_000_000)]))]).unwrap();
    assert_eq!(long.check(&schema).unwrap_err().to_string(), "`/a` must be a string, not an array");
}

#[test]
fn patterns_cannot_be_made_slow() {
    let schema = Schema::compile(&json!({"properties": {"a": {"pattern": "^(a|a|(?=a)a)+$"}}})).unwrap();
    let sent = Parameters::from_pairs([("a", json!(format!("{}b", "a".repeat(50))))]).unwrap();
    let errors = sent.check(&schema).unwrap_err();
    assert_eq!(errors.to_string(), "`/a` takes too long to be matched with its pattern");
}
