//! The variables that a `.env` file may not set.
//!
//! A `.env` file is data that sits beside the code of a project, is written by many hands and is signed by nobody.
//! Whoever can write to it must not thereby decide *which code runs*: which program a name means, what a loader
//! or an interpreter loads before the tool, which commands a program starts on its own, where our own keys and
//! items come from. Those names are refused in every file.
//!
//! Other names are the operator's own business, and no project's: where programs have their settings and keep
//! temporary files, whom they trust and through whom they talk to others, where interpreters are installed. They
//! count in the user's file and are refused in a project's.
//!
//! Names are compared without regard to case: `http_proxy` is read in both spellings, and on some systems every
//! name is.

/// Why a name is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Protection {
    /// `PATH` and its like.
    #[error("it decides which program a name means")]
    ProgramSearch,
    /// `LD_PRELOAD` and its like.
    #[error("it decides what is loaded into every program")]
    Loader,
    /// `PYTHONSTARTUP`, `NODE_OPTIONS`, `BASH_ENV` and their like.
    #[error("it decides what an interpreter runs or imports before the tool")]
    InterpreterStart,
    /// `RYE_*` and what else we read ourselves.
    #[error("it decides what is trusted, and where from")]
    Ours,
    /// `EDITOR`, `CC`, `GIT_SSH_COMMAND` and their like.
    #[error("it names a program or a command that other programs start")]
    NamesProgram,
    /// `HOME`, `XDG_CONFIG_HOME`, `TMPDIR` and their like.
    #[error("it decides where programs find their settings and keep private files")]
    Settings,
    /// Certificates, proxies.
    #[error("it decides whom programs trust and talk through")]
    Network,
    /// `PYENV_ROOT`, `NVM_DIR` and their like.
    #[error("it decides where interpreters are looked for")]
    InterpreterPlace,
    /// Any name that has come into a project's file since the operator decided.
    #[error("it was not there when the project was trusted")]
    NotDecided,
}

impl Protection {
    /// Whether the name is refused in the user's own file as well.
    #[must_use]
    pub fn binds_user(self) -> bool {
        match self {
            Self::ProgramSearch | Self::Loader | Self::InterpreterStart | Self::Ours | Self::NamesProgram => {
                true
            }
            Self::Settings | Self::Network | Self::InterpreterPlace | Self::NotDecided => false,
        }
    }
}

/// Why a `.env` file may not set this variable, or nothing if it may.
pub(crate) fn protection_of(name: &str) -> Option<Protection> {
    let name = name.to_ascii_uppercase();
    let group = |belongs: &dyn Fn(&Group) -> bool| GROUPS.iter().find(|group| belongs(group));
    let exact = group(&|group| group.names.contains(&name.as_str()));
    let found = exact.or_else(|| {
        let is_harmless = HARMLESS.contains(&name.as_str())
            || HARMLESS_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        let begins = |group: &Group| group.prefixes.iter().any(|prefix| name.starts_with(prefix));
        if is_harmless { None } else { group(&begins) }
    });
    found.map(|group| group.protection)
}

struct Group {
    protection: Protection,
    names: &'static [&'static str],
    prefixes: &'static [&'static str],
}

/// Names that begin like a protected group, and only change how something is printed or cached.
const HARMLESS_PREFIXES: &[&str] = &["PYTHON_", "RUBY_"];

/// The same for single names.
const HARMLESS: &[&str] = &[
    "PYTHONASYNCIODEBUG",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONFAULTHANDLER",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONTRACEMALLOC",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
];

