//! Every language, in every space, signed, not signed, and changed after signing.

use super::{error_code, stdout};
use crate::space::TestSpace;

/// A tool of each language that prints `ran`.
const LANGUAGES: [(&str, &str); 4] = [
    (
        "py",
        "__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n__executor_id__ = \"rye/core/runtimes/python/function\"\n\
         def execute(params, project_path):\n    return \"ran\"\n",
    ),
    (
        "js",
        "export const version = \"1.0.0\";\nexport const tool_type = \"node\";\n\
         export const executor_id = \"rye/core/runtimes/node/node\";\nconsole.log('\"ran\"');\n",
    ),
    (
        "yaml",
        "version: \"1.0.0\"\ntool_type: shell\nexecutor_id: rye/core/runtimes/bash/bash\n\
         description: A test\nconfig: {command: \"echo ran\"}\n",
    ),
    ("sh", "# version: 1.0.0\n# tool_type: bash\n# executor_id: rye/core/runtimes/bash/bash\necho ran\n"),
];

#[test]
fn what_is_signed_runs_and_nothing_else() {
    let space = TestSpace::with_bundle_as_folder();
    for (folder, name) in [("project/.ai", "project"), ("home/.ai", "user"), ("system", "system")] {
        for (extension, text) in LANGUAGES {
            let (id, file) =
                (format!("t/{name}_{extension}"), format!("{folder}/tools/t/{name}_{extension}.{extension}"));
            space.write(&file, text);
            assert_eq!(error_code(&space, &[&id]), "UNSIGNED", "{file}");
            space.run(["sign", "--space", name, &id]);
            assert_eq!(stdout(&space, &[&id]).trim().trim_matches('"'), "ran", "{file}");
            let signed = space.read(&file);
            let changed = signed.replace("ran", "run");
            assert_ne!(changed, signed);
            space.write(&file, changed);
            assert_eq!(error_code(&space, &[&id]), "SIGNATURE_INVALID", "{file}");
        }
    }
}

#[test]
fn development_waives_a_missing_signature_but_not_of_the_system() {
    let space = TestSpace::with_bundle_as_folder();
    let (extension, text) = LANGUAGES[3];
    for (folder, name, runs) in
        [("project/.ai", "project", true), ("home/.ai", "user", true), ("system", "system", false)]
    {
        let id = format!("t/{name}");
        space.write(&format!("{folder}/tools/t/{name}.{extension}"), text);
        let output = space.rye(["execute", &id]).set("RYE_DEV_MODE", "1").output();
        assert_eq!(output.status.success(), runs, "{name}: {output:?}");
        if runs {
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert!(stderr.starts_with("warning: tool:t/"), "{stderr}");
        }
    }
}
