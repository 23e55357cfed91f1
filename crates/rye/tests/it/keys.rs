//! `rye keys`, when all goes well.

use std::io::Write;
use std::process::Stdio;

use insta::assert_snapshot;
use insta::internals::SettingsBindDropGuard;
use lillux::keys::SigningKey;

use crate::space::TestSpace;

/// A space in which nothing is said about keys yet. Snapshots show placeholders for what differs from key to key.
pub(crate) struct KeySpace {
    _filters: SettingsBindDropGuard,
    space: TestSpace,
}

impl KeySpace {
    pub(crate) fn new() -> Self {
        let space = TestSpace::new();
        let mut settings = insta::Settings::clone_current();
        for (pattern, placeholder) in [
            (r"MCow[A-Za-z0-9+/]{55}=", "[BODY]"),
            (r#""[A-Za-z0-9+/]{43}=""#, r#""[BASE64]""#),
            (r"\b[0-9a-f]{32}\b", "[KEY]"),
            (r"\b[0-9a-f]{8}\b", "[DIGITS]"),
            (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "[TIME]"),
        ] {
            settings.add_filter(pattern, placeholder);
        }
        Self { _filters: settings.bind_to_scope(), space }
    }

    /// A space with a signing key.
    pub(crate) fn with_key() -> Self {
        let space = Self::new();
        assert_eq!(space.rye(["keys", "generate", "--owner", "ada"]).output().status.code(), Some(0));
        space
    }

    /// The id of the signing key.
    pub(crate) fn own_id(&self) -> String {
        self.rye(["keys", "show"]).json()["id"].as_str().unwrap().to_owned()
    }
}

impl std::ops::Deref for KeySpace {
    type Target = TestSpace;

