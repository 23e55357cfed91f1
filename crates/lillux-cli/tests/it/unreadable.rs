//! Files that are there, but not for us.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::identity::{Identity, SharedFolder};

const SIGNATURE: &str =
    "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw";
const RECIPIENT: &str = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";

#[test]
fn an_ordinary_user_is_told_what_is_closed() {
    let folder = SharedFolder::new();
    let (file, closed) = (folder.path("file"), folder.path("closed"));
    std::fs::write(&file, "hello").unwrap();
    std::fs::create_dir(&closed).unwrap();
    for path in [&file, &closed] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o000)).unwrap();
    }
    let (file, closed) = (file.to_str().unwrap(), closed.to_str().unwrap());
    // Nothing is closed to root.
    for identity in Identity::all().iter().filter(|identity| !identity.is_root()) {
        for (args, expect) in [
            (&["exec", "--stdin-file", file, "--", "true"][..], "IO"),
            (&["exec", "--cwd", closed, "--", "true"], "CWD_INVALID"),
            (&["exec", "--", file], "NOT_EXECUTABLE"),
            (&["spawn", "--log", file, "--", "true"], "OUTPUT_NOT_WRITABLE"),
            (&["watch", &format!("{closed}/file")], "IO"),
            (&["cas", "--root", closed, "put"], "IO"),
            (&["cas", "--root", closed, "list"], "IO"),
            (&["verify", "--key", file, "--signature", SIGNATURE], "IO"),
            (&["keypair", "show", file], "IO"),
            (&["envelope", "seal", "--to", RECIPIENT, file], "IO"),
            (&["envelope", "seal", "--to", RECIPIENT, "--env-file", file], "IO"),
            (
                &["envelope", "seal", "--to", RECIPIENT, "--output", &format!("{closed}/out"), "/dev/null"],
                "OUTPUT_NOT_WRITABLE",
            ),
        ] {
            let output = identity.command(folder.lillux()).args(args).output().unwrap();
            assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), &[][..]), "{output:?}");
            let failure: Value = serde_json::from_slice(&output.stderr).unwrap();
            assert_eq!(failure["code"], expect, "{args:?}: {failure}");
            assert!(
                failure["message"].as_str().unwrap().ends_with("Permission denied (os error 13)"),
                "{failure}"
            );
        }
    }
    std::fs::set_permissions(closed, PermissionsExt::from_mode(0o700)).unwrap();
}

#[test]
fn one_cannot_enter_a_folder_of_ones_own_that_is_closed() {
    for identity in Identity::all().iter().filter(|identity| !identity.is_root()) {
        let folder = SharedFolder::new();
        let closed = folder.path("closed");
        std::fs::create_dir(&closed).unwrap();
        identity.take(&closed);
        std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o000)).unwrap();
        let mut exec = identity.command(folder.lillux());
        let output = exec.args(["exec", "--cwd"]).arg(&closed).args(["--", "true"]).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let failure: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(failure["code"], "CWD_INVALID");
        std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o700)).unwrap();
    }
}
