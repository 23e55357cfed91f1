//! `rye completions`: what a shell has to know to complete command lines.

use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};

use crate::cli::{Cli, CompletionsArgs};
use crate::command_error::CommandError;
use crate::output::print_bytes;

pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode, CommandError> {
    print_bytes(&script(args.shell))?;
    Ok(ExitCode::SUCCESS)
}

fn script(shell: Shell) -> Vec<u8> {
    let mut text = Vec::new();
    generate(shell, &mut visible(), "rye", &mut text);
    text.extend_from_slice(ids(shell).as_bytes());
    text
}

/// The ids of items, which change from call to call. The shells whose scripts can be added to ask for them.
fn ids(shell: Shell) -> String {
    let whole = Cli::command();
    let takes_id = |command: &&Command| {
        let mut positionals =
            command.get_positionals().flat_map(|arg| arg.get_value_names().unwrap_or_default());
        positionals.any(|name| name.starts_with("ID") || name.as_str() == "PATTERN")
    };
    let names: Vec<_> = whole.get_subcommands().filter(takes_id).map(Command::get_name).collect();
    match shell {
        Shell::Bash => BASH.replace("COMMANDS", &names.join("|")),
        Shell::Fish => FISH.replace("COMMANDS", &names.join(" ")),
        _ => String::new(),
    }
}

const BASH: &str = r#"
_rye_with_ids() {
    _rye "$@"
    local current="${COMP_WORDS[COMP_CWORD]}"
    case "${COMP_WORDS[1]}" in
        COMMANDS)
            if [[ "${current}" != -* ]]; then
                COMPREPLY+=($(compgen -W "$(rye search --detail names --limit 1000 2>/dev/null)" -- "${current}"))
            fi
            ;;
    esac
}
complete -F _rye_with_ids -o bashdefault -o default rye
"#;

const FISH: &str = r#"
complete -c rye -n "__fish_seen_subcommand_from COMMANDS" -f -a "(rye search --detail names --limit 1000 2>/dev/null)"
"#;

/// The command line without the commands that are for programs alone.
pub(crate) fn visible() -> Command {
    let whole = Cli::command();
    let commands: Vec<_> =
        whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
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
