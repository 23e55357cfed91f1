//! `rye init`: everything that has to be there before a tool can be made, signed and run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rye_engine::{Engine, EngineError, EngineSettings, HelpAnswer, ProjectReport};
use rye_item::{ItemKind, Spaces};
use rye_trust::{InstalledKey, shell_word};
use serde_json::json;

use crate::cli::{InitArgs, InstallArgs, McpArgs, McpCommand, SigningKeyArgs};
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::table::Table;
use crate::{confirmation, keys, mcp, project_trust};

pub(crate) fn init(
    mut settings: EngineSettings,
    args: &InitArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let start = settings.spaces.start.clone();
    let folder = settings.spaces.project.take().unwrap_or_else(|| start.clone());
    settings.spaces.project = Some(folder.clone());
    let user_space = Spaces::user_path(&settings.spaces).ok_or(EngineError::NoUserSpace)?;
    let is_user_space = |folder: &Path| match (folder.canonicalize(), user_space.canonicalize()) {
        (Ok(folder), Ok(user)) => folder == user,
        _ => folder == user_space,
    };
    if is_user_space(&folder.join(".ai")) {
        return Err(CommandError::user_space_is_no_project(&user_space));
    }
    let engine = Engine::new(settings.clone());
    let made_folders = make_folders(&engine, &folder)?;
    let key = keys::generate_first(&user_space, &key_args(args))?;
    let (report, trust) = trust(&engine, args, output)?;
    let done =
        Done { folder: &folder, made_folders, key, trust, next: next(&engine, &report, &folder, &start) };
    done.print(output)?;
    if done.trust == TrustStep::Undecided {
        return Err(CommandError::untrusted_without_yes(&report.path));
    }
    if let Some(client) = args.mcp {
        let install = InstallArgs { client: Some(client), write: true };
        mcp::mcp(settings, &McpArgs { command: McpCommand::Install(install) }, output)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What became of the trust in the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TrustStep {
    Made,
    Already,
    /// It brings something, and nobody is there to say that this is fine.
    Undecided,
    /// Somebody has looked at it and said no.
    Declined,
}

impl TrustStep {
    fn is_given(self) -> bool {
        matches!(self, Self::Made | Self::Already)
    }
}

struct Done<'a> {
    folder: &'a Path,
    made_folders: Vec<PathBuf>,
    /// The key that was made, if there was none.
    key: Option<InstalledKey>,
    trust: TrustStep,
    next: Vec<String>,
}

fn key_args(args: &InitArgs) -> SigningKeyArgs {
    SigningKeyArgs { owner: args.owner.clone(), passphrase: args.passphrase, rotate: false }
}

/// Makes the folders that are missing.
fn make_folders(engine: &Engine, folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let space = folder.join(".ai");
    let mut made = Vec::new();
    let mut add = |path: PathBuf| {
        if !path.exists() {
            std::fs::create_dir_all(&path).map_err(|error| CommandError::unwritable(&path, &error))?;
            made.push(path);
        }
        Ok::<_, CommandError>(())
    };
    add(space.clone())?;
    // A space that cannot be used, such as a link, is not filled either.
    engine.project_path()?;
    for kind in ItemKind::ALL {
        add(space.join(kind.folder()))?;
    }
    Ok(made)
}

/// Trusts the folder, if it brings nothing or somebody says that it may.
fn trust(
    engine: &Engine,
    args: &InitArgs,
    output: Output,
) -> Result<(ProjectReport, TrustStep), CommandError> {
    let report = engine.project_report()?;
    if report.decision.is_ok() {
        return Ok((report, TrustStep::Already));
    }
    if !args.yes && !report.offer.is_empty() {
        if output.is_json() || !confirmation::is_possible() {
            return Ok((report, TrustStep::Undecided));
        }
        project_trust::show(&report, output)?;
        if !confirmation::ask("trust this project with all of that?")? {
            return Ok((report, TrustStep::Declined));
        }
    }
    engine.trust_as_shown(&report)?;
    Ok((report, TrustStep::Made))
}

/// What to type next, as it is.
fn next(engine: &Engine, report: &ProjectReport, folder: &Path, start: &Path) -> Vec<String> {
    let elsewhere =
        if folder == start { String::new() } else { format!(" --project {}", shell_word(folder)) };
    let mut next = Vec::new();
    if report.signers.iter().any(|count| count.items > 0) {
        next.push(format!("rye verify --all{elsewhere}"));
    }
    // Any language is as good to begin with.
    if let Ok(HelpAnswer::Topics(known)) = engine.template("tool", None)
        && let Some(first) = known.topics.first()
    {
        next.push(format!("rye new tool demo/greet --lang {}{elsewhere}", first.name));
    }
    next.push("rye help start".to_owned());
    next
}

impl Done<'_> {
    fn print(&self, output: Output) -> Result<(), CommandError> {
        let Self { folder, made_folders, key, trust, next } = self;
        if output.is_json() {
            return print_json(&json!({
                "project": folder.to_string_lossy(),
                "made": made_folders.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
                "key": key.as_ref().map(|key| key.key.id()),
                "trusted": trust.is_given(),
                "next": next,
            }));
        }
        let mut table = Table::default();
        let mut row = |name: &str, tone: Tone, word: &str, text: String| {
            table.row([(Tone::Faint, name.to_owned()), (tone, word.to_owned()), (Tone::Plain, text)]);
        };
        match key {
            Some(key) => {
                row("key", Tone::Good, "made", format!("{} in {}", key.key.id(), key.path.display()));
            }
            None => row("key", Tone::Faint, "there", String::new()),
        }
        let word = if made_folders.is_empty() { "there" } else { "made" };
        let tone = if made_folders.is_empty() { Tone::Faint } else { Tone::Good };
        row("folder", tone, word, folder.join(".ai").display().to_string());
        match trust {
            TrustStep::Made => row("trust", Tone::Good, "given", folder.display().to_string()),
            TrustStep::Already => row("trust", Tone::Faint, "there", folder.display().to_string()),
            TrustStep::Declined => row("trust", Tone::Warning, "not given", "as you said".to_owned()),
            TrustStep::Undecided => {
                let text = "the folder brings keys, interpreters or variables: look at them first".to_owned();
                row("trust", Tone::Warning, "not given", text);
            }
        }
        let mut text = table.render(output);
        if trust.is_given() {
            text.push_str("\nnext:\n");
            for command in next {
                text.extend(["  ", command, "\n"]);
            }
        }
        print_bytes(text.as_bytes())
    }
}