const GROUPS: &[Group] = &[
    Group {
        protection: Protection::ProgramSearch,
        names: &["PATH", "PATHEXT", "CDPATH", "COMSPEC", "SHELL"],
        prefixes: &[],
    },
    Group {
        protection: Protection::Loader,
        names: &["GCONV_PATH", "GLIBC_TUNABLES", "LIBPATH", "LOCPATH", "NLSPATH", "SHLIB_PATH"],
        prefixes: &["LD_", "DYLD_", "_RLD"],
    },
    Group { protection: Protection::Ours, names: &["USER_SPACE"], prefixes: &["RYE_", "LILLUX_"] },
    Group {
        protection: Protection::InterpreterStart,
        names: &[
            // Shells.
            "BASHOPTS",
            "ENV",
            "FPATH",
            "GLOBIGNORE",
            "IFS",
            "PROMPT_COMMAND",
            "PS0",
            "PS1",
            "PS2",
            "PS4",
            "SHELLOPTS",
            "ZDOTDIR",
            // Python.
            "PYTHON_HISTORY",
            "PYTHON_PRESITE",
            "VIRTUAL_ENV",
            "__PYVENV_LAUNCHER__",
            // JavaScript.
            "BUN_OPTIONS",
            "DENO_DIR",
            "NODE_COMPILE_CACHE",
            "NODE_ICU_DATA",
            "NODE_OPTIONS",
            "NODE_PATH",
            "NODE_REDIRECT_WARNINGS",
            "NODE_REPL_EXTERNAL_MODULE",
            "NODE_V8_COVERAGE",
            "TSX_TSCONFIG_PATH",
            // Ruby, Perl, PHP, Lua.
            "BUNDLE_APP_CONFIG",
            "BUNDLE_BIN_PATH",
            "BUNDLE_GEMFILE",
            "BUNDLE_PATH",
            "GEM_HOME",
            "GEM_PATH",
            "PERLIO_DEBUG",
            "PERLLIB",
            "PHPRC",
            "PHP_INI_SCAN_DIR",
            // Virtual machines.
            "CLASSPATH",
            "JAVA_OPTS",
            "JAVA_TOOL_OPTIONS",
            "JDK_JAVA_OPTIONS",
            "_JAVA_OPTIONS",
            "GRADLE_OPTS",
            "MAVEN_OPTS",
            "CORECLR_ENABLE_PROFILING",
            "DOTNET_ADDITIONAL_DEPS",
            "DOTNET_SHARED_STORE",
            "DOTNET_STARTUP_HOOKS",
            "ELIXIR_ERL_OPTIONS",
            "ERL_AFLAGS",
            "ERL_FLAGS",
            "ERL_LIBS",
            "ERL_ZFLAGS",
            // Others.
            "CAML_LD_LIBRARY_PATH",
            "GUILE_LOAD_COMPILED_PATH",
            "GUILE_LOAD_PATH",
            "JULIA_DEPOT_PATH",
            "JULIA_LOAD_PATH",
            "JULIA_PROJECT",
            "R_ENVIRON",
            "R_ENVIRON_USER",
            "R_HOME",
            "R_PROFILE",
            "R_PROFILE_USER",
            "TCLLIBPATH",
        ],
        prefixes: &[
            "BASH_",
            "BUNDLER_",
            "CORECLR_PROFILER",
            "COR_PROFILER",
            "LUA_CPATH",
            "LUA_INIT",
            "LUA_PATH",
            "NPM_CONFIG_",
            "PERL5",
            "PYTHON",
            "RUBY",
            "R_LIBS",
            "TS_NODE_",
        ],
    },
    Group {
        protection: Protection::NamesProgram,
        names: &[
            "AR",
            "BROWSER",
            "CC",
            "CXX",
            "EDITOR",
            "GNUMAKEFLAGS",
            "GOFLAGS",
            "GOROOT",
            "JAVA_HOME",
            "LESSCLOSE",
            "LESSOPEN",
            "LESS",
            "MAKEFILES",
            "MAKEFLAGS",
            "MANPAGER",
            "PAGER",
            "RUSTC",
            "RUSTC_WRAPPER",
            "RUSTC_WORKSPACE_WRAPPER",
            "RUSTDOC",
            "RUSTFLAGS",
            "SSH_ASKPASS",
            "SUDO_ASKPASS",
            "TAR_OPTIONS",
            "VISUAL",
            "GIT_ASKPASS",
            "GIT_DIR",
            "GIT_EDITOR",
            "GIT_EXEC_PATH",
            "GIT_EXTERNAL_DIFF",
            "GIT_PAGER",
            "GIT_PROXY_COMMAND",
            "GIT_SEQUENCE_EDITOR",
            "GIT_SSH",
            "GIT_SSH_COMMAND",
            "GIT_TEMPLATE_DIR",
        ],
        prefixes: &["CARGO_BUILD_", "CARGO_TARGET_", "GIT_CONFIG"],
    },
    Group {
        protection: Protection::Settings,
        names: &[
            "APPDATA",
            "CARGO_HOME",
            "DOCKER_CONFIG",
            "GNUPGHOME",
            "HISTFILE",
            "HOME",
            "KUBECONFIG",
            "LOCALAPPDATA",
            "NETRC",
            "SQLITE_TMPDIR",
            "TEMP",
            "TMP",
            "TMPDIR",
            "USERPROFILE",
            "WGETRC",
            "CURL_HOME",
            "INPUTRC",
            "TERMINFO",
            "TERMINFO_DIRS",
        ],
        prefixes: &["XDG_"],
    },
    Group {
        protection: Protection::Network,
        names: &[
            "ALL_PROXY",
            "AWS_CA_BUNDLE",
            "CURL_CA_BUNDLE",
            "DENO_CERT",
            "DENO_TLS_CA_STORE",
            "FTP_PROXY",
            "GIT_SSL_CAINFO",
            "GIT_SSL_NO_VERIFY",
            "HOSTALIASES",
            "HTTPS_PROXY",
            "HTTP_PROXY",
            "LOCALDOMAIN",
            "NODE_EXTRA_CA_CERTS",
            "NODE_TLS_REJECT_UNAUTHORIZED",
            "NO_PROXY",
            "OPENSSL_CONF",
            "OPENSSL_ENGINES",
            "OPENSSL_MODULES",
            "REQUESTS_CA_BUNDLE",
            "RESOLV_HOST_CONF",
            "RES_OPTIONS",
            "SSH_AUTH_SOCK",
            "SSLKEYLOGFILE",
            "SSL_CERT_DIR",
            "SSL_CERT_FILE",
            "WS_PROXY",
            "WSS_PROXY",
        ],
        prefixes: &[],
    },
    Group {
        protection: Protection::InterpreterPlace,
        names: &[
            "DOTNET_ROOT",
            "NVM_DIR",
            "NVM_BIN",
            "PIPX_BIN_DIR",
            "PIPX_HOME",
            "PYENV_ROOT",
            "RBENV_ROOT",
            "RVM_PATH",
        ],
        prefixes: &["ASDF_", "CONDA_", "HOMEBREW_", "MAMBA_", "MISE_"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], expect: Option<Protection>) {
        for name in names {
            assert_eq!(protection_of(name), expect, "{name}");
        }
    }

    #[test]
    fn what_decides_about_code_is_refused_everywhere() {
        check(&["PATH", "Path"], Some(Protection::ProgramSearch));
        check(
            &["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"],
            Some(Protection::Loader),
        );
        check(&["RYE_SYSTEM_SPACE", "RYE_DEV_MODE", "RYE_PYTHON", "USER_SPACE"], Some(Protection::Ours));
        check(
            &[
                "PYTHONSTARTUP",
                "PYTHONPATH",
                "PYTHONHOME",
                "PYTHONINSPECT",
                "PYTHONBREAKPOINT",
                "PYTHONWARNINGS",
                "PYTHONUSERBASE",
                "PYTHONEXECUTABLE",
                "PYTHONPYCACHEPREFIX",
                "PYTHONSAFEPATH",
                "NODE_OPTIONS",
                "NODE_PATH",
                "npm_config_script_shell",
                "BASH_ENV",
                "BASH_FUNC_ls",
                "ENV",
                "RUBYOPT",
                "RUBYLIB",
                "PERL5OPT",
                "PERL5LIB",
                "PERL5DB",
                "LUA_INIT",
                "LUA_INIT_5_4",
                "JAVA_TOOL_OPTIONS",
                "_JAVA_OPTIONS",
                "IFS",
                "SHELLOPTS",
                "BASHOPTS",
                "PS4",
                "PROMPT_COMMAND",
            ],
            Some(Protection::InterpreterStart),
        );
        check(
            &["GIT_SSH_COMMAND", "GIT_EXEC_PATH", "GIT_CONFIG_KEY_0", "EDITOR", "CC"],
            Some(Protection::NamesProgram),
        );
        for group in GROUPS.iter().take(5) {
            assert!(group.protection.binds_user(), "{:?}", group.protection);
        }
    }

    #[test]
    fn what_is_the_operators_is_refused_in_projects() {
        check(&["HOME", "TMPDIR", "XDG_CONFIG_HOME"], Some(Protection::Settings));
        check(
            &["http_proxy", "HTTPS_PROXY", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"],
            Some(Protection::Network),
        );
        check(&["NVM_DIR", "rvm_path", "ASDF_DATA_DIR", "PYENV_ROOT"], Some(Protection::InterpreterPlace));
        for group in GROUPS.iter().skip(5) {
            assert!(!group.protection.binds_user(), "{:?}", group.protection);
        }
    }

    #[test]
    fn ordinary_names_are_not() {
        check(
            &[
                "API_KEY",
                "DATABASE_URL",
                "NODE_ENV",
                "PYTHONUNBUFFERED",
                "PYTHON_ENV",
                "GIT_TOKEN",
                "PORT",
                "PATHS",
                "GIT_AUTHOR_NAME",
                "HOMEPAGE",
                "RAILS_ENV",
                "ENVIRONMENT",
                "LDAP_URL",
                "AWS_PROFILE",
            ],
            None,
        );
    }
}
