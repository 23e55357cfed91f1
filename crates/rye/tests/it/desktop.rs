//! A desktop session of one's own: a bus, and an unlocked GNOME Keyring on it.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::thread::JoinHandle;

use lillux::CancelToken;
use lillux::process::{RunOutcome, RunRequest, run, run_with};

use crate::space::{Call, TestSpace};
use crate::workshop::eventually;

/// Nothing of it outlives it, nor us if we are killed.
pub(crate) struct Desktop {
    address: OsString,
    runtime: PathBuf,
    end: CancelToken,
    session: Option<JoinHandle<RunOutcome>>,
}

/// A bus that starts no programs by itself, so that the keyring is the one that was unlocked.
const BUS: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>ADDRESS</listen>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

const SESSION: &str = "dbus-daemon --config-file=bus.conf --nofork --nopidfile < /dev/null &
until [ -S bus ]; do sleep 0.01; done
gnome-keyring-daemon --foreground --unlock --components=secrets
";

impl Desktop {
    /// Starts a session whose keyring is in the home of a space. The first password makes the keyring; with another one, it
    /// stays locked.
    pub(crate) fn start(space: &TestSpace, password: &str) -> Self {
        let runtime = space.path("session");
        space.folder("session");
        // The socket of a session before this one would be taken for the one that is waited for.
        let _ = std::fs::remove_file(runtime.join("bus"));
        std::fs::set_permissions(&runtime, std::fs::Permissions::from_mode(0o700)).unwrap();
        let address = format!("unix:path={}", runtime.join("bus").display());
        space.write("session/bus.conf", BUS.replace("ADDRESS", &address));
        let request = RunRequest::new("/bin/sh")
            .args(["-c", SESSION])
            .cwd(&runtime)
            .stdin(password)
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", space.path("home"))
            .env("XDG_RUNTIME_DIR", &runtime)
            .env("DBUS_SESSION_BUS_ADDRESS", &address);
        let end = CancelToken::new().unwrap();
        let token = end.clone();
        let session = std::thread::spawn(move || run_with(&request, Some(&token), &mut |_| {}).unwrap());
        let desktop = Self { address: address.into(), runtime, end, session: Some(session) };
        // A keyring that has nothing to give says so; one that is not there yet is complained about.
        eventually("the keyring answers", || {
            let answer = desktop.secret_tool(["lookup", "no", "such"]);
            answer.stderr.bytes.is_empty().then_some(())
        });
        desktop
    }

    /// Lets a command run in the session.
    pub(crate) fn with<'space>(&self, call: Call<'space>) -> Call<'space> {
        call.set("DBUS_SESSION_BUS_ADDRESS", &self.address).set("XDG_RUNTIME_DIR", &self.runtime)
    }

    /// What the keyring says to somebody else.
    pub(crate) fn secret_tool<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> RunOutcome {
        let request = RunRequest::new("/usr/bin/secret-tool").args(args);
        run(&request.env("DBUS_SESSION_BUS_ADDRESS", &self.address)).unwrap()
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        self.end.cancel();
        if let Some(session) = self.session.take() {
            let outcome = session.join();
            if !std::thread::panicking() {
                outcome.unwrap();
            }
        }
    }
}
