use std::os::unix::fs::PermissionsExt;

use lillux::process::{RunErrorKind, RunRequest, SpawnRequest, run, spawn};

use super::sh;

#[track_caller]
fn check(request: &RunRequest, expect: &str) {
    let error = run(request).unwrap_err();
    let source =
        std::error::Error::source(error.kind()).map(|source| format!(": {source}")).unwrap_or_default();
    assert_eq!(format!("{error}: {}{source}", error.kind()), expect);
}

#[test]
fn what_cannot_be_run_says_why() {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let write = |name: &str, text: &str, mode| {
        std::fs::write(path(name), text).unwrap();
        std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(mode)).unwrap();
        path(name)
    };
    let plain = write("plain", "#!/bin/sh\n", 0o644);
    let orphan = write("orphan", "#!/no/such/interpreter\n", 0o755);
    let garbage = write("garbage", "no program\n", 0o755);

    check(&RunRequest::new("/no/such"), "cannot run `/no/such`: no such program in `/no/such`");
    check(
        &RunRequest::new("/etc/passwd/x"),
        "cannot run `/etc/passwd/x`: no such program in `/etc/passwd/x`",
    );
    check(
        &RunRequest::new("sh"),
        "cannot run `sh`: the name has no slash and the given environment has no PATH to look it up in",
    );
    check(
        &RunRequest::new("nosuch").env("PATH", "/bin:relative:/usr/bin"),
        "cannot run `nosuch`: no such program in `/bin/nosuch`, `/usr/bin/nosuch`",
    );
    check(
        &RunRequest::new(&plain),
        &format!("cannot run `{plain}`: `{plain}` is not executable: Permission denied (os error 13)"),
    );
    check(
        &RunRequest::new("/tmp"),
        "cannot run `/tmp`: `/tmp` is not executable: Permission denied (os error 13)",
    );
    check(
        &RunRequest::new(&garbage),
        &format!("cannot run `{garbage}`: `{garbage}` is not executable: Exec format error (os error 8)"),
    );
    check(
        &RunRequest::new(&orphan),
        &format!(
            "cannot run `{orphan}`: `{orphan}` exists, but the interpreter or loader that it names does not"
        ),
    );
    check(
        &sh("").cwd("/no/such"),
        "cannot run `/bin/sh`: cannot enter the working directory `/no/such`: No such file or directory (os error 2)",
    );
    check(&sh("").args(["a\0b"]), "cannot run `/bin/sh`: argument 3 contains a NUL byte");
    check(&sh("").env("A", "a\0b"), "cannot run `/bin/sh`: variable `A` contains a NUL byte");
    check(&sh("").env("A=B", ""), "cannot run `/bin/sh`: `A=B` cannot be the name of a variable");
    check(&RunRequest::new("/bin/s\0h"), "cannot run `/bin/s\0h`: the program's name contains a NUL byte");
    check(
        &sh("").containment([]),
        "cannot run `/bin/sh`: no allowed way to contain the process works here: ",
    );
}

#[test]
fn an_argument_list_that_is_too_long_says_so() {
    let error = run(&sh("true").args(["x".repeat(200_000)])).unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::TooLarge { bytes } if *bytes > 200_000), "{error:?}");
}

#[test]
fn a_detached_program_that_cannot_start_says_why() {
    let request =
        SpawnRequest { program: "/no/such".into(), args: vec![], cwd: None, env: [].into(), log: None };
    assert!(matches!(spawn(&request).unwrap_err().kind(), RunErrorKind::ProgramNotFound { .. }));
    let request = SpawnRequest { program: "/bin/true".into(), log: Some("/no/such/log".into()), ..request };
    assert!(matches!(spawn(&request).unwrap_err().kind(), RunErrorKind::Log { .. }));
}
