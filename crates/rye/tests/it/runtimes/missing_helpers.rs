//! A file beside a tool that nobody has signed does not run, and the way out is told.

use super::language::{execute, language, sign, with_perl};
use crate::space::TestSpace;

/// A language, the name of a helper and its code, which leaves a mark, the code that uses it, and what makes a folder a
/// unit.
struct Helper {
    runtime: &'static str,
    file: &'static str,
    code: &'static str,
    user: &'static str,
    marker: Option<&'static str>,
}

const HELPERS: [Helper; 5] = [
    Helper {
        runtime: "rye/core/runtimes/python/function",
        file: "helper.py",
        code: "open('MARK', 'w')\nNAME = 'helper'\n",
        user: "import helper\ndef execute(params, project_path):\n    return helper.NAME\n",
        marker: Some("__init__.py"),
    },
    Helper {
        runtime: "rye/core/runtimes/node/node",
        file: "string-helper.mjs",
        code: "import { writeFileSync } from 'node:fs';\nwriteFileSync('MARK', '');\nexport const name = 'helper';\n",
        user: "const { name } = await import('./string-helper.mjs');\nconsole.log(JSON.stringify(name));\n",
        marker: Some("package.json"),
    },
    Helper {
        runtime: "rye/core/runtimes/ruby/ruby",
        file: "helper.rb",
        code: "File.write('MARK', '')\nNAME = 'helper'\n",
        user: "require_relative 'helper'\nputs %(\"#{NAME}\")\n",
        marker: Some("Gemfile"),
    },
    Helper {
        runtime: "rye/core/runtimes/bash/bash",
        file: "helper.sh",
        code: "touch MARK\nname=helper\n",
        user: "set -eu\n. \"$(dirname \"$0\")/helper.sh\"\necho \"\\\"$name\\\"\"\n",
        marker: None,
    },
    Helper {
        runtime: "rye/core/runtimes/perl/perl",
        file: "Helper.pm",
        code: "package Helper;\nopen my $mark, '>', 'MARK';\nsub name { 'helper' }\n1;\n",
        user: "use Helper;\nprint '\"', Helper::name(), '\"';\n",
        marker: Some("cpanfile"),
    },
];

impl Helper {
    /// Writes the helper after the tool was signed.
    fn plant(&self, space: &TestSpace) {
        let mark = space.path("mark");
        let code = self.code.replace("MARK", mark.to_str().unwrap());
        space.write(&format!("project/.ai/tools/t/{}", self.file), code);
    }

    fn fails_with(&self, space: &TestSpace, hint: &str) {
        let output = execute(space, &["t/main"]).output();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{}: {stderr}", self.runtime);
        let last = stderr.lines().last().unwrap();
        assert_eq!(last, format!("hint: {hint}"), "{}: {stderr}", self.runtime);
        let report = execute(space, &["t/main"]).json();
        assert_eq!(report["error"]["hint"], hint, "{}", self.runtime);
        assert!(!space.path("mark").exists(), "{}: it ran", self.runtime);
    }

    fn works(&self, space: &TestSpace) {
        let report = execute(space, &["t/main"]).json();
        assert_eq!(report["data"], "helper", "{}: {report}", self.runtime);
        assert!(space.path("mark").exists());
    }
}

#[test]
fn in_a_unit_it_has_to_be_signed_with_the_tool() {
    for helper in HELPERS {
        let Some(marker) = helper.marker else { continue };
        let space = with_perl();
        space.write(
            &format!("project/.ai/tools/t/{marker}"),
            if marker == "package.json" { "{}" } else { "" },
        );
        language(helper.runtime).tool(&space, "project", "t/main", helper.user);
        helper.plant(&space);
        let hint = format!(
            "perhaps it misses `{}`: neither signed nor in the manifest, and so not there when the tool runs; look at that, and run `rye sign t/main`",
            helper.file
        );
        helper.fails_with(&space, &hint);
        sign(&space, "project", "t/main");
        helper.works(&space);
    }
}

#[test]
fn beside_a_tool_alone_it_has_to_be_required() {
    for helper in HELPERS {
        let space = with_perl();
        let language = language(helper.runtime);
        language.tool(&space, "project", "t/main", helper.user);
        helper.plant(&space);
        let hint = format!(
            "perhaps it misses `{}`, which is not there when the tool runs: name it in the tool's `requires`, and run `rye sign t/main`",
            helper.file
        );
        helper.fails_with(&space, &hint);
        let requires = match language.extension {
            "py" => format!("__requires__ = [\"{}\"]\n", helper.file),
            "mjs" => format!("export const requires = [\"{}\"];\n", helper.file),
            // The extractor in the help topic is a short one.
            "pl" => continue,
            _ => format!("# requires: {}\n", helper.file),
        };
        language.tool(&space, "project", "t/main", &format!("{requires}{}", helper.user));
        helper.works(&space);
    }
}

#[test]
fn what_else_went_wrong_is_not_explained_away() {
    let space = with_perl();
    let code = "def execute(params, project_path):\n    return params['nothing']\n";
    language("rye/core/runtimes/python/function").tool(&space, "project", "t/main", code);
    space.write("project/.ai/tools/t/helper.py", "");
    let stderr = String::from_utf8(execute(&space, &["t/main"]).output().stderr).unwrap();
    let end = "KeyError: 'nothing'\nerror: tool:t/main failed with exit code 1 [TOOL_FAILED]\n";
    assert!(stderr.ends_with(end), "{stderr}");
    let report = execute(&space, &["t/main"]).json();
    assert_eq!(report["error"]["hint"], serde_json::Value::Null);
}
