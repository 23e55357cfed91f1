//! Python files.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{extract, problems, python_tool, show};

fn config(literal: &str) -> Value {
    let tool = python_tool(&format!("CONFIG = {{'x': {literal}}}"));
    let extraction = extract("t/a.py", &tool).unwrap();
    assert_eq!(extraction.problems, [], "{literal}");
    extraction.metadata.config.unwrap().remove("x").unwrap()
}

#[test]
fn literals() {
    let check = |literal: &str, expect: Value| assert_eq!(config(literal), expect, "{literal}");
    check("None", Value::Null);
    check("True", json!(true));
    check("0", json!(0));
    check("-7", json!(-7));
    check("+7", json!(7));
    check("1_000", json!(1000));
    check("0xff", json!(255));
    check("0o17", json!(15));
    check("0b11", json!(3));
    check("18446744073709551615", json!(u64::MAX));
    check("-9223372036854775808", json!(i64::MIN));
    check("1.5", json!(1.5));
    check("-1e-3", json!(-0.001));
    check("1.", json!(1.0));
    check("'a' \"b\"\n 'c'", json!("abc"));
    check("('a'\n 'b')", json!("ab"));
    check(r"'\x41\u00e4\U0001F600\N{BULLET}\n\t\\'", json!("Aä😀•\n\t\\"));
    check(r"r'\n'", json!("\\n"));
    check("u'a'", json!("a"));
    check("'''a\nb'''", json!("a\nb"));
    check("[1, [2, (3,)], ()]", json!([1, [2, [3]], []]));
    check("{1, 2, 1}", json!([1, 2]));
    check("{'b': 1, 'a': 2, 'b': 3}", json!({"b": 3, "a": 2}));
    check("{200: 'ok', True: 1, None: 2}", json!({"200": "ok", "true": 1, "null": 2}));
    check("{}", json!({}));
    check("[\n  1,  # comment\n]", json!([1]));
    let keys = config("{'z': 1, 'a': 2, 'm': 3}");
    assert_eq!(keys.to_string(), r#"{"z":1,"a":2,"m":3}"#);
}

#[test]
fn what_is_not_literal_is_refused_with_reason_and_place() {
    let check = |value: &str| problems("t/a.py", python_tool(&format!("CONFIG = {{'x': {value}}}")));
    let values = [
        "f'{a}'",
        "'a' f'b'",
        "b'a'",
        "1j",
        "a",
        "a.b",
        "a[0]",
        "a()",
        "lambda: 0",
        "1 + 1",
        "not 1",
        "-x",
        "...",
        "[*a]",
        "[a for a in b]",
        "{**a}",
        "{(1, 2): 3}",
        "{1.5: 2}",
        "1 if a else 2",
        "1e999",
        "-1e999",
        "18446744073709551616",
        "-9223372036854775809",
        r"'\ud800'",
    ];
    let lines = values.map(|value| format!("{value:<22} {}", check(value)));
    assert_snapshot!(lines.join("\n"), @r#"
    f'{a}'                 5:16: error: `config` cannot be read: `CONFIG` is not a literal: an f-string
    'a' f'b'               5:16: error: `config` cannot be read: `CONFIG` is not a literal: an f-string
    b'a'                   5:16: error: `config` cannot be read: `CONFIG` is not a literal: bytes, which are no text
    1j                     5:16: error: `config` cannot be read: `CONFIG` has a complex number
    a                      5:16: error: `config` cannot be read: `CONFIG` is not a literal: a name
    a.b                    5:16: error: `config` cannot be read: `CONFIG` is not a literal: an attribute
    a[0]                   5:16: error: `config` cannot be read: `CONFIG` is not a literal: a subscript
    a()                    5:16: error: `config` cannot be read: `CONFIG` is not a literal: a call
    lambda: 0              5:16: error: `config` cannot be read: `CONFIG` is not a literal: a lambda
    1 + 1                  5:16: error: `config` cannot be read: `CONFIG` is not a literal: an operator
    not 1                  5:16: error: `config` cannot be read: `CONFIG` is not a literal: an operator
    -x                     5:16: error: `config` cannot be read: `CONFIG` is not a literal: an operator
    ...                    5:16: error: `config` cannot be read: `CONFIG` is not a literal: `...`
    [*a]                   5:17: error: `config` cannot be read: `CONFIG` is not a literal: `*` unpacking
    [a for a in b]         5:16: error: `config` cannot be read: `CONFIG` is not a literal: a comprehension
    {**a}                  5:19: error: `config` cannot be read: `CONFIG` is not a literal: `**` unpacking
    {(1, 2): 3}            5:17: error: `config` cannot be read: `CONFIG` has a key that is neither a text nor an integer
    {1.5: 2}               5:17: error: `config` cannot be read: `CONFIG` has a key that is neither a text nor an integer
    1 if a else 2          5:16: error: `config` cannot be read: `CONFIG` is not a literal: a conditional expression
    1e999                  5:16: error: `config` cannot be read: `CONFIG` has a number that is not finite
    -1e999                 5:17: error: `config` cannot be read: `CONFIG` has a number that is not finite
    18446744073709551616   5:16: error: `config` cannot be read: `CONFIG` has an integer that does not fit into 64 bits
    -9223372036854775809   5:17: error: `config` cannot be read: `CONFIG` has an integer that does not fit into 64 bits
    '\ud800'               5:16: error: `config` cannot be read: `CONFIG` has a text with a lone surrogate
    "#);
}

#[test]
fn bindings_that_are_not_plain_assignments() {
    let values = [
        "CONFIG: dict = {'a': 1}",
        "CONFIG: dict",
        "A = CONFIG = {'a': 1}",
        "CONFIG = {}\nCONFIG = {'b': 2}",
        "CONFIG = {}\nCONFIG['a'] = 1",
        "CONFIG = {}\nCONFIG |= {'a': 1}",
        "CONFIG = {}\ndel CONFIG",
        "CONFIG, A = {}, {}",
        "def CONFIG(): pass",
        "class CONFIG: pass",
        "from .shared import CONFIG",
        "import config as CONFIG",
        "if True:\n    CONFIG = {'a': 1}",
        "OTHER = compute()",
        "SECRETS = os.environ",
        "SECRETS = ['TOKEN']",
    ];
    let lines = values.map(|value| {
        let tool = python_tool(value);
        let metadata = extract("t/a.py", &tool).unwrap().metadata;
        let config = metadata.config.map(Value::Object);
        let secrets = metadata.secrets.len();
        let problems = problems("t/a.py", &tool);
        format!("{value:?}\n  {config:?}, {secrets} secrets; {problems}").trim_end().to_owned()
    });
    assert_snapshot!(lines.join("\n"), @r#"
    "CONFIG: dict = {'a': 1}"
      Some(Object {"a": Number(1)}), 0 secrets;
    "CONFIG: dict"
      None, 0 secrets;
    "A = CONFIG = {'a': 1}"
      Some(Object {"a": Number(1)}), 0 secrets;
    "CONFIG = {}\nCONFIG = {'b': 2}"
      Some(Object {"b": Number(2)}), 0 secrets;
    "CONFIG = {}\nCONFIG['a'] = 1"
      None, 0 secrets; 6:1: error: `config` cannot be read: `CONFIG` is changed after its assignment
    "CONFIG = {}\nCONFIG |= {'a': 1}"
      None, 0 secrets; 6:1: error: `config` cannot be read: `CONFIG` is changed after its assignment
    "CONFIG = {}\ndel CONFIG"
      None, 0 secrets; 6:5: error: `config` cannot be read: `CONFIG` is deleted or changed after its assignment
    "CONFIG, A = {}, {}"
      None, 0 secrets; 5:1: error: `config` cannot be read: `CONFIG` is assigned by unpacking, not from a literal of its own
    "def CONFIG(): pass"
      None, 0 secrets; 5:1: error: `config` cannot be read: `CONFIG` is a function
    "class CONFIG: pass"
      None, 0 secrets; 5:1: error: `config` cannot be read: `CONFIG` is a class
    "from .shared import CONFIG"
      None, 0 secrets; 5:21: error: `config` cannot be read: `CONFIG` is imported, not a literal
    "import config as CONFIG"
      None, 0 secrets; 5:8: error: `config` cannot be read: `CONFIG` is imported, not a literal
    "if True:\n    CONFIG = {'a': 1}"
      None, 0 secrets;
    "OTHER = compute()"
      None, 0 secrets;
    "SECRETS = os.environ"
      None, 0 secrets;
    "SECRETS = ['TOKEN']"
      None, 1 secrets;
    "#);
}

#[test]
fn docstrings() {
    let check = |source: &str, description: Option<&str>, doc: Option<&str>| {
        let metadata = extract("t/a.py", source).unwrap().metadata;
        assert_eq!(
            (metadata.description.as_deref(), metadata.doc.as_deref()),
            (description, doc),
            "{source}"
        );
    };
    check("'''One.'''", Some("One."), Some("One."));
    check(
        "#!/usr/bin/python\n\"\"\"\n    One\n    two.\n\n      Three.\n    \"\"\"\n",
        Some("One two."),
        Some("One\ntwo.\n\n  Three."),
    );
    check("'a' 'b'", Some("ab"), Some("ab"));
    check("f'{a}'", None, None);
    check("import a\n'''late'''", None, None);
    check("''", None, None);
    check("'''One.'''\n__tool_description__ = 'Two.'", Some("Two."), Some("One."));
    check("'''One.'''\n__tool_description__ = None", Some("One."), Some("One."));
}

#[test]
fn a_file_that_is_not_python_3_is_an_error_with_its_place() {
    let check = |source: &str| show("t/a.py", source);
    let lines = [
        check("__version__ = '1.0.0'\nprint 'x'\n"),
        check("x = [1, 2\ny = 3\n"),
        check("def f(:\n"),
        check("x = 'abc\n"),
        check("  x = 1\n"),
        check("x = 0777\n"),
    ];
    assert_snapshot!(lines.join("\n"), @r#"
    cannot read the metadata of `t/a.py`: not valid Python at 2:7: Simple statements must be separated by newlines or semicolons
    cannot read the metadata of `t/a.py`: not valid Python at 2:1: Expected `,`, found name
    cannot read the metadata of `t/a.py`: not valid Python at 1:7: Expected a parameter or the end of the parameter list
    cannot read the metadata of `t/a.py`: not valid Python at 1:5: missing closing quote in string literal
    cannot read the metadata of `t/a.py`: not valid Python at 1:1: Unexpected indentation
    cannot read the metadata of `t/a.py`: not valid Python at 1:5: Invalid decimal integer literal
    "#);
}

#[test]
fn line_ends_and_marks_change_nothing() {
    let tool = "\"\"\"One\ntwo.\"\"\"\n__version__ = '1.0.0'\nCONFIG = {'a': '''x\ny'''}\n";
    let plain = extract("t/a.py", tool).unwrap();
    let windows = format!("\u{feff}{}", tool.replace('\n', "\r\n"));
    assert_eq!(extract("t/a.py", windows).unwrap(), plain);
    assert_eq!(plain.metadata.config.unwrap()["a"], "x\ny");
}

#[test]
fn syntax_of_newer_pythons_is_read() {
    let tool = python_tool(
        "type A[T] = list[T]\nmatch x:\n    case {'a': 1}:\n        pass\ndef f[T](a: T, /) -> T:\n    return f'{a!r:>{10}}'\n",
    );
    assert_eq!(problems("t/a.py", tool), "");
}
