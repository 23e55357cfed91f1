//! Extractors, which decide what a file means and how it is signed.

use rye_engine::ErrorCode;
use rye_item::Space;

use super::ground::{Ground, outcome, shell};

/// The program's own extractor for shell scripts, for other files or with another meaning.
fn extractor(change: &[(&str, &str)]) -> String {
    let file = rye_bundle::bundle();
    let file = file.get("tools/rye/core/extractors/shell.yaml").unwrap();
    let mut text = String::from_utf8(file.bytes.to_vec()).unwrap();
    for (from, to) in change {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    text
}

/// An extractor for which the executor stands in other lines than the signer thought.
fn reinterpreting() -> String {
    extractor(&[("executor_id:[ \\t]", "also:[ \\t]")])
}

/// A runtime that leaves the marker.
fn runtime(ground: &Ground) -> String {
    format!(
        "version: \"1.0.0\"\ntool_type: runtime\nexecutor_id: rye/core/primitives/execute\n\
         description: \"Runs something else\"\nconfig:\n  command: /bin/touch\n  args: [\"{}\"]\n",
        ground.marker().display()
    )
}

const EXTRACTOR: &str = "project/.ai/tools/rye/core/extractors/project_sh.yaml";

#[test]
fn an_extractor_does_not_reinterpret_files_of_the_user_or_the_system() {
    let ground = Ground::trusted();
    let tool = shell("# also: evil\necho mine");
    ground.write("home/.ai/tools/mine.sh", &tool);
    ground.write("home/.ai/tools/evil.yaml", runtime(&ground));
    ground.sign_in(Space::User, "*");
    ground.write(EXTRACTOR, reinterpreting());
    ground.write("project/.ai/tools/rye/core/extractors/yaml.yaml", {
        extractor(&[("[sh, bash]", "[yaml, yml, json]"), ("executor_id:[ \\t]", "also:[ \\t]")])
    });
    // Unsigned, in a trusted project.
    ground.says("mine", "mine");
    // In an untrusted one.
    ground.engine().revoke_project(&ground.path("project")).unwrap();
    ground.says("mine", "mine");
    // Signed by the operator themselves: it is still the project's.
    std::fs::remove_file(ground.path("project/.ai/tools/rye/core/extractors/yaml.yaml")).unwrap();
    ground.trust();
    ground.sign("rye/core/extractors/project_sh");
    ground.says("mine", "mine");
    // The same tool in the project is what the project's extractor says, so that the fixture works.
    ground.write("project/.ai/tools/own.sh", tool);
    ground.sign("own");
    outcome(&ground.engine(), "own", &[]);
    ground.assert_marked();
}

#[test]
fn an_unsigned_extractor_serves_nobody() {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/tool.sh", shell("# also: evil\necho fine"));
    ground.write("project/.ai/tools/evil.yaml", runtime(&ground));
    ground.sign("*");
    ground.says("tool", "fine");
    ground.write(EXTRACTOR, reinterpreting());
    ground.refuses("tool", ErrorCode::Unsigned);

    ground.sign("rye/core/extractors/project_sh");
    let signed = String::from_utf8(ground.read(EXTRACTOR)).unwrap();
    ground.write(EXTRACTOR, signed.replace("also:", "Also:"));
    ground.refuses("tool", ErrorCode::SignatureInvalid);
}

#[test]
fn an_unsigned_extractor_for_files_of_its_own_serves_nobody() {
    let ground = Ground::trusted();
    ground.write(EXTRACTOR, extractor(&[("[sh, bash]", "[evil]")]));
    ground.write("project/.ai/tools/tool.evil", ground.shell_marker());
    ground.refuses("tool", ErrorCode::Unsigned);
}

/// An extractor says how a signature is written. If `. ` were a comment, then the signature would be a command that
/// reads a file of that very name.
#[test]
fn an_unsigned_extractor_does_not_say_how_other_files_are_signed() {
    let ground = Ground::trusted();
    ground.write(
        "project/.ai/tools/tool.bash",
        shell("# requires: lib.sh\n. \"$(dirname \"$0\")/lib.sh\"\nanswer"),
    );
    let lib = shell("answer() { echo fine; }").replace("tool_type: shell", "tool_type: shell_lib");
    ground.write("project/.ai/tools/lib.sh", lib);
    ground.sign("lib");
    ground.sign("tool");
    ground.says("tool", "fine");

    let signed = String::from_utf8(ground.read("project/.ai/tools/lib.sh")).unwrap();
    let line = signed.lines().find(|line| line.contains("rye:signed")).unwrap();
    let seal = line.strip_prefix("# ").unwrap();
    ground.write("project/.ai/tools/lib.sh", signed.replace(line, &format!(". {seal}")));
    ground.write(&format!("project/{seal}"), ground.touch());
    ground.write(EXTRACTOR, extractor(&[("[sh, bash]", "[sh]"), ("prefix: \"#\"", "prefix: \".\"")]));
    ground.refuses("tool", ErrorCode::DependencyUnverified);
}
