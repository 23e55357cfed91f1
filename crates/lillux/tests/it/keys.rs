//! Keys, signatures and key files.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Barrier;

use lillux::keys::{
    KeyFileErrorKind, ParseKeyErrorKind as Kind, Passphrase, PublicKey, Signature, SigningKey,
};
use lillux::stored_file::StoredFileError;
use proptest::prelude::*;

use crate::peer::{hex, unhex};

/// Section 7.1 of RFC 8032: private key, public key, message, signature.
const RFC_8032: [[&str; 4]; 4] = [
    [
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b\
         d25bf5f0595bbe24655141438e7a100b",
    ],
    [
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c\
         387b2eaeb4302aeeb00d291612bb0c00",
    ],
    [
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659\
         4a7c15e9716ed28dc027beceea1ec40a",
    ],
    [
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd\
         454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030\
         3dca179c138ac17ad9bef1177331a704",
    ],
];

/// Section 10.3 of RFC 8410: a key, the same with its public key beside it, and its public key.
const RFC_8410: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
";
const RFC_8410_WITH_PUBLIC: &str = "-----BEGIN PRIVATE KEY-----
MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB
Z9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PRIVATE KEY-----
";
const RFC_8410_PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
";

fn array<const N: usize>(text: &str) -> [u8; N] {
    unhex(text).try_into().unwrap()
}

fn private_kind(text: impl AsRef<[u8]>) -> Kind {
    SigningKey::from_pem(text, None).unwrap_err().into_kind()
}

fn public_kind(text: impl AsRef<[u8]>) -> Kind {
    PublicKey::from_pem(text).unwrap_err().into_kind()
}

fn secret(text: &str) -> Passphrase {
    Passphrase::from(text.to_owned())
}

#[test]
fn rfc_8032_vectors() {
    for [seed, public, message, signature] in RFC_8032 {
        let key = SigningKey::from_seed(&array(seed));
        let message = unhex(message);
        assert_eq!(hex(key.public_key().as_bytes()), public);
        assert_eq!(hex(key.sign(&message).as_bytes()), signature);
        let public = PublicKey::from_bytes(&array(public)).unwrap();
        public.verify(&message, &Signature::from_bytes(array(signature))).unwrap();
    }
}

#[test]
fn points_of_small_order_are_not_keys() {
    for point in [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    ] {
        let kind = PublicKey::from_bytes(&array(point)).unwrap_err().into_kind();
        assert!(matches!(kind, Kind::Weak), "{point}: {kind}");
        let der = [unhex("302a300506032b6570032100"), unhex(point)].concat();
        let kind = public_kind(pem("PUBLIC KEY", &der));
        assert!(matches!(kind, Kind::Weak), "{point}: {kind}");
    }
}

#[test]
fn second_spellings_of_a_point_are_not_keys() {
    // The prime is 2^255 - 19, so the numbers from it to 2^255 - 1 spell the coordinates 0 to 18 once more.
    let mut second_spellings = 0;
    for last in 0xED..=0xFF {
        for sign in [0x7F, 0xFF] {
            let mut bytes = [0xFF; 32];
            (bytes[0], bytes[31]) = (last, sign);
            match PublicKey::from_bytes(&bytes).unwrap_err().into_kind() {
                Kind::NonCanonical => second_spellings += 1,
                kind => assert!(matches!(kind, Kind::NotAPoint | Kind::Weak), "{}: {kind}", hex(&bytes)),
            }
        }
    }
    assert!(second_spellings > 10, "{second_spellings}");
}

#[test]
fn a_malleated_signature_does_not_verify() {
    // The order of the group. A scalar to which it is added satisfies the same equation.
    let order: [u8; 32] = array("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    for [_, public, message, signature] in RFC_8032 {
        let mut bytes: [u8; 64] = array(signature);
        let mut carry = 0;
        for (byte, addend) in bytes[32..].iter_mut().zip(order) {
            let sum = u16::from(*byte) + u16::from(addend) + carry;
            [*byte, _] = sum.to_le_bytes();
            carry = sum >> 8;
        }
        assert_eq!(carry, 0);
        let public = PublicKey::from_bytes(&array(public)).unwrap();
        let error = public.verify(&unhex(message), &Signature::from_bytes(bytes)).unwrap_err();
        assert_eq!(error.key(), public.id());
    }
}

#[test]
fn a_signature_with_a_point_of_small_order_does_not_verify() {
    let key = SigningKey::generate().unwrap();
    let mut bytes = *key.sign(b"message").as_bytes();
    bytes[..32].copy_from_slice(&[0; 32]);
    assert!(key.public_key().verify(b"message", &Signature::from_bytes(bytes)).is_err());
}

