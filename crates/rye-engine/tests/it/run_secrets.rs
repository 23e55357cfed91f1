//! Secrets: who gets them, and where they do not show.

use std::fs;
use std::path::Path;

use rye_engine::{ErrorCode, ExecuteRequest, Executed, Lifetime, with_sources};
use rye_env::ProcessEnvironment;
use rye_plan::parameters::Parameters;
use rye_run::secrets::{SecretName, SecretStore};

use crate::tree::Tree;

const VALUE: &str = "hunter2-hunter2-hunter2";

fn set(tree: &Tree, name: &str, value: &str) {
    let store = SecretStore::open(&tree.path("home/.ai"), &ProcessEnvironment::default());
    store.set(&SecretName::new(name).unwrap(), &value.to_owned().into()).unwrap();
}

/// Every file below a folder whose contents have the text in them.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if fs::read(&path).unwrap().windows(text.len()).any(|part| part == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn a_tool_gets_the_secrets_that_it_declares_and_no_others() {
    let tree = Tree::new();
    set(&tree, "API_TOKEN", VALUE);
    set(&tree, "OTHER_TOKEN", "another-secret");
    let script = r#"echo "${#API_TOKEN} ${OTHER_TOKEN-none}""#;
    let tool = tree.signed_tool("count", "# secrets: API_TOKEN\n", script);
    let engine = tree.engine_with_cache(Lifetime::Long);
    let (report, _) = engine.execute(&ExecuteRequest::new(tool), None, &mut |_| {}).unwrap();
    let Executed::Run { outcome, .. } = report.result else { panic!() };
    assert_eq!(String::from_utf8_lossy(&outcome.output.bytes), "23 none\n");
}

#[test]
fn a_secret_that_a_tool_prints_or_is_sent_is_masked_everywhere() {
    let tree = Tree::new();
    set(&tree, "API_TOKEN", VALUE);
    let script = r#"cat; sleep 0.2; echo "out $API_TOKEN"; echo "err $API_TOKEN" >&2
for i in {1..20000}; do printf '%01000d%s\n' 0 "$API_TOKEN"; done; exit 3"#;
    let tool = tree.signed_tool("tell", "# secrets: API_TOKEN\n", script);
    let engine = tree.engine_with_cache(Lifetime::Long);
    let parameters = Parameters::parse(format!(r#"{{"header":"Bearer {VALUE}"}}"#)).unwrap();
    let mut events = Vec::new();
    let request = ExecuteRequest { parameters, ..ExecuteRequest::new(tool) };
    let (report, record) =
        engine.execute(&request, None, &mut |event| events.push(format!("{event:?}"))).unwrap();
    record.write().unwrap();
    let Executed::Run { outcome, .. } = &report.result else { panic!() };
    assert!(outcome.output.file.is_some() && outcome.output.is_cut());
    let text = String::from_utf8_lossy(&outcome.output.bytes);
    assert!(text.starts_with(r#"{"header":"Bearer ***"}out ***"#), "{}", &text[..60]);
    assert_eq!(outcome.errors_tail(), "err ***\n");
    let (run, _) = engine.find_run(report.run_id).unwrap();
    assert_eq!(run.start.request.parameters.as_deref(), Some(r#"{"header":"Bearer ***"}"#));
    assert!(!format!("{run:?}{:?}", report.result).contains(VALUE));
    // The plan has the parameters as they were sent, and who shows it masks it.
    let plan = report.plan.as_ref().unwrap();
    assert!(!engine.mask(plan).mask_text(&plan.parameters.to_json()).contains(VALUE));
    let bytes: Vec<String> = VALUE.bytes().map(|byte| byte.to_string()).collect();
    assert!(!events.concat().contains(&bytes.join(", ")));
    assert_eq!(files_with(tree.path("").as_path(), VALUE), Vec::<String>::new());
}

#[test]
fn a_missing_secret_is_told_with_its_tool_and_how_to_set_it() {
    let tree = Tree::new();
    let tool = tree.signed_tool("my/tool", "# secrets: API_TOKEN, OTHER_TOKEN\n", "echo hello");
    let engine = tree.engine_with_cache(Lifetime::Long);
    let request = ExecuteRequest::new(tool);
    let errors =
        [engine.execute(&request, None, &mut |_| {}).unwrap_err(), engine.start_async(&request).unwrap_err()];
    for error in errors {
        assert_eq!(error.code(), ErrorCode::SecretMissing);
        assert_eq!(
            with_sources(&error),
            "`tool:my/tool` needs secrets `API_TOKEN`, `OTHER_TOKEN`, which nobody has set"
        );
        let hint = "run `rye secret set API_TOKEN` and `rye secret set OTHER_TOKEN`";
        assert_eq!(error.hint().as_deref(), Some(hint));
    }
    assert!(!tree.path("project/.ai/state").exists());
}