    fn deref(&self) -> &TestSpace {
        &self.space
    }
}

pub(crate) fn bob() -> SigningKey {
    SigningKey::from_seed(&[7; 32])
}

#[test]
fn a_key_is_made_and_listed() {
    let space = KeySpace::new();
    assert_snapshot!(space.rye(["keys", "list"]).show(), @"
    $ rye keys list
    exit code: 1
    --- stderr
    note: there are no keys in `[SPACE]/home/.ai/keys`
    hint: run `rye keys generate`
    ");
    assert_snapshot!(space.rye(["keys", "generate"]).set("USER", "ada").show(), @"
    $ USER=ada rye keys generate
    exit code: 0
    --- stdout
    key     [KEY]
    owner   ada
    status  trusted since [TIME]
    use     signing
    file    [SPACE]/home/.ai/keys/signing.pem

    -----BEGIN PUBLIC KEY-----
    [BODY]
    -----END PUBLIC KEY-----
    ");
    assert_snapshot!(space.rye(["keys", "list"]).show(), @"
    $ rye keys list
    exit code: 0
    --- stdout
    [KEY]  ada  trusted since [TIME]  signing
    ");
    assert_snapshot!(space.rye(["keys", "list", "--json"]).show(), @r#"
    $ rye keys list --json
    exit code: 0
    --- stdout
    {
      "folder": "[SPACE]/home/.ai/keys",
      "keys": [
        {
          "id": "[KEY]",
          "owner": "ada",
          "status": "trusted",
          "signing": true,
          "trusted_at": "[TIME]",
          "public_key": "-----BEGIN PUBLIC KEY-----\n[BODY]\n-----END PUBLIC KEY-----\n",
          "file": "[SPACE]/home/.ai/keys/signing.pem",
          "passphrase": false
        }
      ]
    }
    "#);
    assert_snapshot!(space.rye(["keys", "generate", "--rotate", "--owner", "ada at work"]).show(), @"
    $ rye keys generate --rotate --owner 'ada at work'
    exit code: 0
    --- stdout
    key     [KEY]
    owner   ada at work
    status  trusted since [TIME]
    use     signing
    file    [SPACE]/home/.ai/keys/signing.pem
    kept    [SPACE]/home/.ai/keys/signing-[KEY].pem

    -----BEGIN PUBLIC KEY-----
    [BODY]
    -----END PUBLIC KEY-----
    ");
    let listed = space.rye(["keys", "list"]).json();
    let owners: Vec<_> = listed["keys"].as_array().unwrap().iter().map(|key| key["owner"].clone()).collect();
    assert_eq!(owners, ["ada at work", "ada"]);
    let nameless = KeySpace::new();
    assert_eq!(nameless.rye(["keys", "generate"]).json()["owner"], "me");
}

#[test]
fn keys_are_in_the_user_space() {
    let space = KeySpace::new();
    let elsewhere = space.path("elsewhere");
    space.rye(["keys", "generate"]).set("USER_SPACE", elsewhere).output();
    assert!(space.path("elsewhere/.ai/keys/signing.pem").is_file());
    assert!(!space.path("home/.ai").exists() && !space.path("project/.ai/keys").exists());
}

#[test]
fn what_one_exports_another_trusts() {
    let (space, other) = (KeySpace::with_key(), KeySpace::with_key());
    let toml = other.rye(["keys", "export", "--toml"]).output().stdout;
    space.write("project/ada.toml", &toml);
    space.write("project/bob.pem", bob().public_key().to_pem().unwrap());
    assert_snapshot!(other.rye(["keys", "export", "--toml"]).show(), @r#"
    $ rye keys export --toml
    exit code: 0
    --- stdout
    owner = "ada"
    public_key = "[BASE64]"
    "#);
    assert_snapshot!(other.rye(["keys", "export"]).show(), @"
    $ rye keys export
    exit code: 0
    --- stdout
    -----BEGIN PUBLIC KEY-----
    [BODY]
    -----END PUBLIC KEY-----
    ");
    assert_snapshot!(space.rye(["keys", "trust", "ada.toml", "--owner", "another ada"]).show(), @"
    $ rye keys trust ada.toml --owner 'another ada'
    exit code: 0
    --- stdout
    key     [KEY]
    owner   another ada
    status  trusted since [TIME]
    file    [SPACE]/home/.ai/keys/trusted/[KEY].toml

    -----BEGIN PUBLIC KEY-----
    [BODY]
    -----END PUBLIC KEY-----
    ");
    assert_snapshot!(space.rye(["keys", "trust", "bob.pem", "--owner", "bob", "--json"]).show(), @r#"
    $ rye keys trust bob.pem --owner bob --json
    exit code: 0
    --- stdout
    {
      "id": "[KEY]",
      "owner": "bob",
      "status": "trusted",
      "signing": false,
      "trusted_at": "[TIME]",
      "public_key": "-----BEGIN PUBLIC KEY-----\n[BODY]\n-----END PUBLIC KEY-----\n",
      "file": "[SPACE]/home/.ai/keys/trusted/[KEY].toml"
    }
    "#);
    let again = space.rye(["keys", "trust", "bob.pem", "--owner", "bob"]).json();
    assert_eq!((again["status"].as_str(), again["owner"].as_str()), (Some("trusted"), Some("bob")));
    let id = bob().public_key().id().to_string();
    assert_snapshot!(space.rye(["keys", "export", &id[..8], "--toml"]).show(), @r#"
    $ rye keys export [DIGITS] --toml
    exit code: 0
    --- stdout
    owner = "bob"
    public_key = "[BASE64]"
    "#);
    assert_snapshot!(space.rye(["keys", "show", &id[..8]]).show(), @"
    $ rye keys show [DIGITS]
    exit code: 0
    --- stdout
    key     [KEY]
    owner   bob
    status  trusted since [TIME]
    file    [SPACE]/home/.ai/keys/trusted/[KEY].toml

    -----BEGIN PUBLIC KEY-----
    [BODY]
    -----END PUBLIC KEY-----
    ");
}

#[test]
fn a_key_is_revoked() {
    let space = KeySpace::with_key();
    space.write("project/bob.pem", bob().public_key().to_pem().unwrap());
    space.rye(["keys", "trust", "bob.pem", "--owner", "bob"]).output();
    let id = bob().public_key().id().to_string();
    let call = space.rye(["keys", "revoke", &id[..8], "--reason", "his laptop was stolen"]);
    assert_snapshot!(call.show(), @"
    $ rye keys revoke [DIGITS] --reason 'his laptop was stolen'
    exit code: 0
    --- stdout
    key     [KEY]
    owner   bob
    status  revoked on [TIME]: his laptop was stolen
    file    [SPACE]/home/.ai/keys/trusted/[KEY].toml

    -----BEGIN PUBLIC KEY-----
    [BODY]
    -----END PUBLIC KEY-----
    ");
    assert_snapshot!(space.rye(["keys", "list"]).show(), @"
    $ rye keys list
    exit code: 0
    --- stdout
    [KEY]  ada  trusted since [TIME]                      signing
    [KEY]  bob  revoked on [TIME]: his laptop was stolen
    ");
    assert_snapshot!(space.rye(["keys", "show", &id[..8], "--json"]).show(), @r#"
    $ rye keys show [DIGITS] --json
    exit code: 0
    --- stdout
    {
      "id": "[KEY]",
      "owner": "bob",
      "status": "revoked",
      "signing": false,
      "trusted_at": "[TIME]",
      "public_key": "-----BEGIN PUBLIC KEY-----\n[BODY]\n-----END PUBLIC KEY-----\n",
      "file": "[SPACE]/home/.ai/keys/trusted/[KEY].toml",
      "revoked_at": "[TIME]",
      "reason": "his laptop was stolen"
    }
    "#);
    let own = space.own_id();
    assert_snapshot!(space.rye(["keys", "revoke", &own, "--yes"]).show(), @"
    $ rye keys revoke [KEY] --yes
    exit code: 0
    --- stdout
    key     [KEY]
    owner   ada
    status  revoked on [TIME]
    use     signing
    file    [SPACE]/home/.ai/keys/signing.pem

    -----BEGIN PUBLIC KEY-----
    [BODY]
    -----END PUBLIC KEY-----
    --- stderr
    hint: run `rye keys generate --rotate`, and sign again
    ");
    // One that nobody has ever seen.
    assert_snapshot!(space.rye(["keys", "revoke", &"0123456789abcdef".repeat(2)]).show(), @"
    $ rye keys revoke [KEY]
    exit code: 0
    --- stdout
    key     [KEY]
    status  revoked on [TIME]
    ");
}

#[test]
fn a_key_is_imported_from_a_file_from_standard_input_and_from_the_environment() {
    let pem = bob().to_pem(None).unwrap().to_string();
    let space = KeySpace::new();
    space.write("project/bob.key", &pem);
    assert_snapshot!(space.rye(["keys", "import", "bob.key", "--owner", "bob"]).show(), @"
    $ rye keys import bob.key --owner bob
    exit code: 0
    --- stdout
    key     [KEY]
    owner   bob
    status  trusted since [TIME]
    use     signing
    file    [SPACE]/home/.ai/keys/signing.pem

    -----BEGIN PUBLIC KEY-----
    [BODY]
    -----END PUBLIC KEY-----
    ");
    // The same one again changes nothing.
    assert_eq!(space.rye(["keys", "import", "bob.key"]).json()["owner"], "bob");

    let space = KeySpace::new();
    let call = space.rye(["keys", "import", "-"]);
    let mut child = call.command().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(pem.as_bytes()).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(space.own_id(), bob().public_key().id().to_string());

    let space = KeySpace::new();
    space.rye(["keys", "import", "--from-env"]).set("RYE_SIGNING_KEY", &pem).output();
    assert_eq!(space.own_id(), bob().public_key().id().to_string());
    // What is exported can be imported.
    let private = space.rye(["keys", "export", "--private"]).output().stdout;
    let other = KeySpace::new();
    other.write("project/private.pem", private);
    assert_eq!(
        other.rye(["keys", "import", "private.pem"]).json()["id"],
        bob().public_key().id().to_string()
    );
}