#[test]
fn rfc_8410_examples() {
    let key = SigningKey::from_pem(RFC_8410, None).unwrap();
    let same = SigningKey::from_pem(RFC_8410_WITH_PUBLIC, None).unwrap();
    let public = PublicKey::from_pem(RFC_8410_PUBLIC).unwrap();
    assert_eq!((key.public_key(), same.public_key()), (public, public));
    assert_eq!(*same.to_pem(None).unwrap(), RFC_8410, "the form that everybody reads");
    assert_eq!(public.to_pem().unwrap(), RFC_8410_PUBLIC);
}

#[test]
fn wrong_texts_are_told_apart() {
    assert!(matches!(private_kind(""), Kind::NotPem));
    assert!(matches!(private_kind([0xFF, 0x00]), Kind::NotPem));
    assert!(matches!(private_kind("AGE-SECRET-KEY-1"), Kind::NotPem));
    assert!(matches!(private_kind(RFC_8410_PUBLIC), Kind::Label { found, .. } if found == "PUBLIC KEY"));
    assert!(matches!(public_kind(RFC_8410), Kind::Label { found, .. } if found == "PRIVATE KEY"));
    let ssh = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----\n";
    assert!(matches!(private_kind(ssh), Kind::Label { found, .. } if found == "OPENSSH PRIVATE KEY"));
    assert!(matches!(private_kind(RFC_8410.replace("MC4C", "M!4C")), Kind::Pem(_)));
    assert!(matches!(private_kind(RFC_8410.replace("MC4C", "MC8C")), Kind::Der(_)));
    let x25519 = RFC_8410.replace("K2Vw", "K2Vu");
    assert!(matches!(private_kind(x25519), Kind::Algorithm { oid } if oid == "1.3.101.110"));
    let x25519 = RFC_8410_PUBLIC.replace("K2Vw", "K2Vu");
    assert!(matches!(public_kind(x25519), Kind::Algorithm { oid } if oid == "1.3.101.110"));
    let foreign = RFC_8410_WITH_PUBLIC.replace("ZuE=", "ZuI=");
    assert!(matches!(private_kind(foreign), Kind::Mismatch));
}

#[test]
fn every_truncation_is_an_error() {
    // Without the last line break it is still whole.
    for length in 0..RFC_8410.len() - 1 {
        let kind = private_kind(&RFC_8410[..length]);
        assert!(matches!(kind, Kind::NotPem | Kind::Truncated), "{length}: {kind}");
    }
    for length in 0..RFC_8410_PUBLIC.len() - 1 {
        let kind = public_kind(&RFC_8410_PUBLIC[..length]);
        assert!(matches!(kind, Kind::NotPem | Kind::Truncated), "{length}: {kind}");
    }
}

#[test]
fn a_passphrase_is_needed_and_has_to_fit() {
    let key = SigningKey::generate().unwrap();
    let text = key.to_pem(Some(&secret("open sesame"))).unwrap();
    assert!(matches!(private_kind(text.as_bytes()), Kind::PassphraseMissing));
    let wrong = SigningKey::from_pem(text.as_bytes(), Some(&secret("open barley"))).unwrap_err();
    assert!(matches!(wrong.kind(), Kind::PassphraseWrong), "{wrong:?}");
    let right = SigningKey::from_pem(text.as_bytes(), Some(&secret("open sesame"))).unwrap();
    assert_eq!(right.public_key(), key.public_key());
}

#[test]
fn debug_shows_no_secret() {
    let key = SigningKey::from_seed(&[0xAB; 32]);
    let shown = format!("{key:?} {:?}", secret("open sesame"));
    assert!(shown.contains(&key.public_key().id().to_string()), "{shown}");
    assert!(!shown.contains("171") && !shown.contains("abab") && !shown.contains("sesame"), "{shown}");
}

#[test]
fn files_round_trip() {
    let space = tempfile::tempdir().unwrap();
    let (private, public) = (space.path().join("keys/me.pem"), space.path().join("keys/me.pub.pem"));
    let key = SigningKey::generate().unwrap();
    key.create_file(&private, None).unwrap();
    key.public_key().create_file(&public).unwrap();
    assert_eq!(SigningKey::load(&private, None).unwrap().public_key(), key.public_key());
    assert_eq!(PublicKey::load(&public).unwrap(), key.public_key());
    assert_eq!(mode(&private), 0o600);
    assert_eq!(mode(&space.path().join("keys")), 0o700);
}

#[test]
fn a_key_file_is_never_replaced() {
    let space = tempfile::tempdir().unwrap();
    let path = space.path().join("keys/me.pem");
    let (first, second) = (SigningKey::generate().unwrap(), SigningKey::generate().unwrap());
    first.create_file(&path, None).unwrap();
    let error = second.create_file(&path, None).unwrap_err();
    assert!(matches!(error.kind(), KeyFileErrorKind::File(StoredFileError::AlreadyExists)));
    let error = second.public_key().create_file(&path).unwrap_err();
    assert!(matches!(error.kind(), KeyFileErrorKind::File(StoredFileError::AlreadyExists)));
    assert_eq!(SigningKey::load(&path, None).unwrap().public_key(), first.public_key());
}

