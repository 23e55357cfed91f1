//! The system's own packages.

use std::io::IsTerminal as _;

use super::Python;
use crate::error::TaskError;
use crate::invocation::Invocation;

/// A program and the packages that bring it.
#[derive(Debug)]
struct Requirement {
    name: &'static str,
    packages: &'static [&'static str],
    is_there: fn() -> bool,
}

const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        name: "python3 with venv",
        packages: &["python3", "python3-venv"],
        is_there: || Python::find().is_ok(),
    },
    Requirement { name: "ruby", packages: &["ruby"], is_there: || answers("ruby") },
    // A runtime that a user adds is tested with it. Small systems have it without its modules.
    Requirement {
        name: "perl",
        packages: &["perl"],
        is_there: || Invocation::new("perl").args(["-MJSON::PP", "-e", "1"]).read().is_ok(),
    },
    Requirement { name: "git", packages: &["git"], is_there: || answers("git") },
    // What searches are compared with.
    Requirement { name: "ripgrep", packages: &["ripgrep"], is_there: || answers("rg") },
    // What counts instructions.
    Requirement { name: "valgrind", packages: &["valgrind"], is_there: || answers("valgrind") },
    // The keyring of a desktop, a bus to reach it by, and what speaks to it.
    Requirement {
        name: "gnome-keyring",
        packages: &["gnome-keyring"],
        is_there: || answers("gnome-keyring-daemon"),
    },
    Requirement { name: "dbus-daemon", packages: &["dbus"], is_there: || answers("dbus-daemon") },
    Requirement {
        name: "secret-tool",
        packages: &["libsecret-tools"],
        // It knows no `--version`, and nothing else that would succeed.
        is_there: || Invocation::new("sh").args(["-c", "command -v secret-tool"]).read().is_ok(),
    },
    Requirement { name: "bash", packages: &["bash"], is_there: || answers("bash") },
    // A shell whose completions are tested.
    Requirement { name: "zsh", packages: &["zsh"], is_there: || answers("zsh") },
];

/// Installs the packages of all programs that are not there, through apt.
pub(super) fn install_missing() -> Result<(), TaskError> {
    let missing: Vec<_> = REQUIREMENTS.iter().filter(|requirement| !(requirement.is_there)()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<_> = missing.iter().flat_map(|requirement| requirement.packages).copied().collect();
    let Some(root) = Root::reach().filter(|_| answers("apt-get")) else {
        return Err(TaskError::Programs {
            missing: missing.iter().map(|requirement| requirement.name).collect::<Vec<_>>().join(", "),
            command: format!("apt-get install {}", packages.join(" ")),
        });
    };
    root.apt_get().arg("update").arg("--quiet").run()?;
    root.apt_get().args(["install", "--yes", "--quiet", "--no-install-recommends"]).args(&packages).run()?;
    match missing.iter().find(|requirement| !(requirement.is_there)()) {
        Some(requirement) => {
            Err(TaskError::Unusable { program: requirement.name, why: "it is not on PATH, or too old" })
        }
        None => Ok(()),
    }
}

/// How to act as root.
#[derive(Debug, Clone, Copy)]
enum Root {
    Already,
    Sudo,
}

impl Root {
    fn reach() -> Option<Self> {
        let is_root = Invocation::new("id").arg("-u").read().is_ok_and(|id| id.trim() == "0");
        if is_root {
            return Some(Self::Already);
        }
        // Nobody can type a password where there is no terminal.
        let may_ask = || std::io::stdin().is_terminal() && answers("sudo");
        let needs_no_password = || Invocation::new("sudo").args(["--non-interactive", "true"]).read().is_ok();
        (may_ask() || needs_no_password()).then_some(Self::Sudo)
    }

    /// apt that asks nothing and waits if another one is at work.
    fn apt_get(self) -> Invocation {
        let options = ["DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=300"];
        match self {
            Self::Already => Invocation::new("env").args(options),
            Self::Sudo => Invocation::new("sudo").arg("env").args(options),
        }
    }
}

/// Whether the program starts: a version manager's stand-in may be on `PATH` with nothing behind it.
fn answers(program: &str) -> bool {
    Invocation::new(program).arg("--version").read().is_ok()
}
