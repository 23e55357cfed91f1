//! The addresses of names, as every other program of this machine finds them.
//!
//! The GNU C library finds them in ways that the machine's `nsswitch.conf` lists, most of which are shared libraries that it
//! loads. In a program that has no shared libraries that works for as long as the machine's C library is the very one that the
//! program was made with. So such a program asks the machine's own `getent`.

use std::collections::BTreeSet;
use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::process::{Ending, RunOutcome, RunRequest, run};

/// Looks up names for an HTTP client.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

/// A name that has no address.
#[derive(Debug, thiserror::Error)]
#[error("cannot look up `{host}`")]
pub(super) struct LookupError {
    pub(super) host: String,
    #[source]
    pub(super) source: io::Error,
}

/// Where `getent` is. `PATH` has no say in what is part of the system.
const GETENT: [&str; 2] = ["/usr/bin/getent", "/bin/getent"];
/// No name server is waited for any longer.
const PATIENCE: Duration = Duration::from_mins(1);
/// What `getent` exits with if it has no answer.
const NO_ANSWER: i32 = 2;
/// What it exits with if it does not know an option: that of the GNU C library, and that of musl.
const UNKNOWN_OPTION: [i32; 2] = [64, 1];
/// What the operator may have told the C library about names.
const VARIABLES: [&str; 3] = ["HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS"];

/// Whether no loader has loaded this program: then it has no shared libraries.
static IS_STATIC: LazyLock<bool> = LazyLock::new(|| {
    /// Where the loader is, in the list that the kernel hands to a program.
    const LOADER: usize = 7;
    const WORD: usize = size_of::<usize>();
    // Other C libraries need no others to find names.
    cfg!(target_env = "gnu")
        && std::fs::read("/proc/self/auxv").map_or(true, |list| {
            let (words, _) = list.as_chunks::<WORD>();
            let (pairs, _) = words.as_chunks::<2>();
            pairs.iter().any(|[name, value]| usize::from_ne_bytes(*name) == LOADER && *value == [0; WORD])
        })
});

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let host = name.as_str().to_owned();
            match look_up(&host).await {
                Ok(found) => Ok(Box::new(found.into_iter()) as Addrs),
                Err(source) => Err(Box::new(LookupError { host, source }) as Box<dyn Error + Send + Sync>),
            }
        })
    }
}

async fn look_up(host: &str) -> io::Result<Vec<SocketAddr>> {
    if *IS_STATIC && let Some(getent) = GETENT.iter().find(|path| Path::new(path).exists()) {
        let host = host.to_owned();
        // It takes as long as a name server does.
        return tokio::task::spawn_blocking(move || ask(getent, &host)).await?;
    }
    Ok(tokio::net::lookup_host((host, 0)).await?.collect())
}

/// Asks `getent` for the addresses of a name.
fn ask(getent: &str, host: &str) -> io::Result<Vec<SocketAddr>> {
    if host.starts_with('-') {
        return Err(no_answer());
    }
    // Without the option, `localhost` is what else there is of a network.
    let outcome = match run_with(getent, &["--no-addrconfig", "ahosts", host])? {
        RunOutcome { ending: Ending::Exited { code }, .. } if UNKNOWN_OPTION.contains(&code) => {
            run_with(getent, &["ahosts", host])?
        }
        outcome => outcome,
    };
    let found = match outcome.ending {
        Ending::Exited { code: 0 } => addresses(&String::from_utf8_lossy(&outcome.stdout.bytes)),
        Ending::Exited { code: NO_ANSWER } => Vec::new(),
        Ending::TimedOut { .. } => return Err(io::ErrorKind::TimedOut.into()),
        _ => return Err(io::Error::other("the system cannot look up names")),
    };
    if found.is_empty() { Err(no_answer()) } else { Ok(found) }
}

#[expect(clippy::disallowed_methods, reason = "what the C library reads by itself where it is a part of us")]
fn run_with(getent: &str, arguments: &[&str]) -> io::Result<RunOutcome> {
    let variables = VARIABLES.iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
    let request = RunRequest::new(getent).args(arguments).envs(variables).timeout(PATIENCE);
    run(&request).map_err(io::Error::other)
}

/// The addresses in a list that has each of them once for each kind of connection, the best ones first.
fn addresses(list: &str) -> Vec<SocketAddr> {
    let mut known = BTreeSet::new();
    let first_words = list.lines().filter_map(|line| line.split_ascii_whitespace().next());
    let addresses = first_words.filter_map(address);
    addresses.filter(|address| known.insert(*address)).collect()
}

/// One of them. If it counts on one network alone, a `%` and the number of that come after it.
fn address(word: &str) -> Option<SocketAddr> {
    let plain = word.parse::<IpAddr>().map(|address| SocketAddr::new(address, 0));
    plain.or_else(|_| format!("[{word}]:0").parse()).ok()
}

fn no_answer() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "the system finds no address for it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_counts_once() {
        let list = "::1             STREAM localhost\n::1             DGRAM  \n::1             RAW    \n\
            127.0.0.1       STREAM \n127.0.0.1       DGRAM  \nfe80::1%2 STREAM\nfe80::1%2 DGRAM\nnonsense\n\n";
        let expect = ["[::1]:0", "127.0.0.1:0", "[fe80::1%2]:0"].map(|text| text.parse().unwrap());
        assert_eq!(addresses(list), expect);
    }

    #[test]
    fn the_system_knows_names() {
        let getent = GETENT.iter().find(|path| Path::new(path).exists()).unwrap();
        let found = ask(getent, "localhost").unwrap();
        assert!(!found.is_empty() && found.iter().all(|address| address.ip().is_loopback()), "{found:?}");
        assert_eq!(ask(getent, "127.0.0.7").unwrap(), ["127.0.0.7:0".parse().unwrap()]);
        for name in ["no.such.name.invalid", "--help", "-i"] {
            assert_eq!(ask(getent, name).unwrap_err().kind(), io::ErrorKind::NotFound, "{name}");
        }
    }

    #[test]
    fn one_that_knows_no_options_is_asked_without() {
        let folder = tempfile::tempdir().unwrap();
        let getent = folder.path().join("getent");
        for (code, expect) in [(64, true), (1, true), (3, false)] {
            // Nobody can execute a file while a process has it open for writing, so that is another process than we.
            let text =
                format!("#!/bin/sh\n[ \"$*\" = 'ahosts a.example' ] || exit {code}\necho 192.0.2.1 STREAM\n");
            let write = RunRequest::new("/bin/sh").args(["-c", "umask 077; cat > getent; chmod u+x getent"]);
            let written = run(&write.env("PATH", "/usr/bin:/bin").cwd(folder.path()).stdin(text)).unwrap();
            assert_eq!(written.ending, Ending::Exited { code: 0 });
            let found = ask(getent.to_str().unwrap(), "a.example");
            assert_eq!(found.is_ok_and(|found| found == ["192.0.2.1:0".parse().unwrap()]), expect, "{code}");
        }
    }

    #[test]
    fn a_test_has_a_loader() {
        assert!(!*IS_STATIC);
    }
}
