//! Parameters that would be something else than a value.

use rye_engine::{Engine, ErrorCode};
use rye_item::{ItemKind, Space};
use serde_json::{Value, json};

use super::ground::{Ground, execute, outcome, python, shell};
use super::keys::signed_by;

/// Values that do something in some language, with the command that leaves the marker.
fn hostile(ground: &Ground) -> Vec<String> {
    let touch = ground.touch();
    let templates = [
        "TOUCH",
        "; TOUCH",
        "&& TOUCH",
        "| TOUCH",
        "$(TOUCH)",
        "`TOUCH`",
        "\"$(TOUCH)\"",
        "'$(TOUCH)'",
        "' ; TOUCH ; '",
        "\" ; TOUCH ; \"",
        "'\"'\"'$(TOUCH)'\"'\"'",
        "\\'; TOUCH; \\'",
        "\\$(TOUCH)",
        "\\\\$(TOUCH)",
        "a\nTOUCH\n",
        "a\rTOUCH\r",
        "\nEOF\nTOUCH\n",
        "EOF\nTOUCH",
        "${IFS}$(TOUCH)",
        "{tool_path}; TOUCH",
        "{command}",
        "{other}",
        "${PATH}$(TOUCH)",
        "${HOME:-$(TOUCH)}",
        "$((`TOUCH`))",
        "a[$(TOUCH)]",
        "<(TOUCH)",
        "%s$(TOUCH)",
        "--help",
        "-e TOUCH",
        "-- TOUCH",
        "!TOUCH",
        "*",
        "~",
        "",
        " ",
        "\u{202e}$(TOUCH)",
    ];
    templates.iter().map(|template| template.replace("TOUCH", &touch)).collect()
}

/// A tool that is nothing but a shell command with placeholders.
fn command_tool(command: &str) -> String {
    format!(
        "version: \"1.0.0\"\ntool_type: tool\nexecutor_id: rye/core/runtimes/bash/bash\ndescription: \"A command\"\n\
         config:\n  command: {}\nconfig_schema:\n  type: object\n  properties:\n    value: {{type: string}}\n",
        json!(command)
    )
}

/// Wherever a placeholder stands in a command, the value is a value there.
#[test]
fn a_value_in_a_shell_command_is_no_code() {
    let ground = Ground::trusted();
    let commands = [
        "printf %s {value}",
        "printf %s \"{value}\"",
        "printf %s '{value}'",
        "printf %s pre{value}post",
        "printf %s \"pre{value}post\"",
        "printf %s 'pre{value}post'",
        "printf %s $(printf %s {value})",
        "printf %s \"$(printf %s \"{value}\")\"",
        "printf %s `printf %s {value}`",
        "printf %s \"`printf %s '{value}'`\"",
        "cat <<EOF\n{value}\nEOF",
        "cat <<'EOF'\n{value}\nEOF",
        "cat <<< {value}",
        "# it's {value}\nprintf %s {value}",
        "printf %s \\\"{value}\\\"",
        "printf %s \\'{value}\\'",
        "x={value}; printf %s \"$x\"",
        "case {value} in *) printf %s \"{value}\";; esac",
        "[ {value} = 1 ] || true",
        "[[ {value} == x ]] || true",
        "printf %s $'{value}'",
        "printf %s ${HOME:-{value}}",
    ];
    for (number, command) in commands.iter().enumerate() {
        ground.write(&format!("project/.ai/tools/c/t{number}.yaml"), command_tool(command));
    }
    ground.sign("c/**");
    let engine = ground.engine();
    for (number, command) in commands.iter().enumerate() {
        for value in hostile(&ground) {
            // A command may well fail with such a value. It must not do anything else.
            let _ = execute(&engine, &format!("c/t{number}"), &[("value", json!(value))]);
            assert!(!ground.marker().exists(), "{command} with {value:?}");
        }
    }
}