#[test]
fn a_key_file_that_others_can_reach_is_not_loaded() {
    let space = tempfile::tempdir().unwrap();
    let (folder, path) = (space.path().join("keys"), space.path().join("keys/me.pem"));
    SigningKey::generate().unwrap().create_file(&path, None).unwrap();
    let refusal = |path: &Path| SigningKey::load(path, None).unwrap_err();

    chmod(&path, 0o640);
    let error = refusal(&path);
    assert!(matches!(error.kind(), KeyFileErrorKind::File(StoredFileError::FileMode { mode: 0o640, .. })));
    let reason = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(reason, format!("its mode 0640 lets others in: run `chmod 600 {path:?}`"));

    chmod(&path, 0o600);
    chmod(&folder, 0o755);
    let error = refusal(&path);
    assert!(matches!(error.kind(), KeyFileErrorKind::File(StoredFileError::FolderMode { mode: 0o755, .. })));
    let reason = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(reason, format!("mode 0755 of its folder lets others in: run `chmod 700 {folder:?}`"));

    chmod(&folder, 0o700);
    symlink(&path, folder.join("link.pem")).unwrap();
    let error = refusal(&folder.join("link.pem"));
    assert!(matches!(error.kind(), KeyFileErrorKind::File(StoredFileError::Symlink)));
    assert!(SigningKey::load(&path, None).is_ok());
}

#[test]
fn of_many_who_create_one_key_file_one_wins() {
    const RIVALS: usize = 16;
    let space = tempfile::tempdir().unwrap();
    let path = space.path().join("keys/me.pem");
    let barrier = Barrier::new(RIVALS);
    let winners: Vec<SigningKey> = std::thread::scope(|scope| {
        let rivals: Vec<_> = (0..RIVALS)
            .map(|_| {
                scope.spawn(|| {
                    let key = SigningKey::generate().unwrap();
                    barrier.wait();
                    match key.create_file(&path, None) {
                        Ok(()) => Some(key),
                        Err(error) => {
                            let kind = error.kind();
                            assert!(
                                matches!(kind, KeyFileErrorKind::File(StoredFileError::AlreadyExists)),
                                "{error:?}"
                            );
                            None
                        }
                    }
                })
            })
            .collect();
        rivals.into_iter().filter_map(|rival| rival.join().unwrap()).collect()
    });
    let [winner] = winners.as_slice() else { panic!("{winners:?}") };
    assert_eq!(SigningKey::load(&path, None).unwrap().public_key(), winner.public_key());
    assert_eq!(std::fs::read_dir(space.path().join("keys")).unwrap().count(), 1);
}

proptest! {
    #[test]
    fn pem_round_trips(seed: [u8; 32]) {
        let key = SigningKey::from_seed(&seed);
        let read = SigningKey::from_pem(key.to_pem(None).unwrap().as_bytes(), None).unwrap();
        prop_assert_eq!(read.public_key(), key.public_key());
        let public = PublicKey::from_pem(key.public_key().to_pem().unwrap()).unwrap();
        prop_assert_eq!(public, key.public_key());
        prop_assert_eq!(public.id().to_string().parse(), Ok(public.id()));
    }

    #[test]
    fn only_the_message_that_was_signed_verifies(seed: [u8; 32], message: Vec<u8>, other: Vec<u8>) {
        let key = SigningKey::from_seed(&seed);
        let signature = key.sign(&message);
        prop_assert!(key.public_key().verify(&message, &signature).is_ok());
        prop_assert_eq!(key.public_key().verify(&other, &signature).is_ok(), message == other);
    }

    #[test]
    fn a_signature_with_any_bit_flipped_does_not_verify(seed: [u8; 32], bit in 0_usize..512) {
        let key = SigningKey::from_seed(&seed);
        let mut bytes = *key.sign(b"message").as_bytes();
        bytes[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(key.public_key().verify(b"message", &Signature::from_bytes(bytes)).is_err());
    }

    #[test]
    fn nothing_that_is_read_panics(text: Vec<u8>, body in "[A-Za-z0-9+/]{0,128}") {
        let _ = SigningKey::from_pem(&text, None);
        let _ = PublicKey::from_pem(&text);
        for label in ["PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PUBLIC KEY"] {
            let framed = format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n");
            let _ = SigningKey::from_pem(&framed, Some(&secret("")));
            let _ = PublicKey::from_pem(&framed);
        }
    }
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// A PEM block whose contents fit on one line.
fn pem(label: &str, der: &[u8]) -> String {
    use base64ct::{Base64, Encoding};
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", Base64::encode_string(der))
}
