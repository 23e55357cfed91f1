//! `rye man`: the manual pages.

mod markdown;

use std::path::Path;
use std::process::ExitCode;

use clap_mangen::Man;
use serde_json::json;

use crate::cli::ManArgs;
use crate::command_error::CommandError;
use crate::completions::visible;
use crate::output::{Output, print_bytes, print_json};

pub(crate) fn man(args: &ManArgs, output: Output) -> Result<ExitCode, CommandError> {
    if let Some(folder) = &args.out {
        write(folder, output)?;
    } else if args.markdown {
        print_bytes(markdown::page(visible()).as_bytes())?;
    } else {
        let mut page = Vec::new();
        Man::new(visible()).render(&mut page).map_err(|error| CommandError::output(&error))?;
        print_bytes(&page)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write(folder: &Path, output: Output) -> Result<(), CommandError> {
    let failed = |error| CommandError::unwritable(folder, &error);
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(visible(), folder).map_err(failed)?;
    let folder = folder.to_string_lossy();
    if output.is_json() {
        return print_json(&json!({ "folder": folder }));
    }
    print_bytes(format!("the pages are in `{folder}`\n").as_bytes())
}