/// And it arrives as it was sent where people put placeholders: bare, in quotes, inside of words.
#[test]
fn a_value_in_a_shell_command_arrives_as_it_is() {
    let ground = Ground::trusted();
    let commands = [
        ("printf '[%s]' {value}", "", ""),
        ("printf '[%s]' \"{value}\"", "", ""),
        ("printf '[%s]' '{value}'", "", ""),
        ("printf '[%s]' pre{value}post", "pre", "post"),
        ("printf '[%s]' \"pre{value}post\"", "pre", "post"),
        ("printf '[%s]' 'pre{value}post'", "pre", "post"),
        ("printf '[%s]' \"$(printf '%s.' \"{value}\")\"", "", "."),
    ];
    for (number, (command, ..)) in commands.iter().enumerate() {
        ground.write(&format!("project/.ai/tools/c/t{number}.yaml"), command_tool(command));
    }
    ground.sign("c/**");
    let engine = ground.engine();
    for (number, (command, before, after)) in commands.iter().enumerate() {
        for value in hostile(&ground) {
            let outcome = outcome(&engine, &format!("c/t{number}"), &[("value", json!(value))]);
            let output = String::from_utf8_lossy(&outcome.output.bytes).into_owned();
            assert_eq!(output, format!("[{before}{value}{after}]"), "{command}");
        }
    }
    ground.assert_unmarked();
}

/// Values reach a tool on its standard input, whatever they are.
#[test]
fn values_reach_a_tool_as_they_are() {
    let ground = Ground::trusted();
    ground.write(
        "project/.ai/tools/echo.py",
        python("import json, sys\nprint(json.load(sys.stdin)['value'], end='')"),
    );
    ground.write("project/.ai/tools/cat.sh", shell("cat > /dev/null; echo fine"));
    ground.sign("*");
    let engine = ground.engine();
    for value in hostile(&ground).into_iter().chain(["a\0b".to_owned()]) {
        let outcome = outcome(&engine, "echo", &[("value", json!(value))]);
        assert_eq!(String::from_utf8_lossy(&outcome.output.bytes), value);
        // Names of the fixed context, and of settings, do not become them.
        let parameters: Vec<(&str, Value)> = [
            "tool_path",
            "command",
            "args",
            "project_path",
            "env",
            "cwd",
            "script",
            "module",
            "input_data",
            "variants",
        ]
        .map(|name| (name, json!(value)))
        .into();
        ground.says_on(&engine, "cat", &parameters, "fine");
    }
    ground.assert_unmarked();
}

/// An argument is one argument, with whatever is in it.
#[test]
fn a_value_in_an_argument_is_one_argument() {
    let ground = Ground::trusted();
    let code = "import sys, json\nprint(json.dumps(sys.argv[2:]))";
    ground.write("elsewhere/args.py", code);
    ground.write(
        "project/.ai/tools/args.yaml",
        format!(
            "version: \"1.0.0\"\ntool_type: tool\nexecutor_id: rye/core/primitives/execute\ndescription: \"A tool\"\n\
             config: {{command: python3, args: [{:?}, \"--\", \"{{value}}\", \"x{{value}}x\"]}}\n\
             config_schema: {{type: object, properties: {{value: {{type: string}}}}}}\n",
            ground.path("elsewhere/args.py").display().to_string()
        ),
    );
    ground.sign("args");
    let engine = ground.engine();
    for value in hostile(&ground) {
        let outcome = outcome(&engine, "args", &[("value", json!(value))]);
        let args: Vec<String> = serde_json::from_slice(&outcome.output.bytes).unwrap();
        assert_eq!(args, [value.clone(), format!("x{value}x")]);
    }
    let error = execute(&engine, "args", &[("value", json!("a\0b"))]).unwrap_err();
    assert_eq!(error.code(), ErrorCode::SpawnFailed);
    ground.assert_unmarked();
}

