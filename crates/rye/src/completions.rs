//! `rye completions`: what a shell has to know to complete command lines.

use std::process::ExitCode;

use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::{Shell, generate};

use crate::cli::{Cli, CompletionsArgs};
use crate::command_error::CommandError;
use crate::output::print_bytes;

pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode, CommandError> {
    print_bytes(&script(args.shell))?;
    Ok(ExitCode::SUCCESS)
}

fn script(shell: Shell) -> Vec<u8> {
    let mut command = visible();
    if shell == Shell::Zsh {
        command = marked(command);
    }
    let mut text = Vec::new();
    generate(shell, &mut command, "rye", &mut text);
    let text = String::from_utf8_lossy(&text);
    with_ids(shell, &text).into_bytes()
}

/// Adds the ids of items, which change from call to call. The shells whose scripts can be added to ask for them.
fn with_ids(shell: Shell, script: &str) -> String {
    match shell {
        Shell::Bash => {
            let cases: Vec<_> = takers().iter().map(|path| format!("\"{} \"*", path.join(" "))).collect();
            format!("{script}{}", BASH.replace("COMMANDS", &cases.join("|")))
        }
        Shell::Fish => {
            let line = |path: &Vec<String>| {
                let seen = path.iter().map(|name| format!("__fish_seen_subcommand_from {name}"));
                FISH.replace("CONDITION", &seen.collect::<Vec<_>>().join("; and "))
            };
            format!("{script}\n{}", takers().iter().map(line).collect::<String>())
        }
        // The first line tells zsh what the file is, and the last ones run what stands before them.
        Shell::Zsh => script.replace(":_users'", ":_rye_ids'").replacen(
            "#compdef rye\n",
            &format!("#compdef rye\n{ZSH}"),
            1,
        ),
        _ => script.to_owned(),
    }
}

/// The commands that take ids of items, by the words that they are called with.
fn takers() -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for command in visible().get_subcommands() {
        let name = command.get_name().to_owned();
        if takes_id(command) {
            found.push(vec![name.clone()]);
        }
        if has_commands_with_ids(&name) {
            let inner = command.get_subcommands().filter(|inner| takes_id(inner));
            found.extend(inner.map(|inner| vec![name.clone(), inner.get_name().to_owned()]));
        }
    }
    found
}

/// Keys and runs have ids of their own.
fn has_commands_with_ids(name: &str) -> bool {
    name == "graph"
}

fn takes_id(command: &Command) -> bool {
    command.get_positionals().any(is_id)
}

fn is_id(arg: &Arg) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    names.iter().any(|name| name.starts_with("ID") || name.as_str() == "PATTERN")
}

/// The generator has no word for ids of items. Here they are called users, whom no command takes.
fn marked(command: Command) -> Command {
    let mark = |command: Command| {
        command.mut_args(|arg| {
            if arg.is_positional() && is_id(&arg) { arg.value_hint(ValueHint::Username) } else { arg }
        })
    };
    command.mut_subcommands(|command| {
        let inner = has_commands_with_ids(command.get_name());
        let command = mark(command);
        if inner { command.mut_subcommands(mark) } else { command }
    })
}

const BASH: &str = r#"
_rye_with_ids() {
    _rye "$@"
    local current="${COMP_WORDS[COMP_CWORD]}"
    case "${COMP_WORDS[*]:1:COMP_CWORD}" in
        COMMANDS)
            if [[ "${current}" != -* ]]; then
                COMPREPLY+=($(compgen -W "$(rye search --detail names --limit 1000 2>/dev/null)" -- "${current}"))
            fi
            ;;
    esac
}
complete -F _rye_with_ids -o bashdefault -o default rye
"#;

const FISH: &str = r#"complete -c rye -n "CONDITION" -f -a "(rye search --detail names --limit 1000 2>/dev/null)"
"#;

const ZSH: &str = r#"
_rye_ids() {
    local -a ids
    ids=(${(f)"$(rye search --detail names --limit 1000 2>/dev/null)"})
    compadd -a ids
}
"#;

/// The command line without the commands that are for programs alone.
pub(crate) fn visible() -> Command {
    let whole = Cli::command();
    // What a command takes is not there before it is built.
    let mut built = whole.clone();
    built.build();
    let commands: Vec<_> =
        built.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
    let mut visible = Command::new("rye")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(whole.get_arguments().cloned())
        .subcommands(commands);
    if let Some(about) = whole.get_about() {
        visible = visible.about(about.clone());
    }
    if let Some(after) = whole.get_after_help() {
        visible = visible.after_help(after.clone());
    }
    visible
}
