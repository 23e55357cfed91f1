//! Templates, parameters and `.env` files.

use rye_plan::parameters::Parameters;
use rye_template::{Names, Scope, Template};

pub(crate) fn template(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    assert_eq!(Template::parse(&text).to_string(), text);
    let mut names = Names::new();
    // What comes out of a name or a variable is never looked at again.
    names.set_parameter("a", "{b}${C}");
    names.set_parameter("b", "never");
    let scope = Scope::new(&names, |name| (name == "A").then_some("{a}${B}"));
    let rendered = scope.render_text(&text).expect("it is short");
    assert!(
        text.contains("never") || text.contains("{b}") || !rendered.contains("never"),
        "{text} -> {rendered}"
    );
    if !text.contains('{') {
        assert_eq!(rendered, text);
    }
}

pub(crate) fn parameters(bytes: &[u8]) {
    if let Ok(parameters) = Parameters::parse(bytes) {
        let json = parameters.to_json();
        let again = Parameters::parse(&json).expect("what was written can be read");
        assert_eq!(again.to_json(), json);
        for (name, _) in parameters.iter() {
            assert!(parameters.get(name).is_some());
        }
    }
}

pub(crate) fn dotenv(bytes: &[u8]) {
    if let Ok(assignments) = rye_env::parse_dotenv(bytes) {
        for assignment in assignments {
            assert!(!assignment.name.is_empty() && !assignment.name.contains(['=', '\0']), "{assignment:?}");
            assert!(!assignment.value.contains('\0'), "{assignment:?}");
        }
    }
}