/// A tool that says itself what runs is not made to run something else by a parameter.
#[test]
fn a_parameter_does_not_choose_other_code() {
    let ground = Ground::trusted();
    let runtimes = [
        ("bash", "rye/core/runtimes/bash/bash", "command", "echo fine", ground.touch()),
        ("module", "rye/core/runtimes/python/script", "module", "platform", ground.python_touch()),
    ];
    for (name, runtime, key, own, _) in &runtimes {
        ground.write(
            &format!("project/.ai/tools/v/{name}.yaml"),
            format!(
                "version: \"1.0.0\"\ntool_type: tool\nexecutor_id: {runtime}\ndescription: \"A tool\"\n\
                 config: {{{key}: {own}}}\n"
            ),
        );
    }
    // A program of its own, named by a description.
    ground.write("project/.ai/tools/v/run.sh", shell("echo fine"));
    ground.write("project/.ai/tools/v/entry.yaml", {
        "version: \"1.0.0\"\ntool_type: tool\nexecutor_id: rye/core/runtimes/bash/bash\ndescription: \"A tool\"\n\
         entry: run.sh\n"
    });
    ground.sign("v/**");
    let engine = ground.engine();
    for (name, .., code) in &runtimes {
        for key in ["command", "script", "module"] {
            let _ = execute(&engine, &format!("v/{name}"), &[(key, json!(code))]);
            ground.assert_unmarked();
        }
    }
    ground.says_on(&engine, "v/entry", &[("command", json!(ground.touch()))], "fine");
}

/// What a description names as its program is verified, wherever the tool stands.
#[test]
fn an_entry_that_is_not_verified_does_not_run() {
    let ground = Ground::trusted();
    let evil = ground.write("project/evil.py", ground.python_touch()).display().to_string();
    let up = format!("{}{}", "../".repeat(30), evil.trim_start_matches('/'));
    let entries = [
        ("run.py", ErrorCode::DependencyUnverified),
        ("config/run.py", ErrorCode::DependencyUnverified),
        (&evil, ErrorCode::MetadataInvalid),
        (&up, ErrorCode::MetadataInvalid),
    ];
    ground.write("project/.ai/tools/anchored/pyproject.toml", "");
    for folder in ["alone", "anchored"] {
        for (number, (entry, code)) in entries.iter().enumerate() {
            let path = format!("{folder}/t{number}.yaml");
            let text = format!(
                "version: \"1.0.0\"\ntool_type: tool\nexecutor_id: rye/core/runtimes/python/script\n\
                 description: \"A tool\"\nentry: {entry:?}\n"
            );
            // The operator's key, and not their tool: `sign` would refuse some of these.
            let signed = signed_by(&ground.key, ItemKind::Tool, &path, &text);
            ground.write(&format!("project/.ai/tools/{path}"), signed);
            ground.refuses(&format!("{folder}/t{number}"), *code);
            ground.write(&format!("project/.ai/tools/{folder}/run.py"), ground.python_touch());
            ground.write(&format!("project/.ai/tools/{folder}/config/run.py"), ground.python_touch());
            ground.refuses(&format!("{folder}/t{number}"), *code);
        }
    }
}

/// A command with the path of a project in it does not do what the project is called.
#[test]
fn the_name_of_a_folder_is_no_code() {
    let ground = Ground::new();
    ground.write(
        "home/.ai/tools/list.yaml",
        command_tool("cd {project_path} && cd \"{project_path}\" && echo fine"),
    );
    ground.sign_in(Space::User, "list");
    let mark = ground.marker();
    let name = format!("$(touch $(echo {} | tr @ /))", mark.display().to_string().replace('/', "@"));
    for name in [name.as_str(), "a b;c", "'", "\""] {
        let project = ground.path("elsewhere").join(name);
        std::fs::create_dir_all(project.join(".ai")).unwrap();
        let mut settings = ground.settings();
        settings.spaces.start = project;
        ground.says_on(&Engine::new(settings), "list", &[("value", json!("x"))], "fine");
    }
}
