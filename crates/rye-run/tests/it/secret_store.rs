//! Secrets in real files.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rye_env::ProcessEnvironment;
use rye_run::secrets::{SecretError, SecretName, SecretStore, SecretValues, ValueProblem};
use secrecy::{ExposeSecret, SecretString};

use crate::{process, tool, with_sources};

fn store() -> (tempfile::TempDir, SecretStore) {
    let space = tempfile::tempdir().unwrap();
    let store = SecretStore::open(&space.path().join(".ai"), &ProcessEnvironment::default());
    (space, store)
}

fn name(text: &str) -> SecretName {
    SecretName::new(text).unwrap()
}

fn secret(text: &str) -> SecretString {
    text.to_owned().into()
}

fn get(store: &SecretStore, names: &[&str]) -> Result<SecretValues, SecretError> {
    let names: Vec<_> = names.iter().map(|text| name(text)).collect();
    store.get(&names, &tool("my/tool"))
}

fn exposed(values: &SecretValues) -> Vec<(String, String)> {
    values.iter().map(|(name, value)| (name.to_owned(), value.expose_secret().to_owned())).collect()
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn secrets_are_set_replaced_listed_and_removed() {
    let (_space, store) = store();
    assert_eq!(store.names().unwrap(), []);
    assert!(!store.remove(&name("TOKEN")).unwrap());
    store.set(&name("TOKEN"), &secret("first")).unwrap();
    store.set(&name("KEY"), &secret("-----BEGIN-----\n\"ü\"\n")).unwrap();
    store.set(&name("TOKEN"), &secret("second")).unwrap();
    assert_eq!(store.names().unwrap(), [name("KEY"), name("TOKEN")]);
    let values = get(&store, &["TOKEN", "KEY", "TOKEN"]).unwrap();
    assert_eq!(exposed(&values), [pair("KEY", "-----BEGIN-----\n\"ü\"\n"), pair("TOKEN", "second")]);
    assert!(store.remove(&name("TOKEN")).unwrap());
    assert_eq!(store.names().unwrap(), [name("KEY")]);
    assert!(matches!(get(&store, &["TOKEN"]), Err(SecretError::Missing { .. })));
}

#[test]
fn a_tool_without_secrets_touches_nothing() {
    let (space, store) = store();
    assert!(get(&store, &[]).unwrap().is_empty());
    assert!(files(space.path()).is_empty());
}

#[test]
fn only_the_owner_gets_in_and_finds_nothing_in_the_clear() {
    let (space, store) = store();
    store.set(&name("TOKEN"), &secret("hunter2hunter2")).unwrap();
    assert_eq!(mode(store.folder()), 0o700);
    let folder = space.path().join(".ai/secrets");
    assert_eq!(files(&folder), [folder.join("TOKEN.age"), folder.join("identity")]);
    for file in files(&folder) {
        assert_eq!(mode(&file), 0o600);
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(7).any(|window| window == b"hunter2"));
    }
    let values = get(&store, &["TOKEN"]).unwrap();
    assert!(!format!("{values:?} {store:?}").contains("hunter2"));
}

#[test]
fn all_that_is_missing_is_said_at_once() {
    let (_space, store) = store();
    store.set(&name("KEY"), &secret("value")).unwrap();
    let error = get(&store, &["TOKEN", "KEY", "OTHER"]).unwrap_err();
    assert_eq!(error.to_string(), "`tool:my/tool` needs secrets `TOKEN`, `OTHER`, which nobody has set");
    let SecretError::Missing { names, wanted_by } = error else { panic!("another error") };
    assert_eq!((names, wanted_by), (vec![name("TOKEN"), name("OTHER")], tool("my/tool")));
}

