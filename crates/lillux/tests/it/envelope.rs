//! Envelopes and identity files.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use lillux::envelope::{
    EnvelopeForm, EnvelopeIdentity, IdentityFileErrorKind, OpenErrorKind as Kind, Recipient, SealError,
    SecretEnvironment, open, open_environment, seal, seal_environment,
};
use lillux::stored_file::StoredFileError;
use proptest::prelude::*;
use secrecy::ExposeSecret;

const FORMS: [EnvelopeForm; 2] = [EnvelopeForm::Text, EnvelopeForm::Binary];

fn sealed(contents: &[u8], form: EnvelopeForm) -> (Vec<u8>, EnvelopeIdentity) {
    let identity = EnvelopeIdentity::generate();
    (seal(contents, &[identity.to_recipient()], form).unwrap(), identity)
}

fn refusal(envelope: &[u8], identity: &EnvelopeIdentity) -> Kind {
    open(envelope, identity).unwrap_err().into_kind()
}

#[test]
fn every_recipient_opens_it_and_nobody_else() {
    let identities: Vec<_> = (0..3).map(|_| EnvelopeIdentity::generate()).collect();
    let recipients: Vec<Recipient> = identities.iter().map(EnvelopeIdentity::to_recipient).collect();
    for form in FORMS {
        let envelope = seal(b"secret", &recipients, form).unwrap();
        for identity in &identities {
            assert_eq!(open(&envelope, identity).unwrap().expose_secret(), b"secret");
        }
        assert!(matches!(refusal(&envelope, &EnvelopeIdentity::generate()), Kind::WrongIdentity));
    }
}

#[test]
fn the_text_form_is_text() {
    let (envelope, _) = sealed(b"secret", EnvelopeForm::Text);
    let text = String::from_utf8(envelope).unwrap();
    assert!(text.starts_with("-----BEGIN AGE ENCRYPTED FILE-----\n"), "{text}");
    assert!(text.ends_with("-----END AGE ENCRYPTED FILE-----\n"), "{text}");
}

#[test]
fn the_number_of_recipients_has_bounds() {
    assert!(matches!(seal(b"", &[], EnvelopeForm::Text), Err(SealError::NoRecipients)));
    let identity = EnvelopeIdentity::generate();
    let many = vec![identity.to_recipient(); 500];
    let envelope = seal(b"secret", &many, EnvelopeForm::Binary).unwrap();
    assert_eq!(open(&envelope, &identity).unwrap().expose_secret(), b"secret");
    let too_many = vec![identity.to_recipient(); 501];
    let error = seal(b"secret", &too_many, EnvelopeForm::Binary).unwrap_err();
    assert!(matches!(error, SealError::TooManyRecipients { count: 501, limit: 500 }));
}

#[test]
fn something_else_is_not_an_envelope() {
    let identity = EnvelopeIdentity::generate();
    let pem = b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    let empty_armor = b"-----BEGIN AGE ENCRYPTED FILE-----\nAAAA\n-----END AGE ENCRYPTED FILE-----\n";
    for bytes in [&b""[..], b"{}", pem, empty_armor, &[0; 100]] {
        let kind = refusal(bytes, &identity);
        assert!(matches!(kind, Kind::NotAnEnvelope), "{bytes:?}: {kind}");
    }
    let later = b"age-encryption.org/v9\nwhatever comes then, in a version that is not known yet\n";
    assert!(matches!(refusal(later, &identity), Kind::UnknownVersion));
}

#[test]
fn an_endless_list_of_recipients_is_not_read() {
    let mut envelope = b"age-encryption.org/v1\n".to_vec();
    while envelope.len() < 1_000_000 {
        envelope.extend_from_slice(b"-> X25519 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n\n");
    }
    let kind = refusal(&envelope, &EnvelopeIdentity::generate());
    assert!(matches!(kind, Kind::HeaderTooLong { .. }), "{kind}");
}

#[test]
fn every_truncation_is_an_error() {
    for form in FORMS {
        let (envelope, identity) = sealed(b"secret", form);
        // The text form may lack its last line break.
        let whole = envelope.len() - usize::from(form == EnvelopeForm::Text);
        for length in 0..whole {
            let kind = refusal(&envelope[..length], &identity);
            let early = length < 34 && matches!(kind, Kind::NotAnEnvelope);
            assert!(early || matches!(kind, Kind::Damaged(_)), "{form:?} {length}: {kind}");
        }
    }
}

