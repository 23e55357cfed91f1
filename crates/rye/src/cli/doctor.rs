//! The command line of `rye doctor`.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = DOCTOR_HELP)]
pub(crate) struct DoctorArgs {}

const DOCTOR_HELP: &str = "Looks at everything that has to be there, and changes nothing but its own folders for cache \
    and state. `warn` is about what you may want, `fail` about what keeps things from working.\n\n\
    Examples:\n  \
    rye doctor\n  \
    rye doctor --json\n\n\
    Exit codes:\n  \
    0  nothing is wrong\n  \
    1  something is";