#[test]
fn wrong_permissions_are_refused_with_what_repairs_them() {
    let (_space, store) = store();
    store.set(&name("TOKEN"), &secret("value")).unwrap();
    let file = store.folder().join("TOKEN.age");
    let identity = store.folder().join("identity");
    let message = |store: &SecretStore| with_sources(&get(store, &["TOKEN"]).unwrap_err());

    chmod(&file, 0o640);
    let expect = format!("its mode 0640 lets others in: run `chmod 600 {file:?}`");
    assert_eq!(message(&store), format!("cannot get secret `TOKEN` in `{}`: {expect}", file.display()));
    chmod(&file, 0o600);

    chmod(&identity, 0o604);
    let expect = format!("its mode 0604 lets others in: run `chmod 600 {identity:?}`");
    assert_eq!(
        message(&store),
        format!(
            "cannot use the key of the secrets: cannot load identity file `{}`: {expect}",
            identity.display()
        )
    );
    chmod(&identity, 0o600);

    chmod(store.folder(), 0o755);
    let repair = format!("run `chmod 700 {:?}`", store.folder());
    assert!(message(&store).ends_with(&repair));
    let set = store.set(&name("OTHER"), &secret("value")).unwrap_err();
    assert!(with_sources(&set).ends_with(&repair));
    chmod(store.folder(), 0o700);
    assert_eq!(store.names().unwrap(), [name("TOKEN")]);
}

#[test]
fn values_that_cannot_be_kept_are_refused() {
    let (_space, store) = store();
    let limit = SecretStore::VALUE_LIMIT;
    for (value, expect) in [
        (String::new(), ValueProblem::Empty),
        ("a\0b".to_owned(), ValueProblem::Nul),
        ("a".repeat(limit + 1), ValueProblem::TooLong { limit }),
        // Each takes six bytes where it is sealed.
        ("\u{1}".repeat(limit), ValueProblem::TooLong { limit }),
    ] {
        let error = store.set(&name("TOKEN"), &value.into()).unwrap_err();
        assert!(matches!(error, SecretError::Value { problem, .. } if problem == expect), "{error:?}");
    }
    assert_eq!(store.names().unwrap(), []);
    let longest = "a".repeat(limit);
    store.set(&name("TOKEN"), &secret(&longest)).unwrap();
    assert_eq!(exposed(&get(&store, &["TOKEN"]).unwrap()), [pair("TOKEN", &longest)]);
}

#[test]
fn damaged_and_exchanged_files_are_not_taken_for_secrets() {
    let (_space, store) = store();
    store.set(&name("TOKEN"), &secret("value")).unwrap();
    store.set(&name("OTHER"), &secret("other")).unwrap();
    std::fs::copy(store.folder().join("OTHER.age"), store.folder().join("TOKEN.age")).unwrap();
    assert!(matches!(get(&store, &["TOKEN"]), Err(SecretError::Renamed { .. })));
    std::fs::write(store.folder().join("TOKEN.age"), "value").unwrap();
    assert!(matches!(get(&store, &["TOKEN"]), Err(SecretError::Open { .. })));
    std::fs::remove_file(store.folder().join("identity")).unwrap();
    assert!(matches!(get(&store, &["OTHER"]), Err(SecretError::Key(_))));
    std::fs::write(store.folder().join("notes.txt"), "").unwrap();
    std::fs::write(store.folder().join("lower.age"), "").unwrap();
    assert_eq!(store.names().unwrap(), [name("OTHER"), name("TOKEN")]);
}

const ROUNDS: usize = 10;

/// The body of a process that sets secrets. Without orders it has nothing to do.
#[test]
#[ignore = "another test here runs it, as processes of its own"]
fn setter() {
    let Some(space) = process::orders() else { return };
    let store = SecretStore::open(space.as_ref(), &ProcessEnvironment::default());
    let own = name(&format!("OWN_{}", std::process::id()));
    for round in 1..=ROUNDS {
        store.set(&own, &secret(&format!("value {round}"))).unwrap();
        store.set(&name("SHARED"), &secret(&"shared".repeat(round))).unwrap();
        // Whoever reads meanwhile finds one of the values, whole.
        let shared = store.get(&[name("SHARED")], &tool("my/tool")).unwrap();
        assert_eq!(exposed(&shared)[0].1.replace("shared", ""), "");
    }
}

#[test]
fn processes_that_set_at_once_lose_nothing() {
    let (space, store) = store();
    let root = space.path().join(".ai");
    // There is no key yet, so they all try to make it.
    let setters: Vec<_> = (0..4).map(|_| process::start("secret_store::setter", &root)).collect();
    for setter in setters {
        let own = format!("OWN_{}", setter.id());
        assert!(setter.wait_with_output().unwrap().status.success());
        assert_eq!(exposed(&get(&store, &[&own]).unwrap()), [pair(&own, &format!("value {ROUNDS}"))]);
    }
    assert_eq!(files(store.folder()).len(), 6, "four secrets, the shared one, and the key");
}