#[test]
fn a_truncation_between_chunks_is_an_error() {
    let chunk = 64 * 1024;
    let (envelope, identity) = sealed(&vec![7; 2 * chunk + 1], EnvelopeForm::Binary);
    let payload = envelope.len() - (2 * (chunk + 16) + 17);
    for chunks in 0..=2 {
        let kind = refusal(&envelope[..payload + chunks * (chunk + 16)], &identity);
        assert!(matches!(kind, Kind::Damaged(_)), "{chunks}: {kind}");
    }
}

#[test]
fn every_changed_byte_is_an_error() {
    for form in FORMS {
        let (envelope, identity) = sealed(b"secret", form);
        for position in 0..envelope.len() - usize::from(form == EnvelopeForm::Text) {
            let mut changed = envelope.clone();
            changed[position] ^= 1;
            assert!(open(&changed, &identity).is_err(), "{form:?} {position}");
        }
    }
}

#[test]
fn an_environment_is_told_from_other_contents() {
    let (envelope, identity) = sealed(b"not JSON", EnvelopeForm::Text);
    let error = open_environment(&envelope, &identity).unwrap_err();
    assert!(matches!(error.kind(), Kind::NotAnEnvironment(_)));
    assert_eq!(error.recipient(), &identity.to_recipient());
}

#[test]
fn secrets_stay_out_of_debug() {
    let (envelope, identity) = sealed(b"hunter2", EnvelopeForm::Text);
    let opened = open(&envelope, &identity).unwrap();
    let shown = format!("{opened:?} {identity:?}");
    assert!(!shown.contains("hunter2") && !shown.contains("104, 117"), "{shown}");
    assert!(!shown.contains("SECRET-KEY"), "{shown}");
}

#[test]
fn identity_files_are_for_their_owner_alone() {
    let space = tempfile::tempdir().unwrap();
    let path = space.path().join("keys/me.age");
    let identity = EnvelopeIdentity::generate();
    identity.create_file(&path).unwrap();
    assert_eq!(EnvelopeIdentity::load(&path).unwrap(), identity);
    let kind = EnvelopeIdentity::generate().create_file(&path).unwrap_err().into_kind();
    assert!(matches!(kind, IdentityFileErrorKind::File(StoredFileError::AlreadyExists)));

    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let kind = EnvelopeIdentity::load(&path).unwrap_err().into_kind();
    assert!(matches!(kind, IdentityFileErrorKind::File(StoredFileError::FileMode { mode: 0o644, .. })));
    let kind = EnvelopeIdentity::load(&path.with_file_name("none")).unwrap_err().into_kind();
    assert!(matches!(kind, IdentityFileErrorKind::File(StoredFileError::NotFound)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn contents_round_trip(contents: Vec<u8>, text: bool) {
        let form = if text { EnvelopeForm::Text } else { EnvelopeForm::Binary };
        let (envelope, identity) = sealed(&contents, form);
        let opened = open(&envelope, &identity).unwrap();
        prop_assert_eq!(opened.expose_secret(), contents);
    }

    #[test]
    fn environments_round_trip(variables in proptest::collection::btree_map("[^=\0]{1,9}", "[^\0]{0,30}", 0..5)) {
        let variables: BTreeMap<String, String> = variables;
        let identity = EnvelopeIdentity::generate();
        let environment = SecretEnvironment::try_from(variables.clone()).unwrap();
        let envelope = seal_environment(&environment, &[identity.to_recipient()], EnvelopeForm::Text).unwrap();
        let opened: BTreeMap<String, String> = open_environment(&envelope, &identity)
            .unwrap()
            .iter()
            .map(|(name, value)| (name.to_owned(), value.expose_secret().to_owned()))
            .collect();
        prop_assert_eq!(opened, variables);
    }

    #[test]
    fn nothing_that_is_read_panics(bytes: Vec<u8>, text in ".{0,80}") {
        let identity = EnvelopeIdentity::generate();
        let _ = open(&bytes, &identity);
        let _ = open(&[b"age-encryption.org/v1\n", bytes.as_slice()].concat(), &identity);
        let _ = open(&[b"-----BEGIN AGE ENCRYPTED FILE-----\n", text.as_bytes()].concat(), &identity);
        let _ = text.parse::<Recipient>();
        let _ = text.parse::<EnvelopeIdentity>();
    }
}
