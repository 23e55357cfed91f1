//! Others read what we write, and we read what others write.

use lillux::envelope::{EnvelopeForm, EnvelopeIdentity, Recipient, open, seal};
use lillux::keys::{Passphrase, PublicKey, Signature, SigningKey};
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use crate::peer::{Peer, hex, unhex};

const MESSAGE: &[u8] = b"what both of us sign";
const PASSPHRASE: &str = "correct horse \u{1F50B} staple";

fn text<'reply>(reply: &'reply Value, name: &str) -> &'reply str {
    reply[name].as_str().unwrap_or_else(|| panic!("no `{name}` in {reply}"))
}

fn signature(reply: &Value) -> Signature {
    Signature::from_bytes(unhex(text(reply, "signature")).try_into().unwrap())
}

fn the_peer_reads_our_keys(peer: &Peer) {
    let key = SigningKey::generate().unwrap();
    let passphrase = Passphrase::from(PASSPHRASE.to_owned());
    for (passphrase, secret) in [(None, None), (Some(&passphrase), Some(PASSPHRASE))] {
        let reply = peer.ask(&json!({
            "action": "examine",
            "private_pem": *key.to_pem(passphrase).unwrap(),
            "passphrase": secret,
            "public_pem": key.public_key().to_pem().unwrap(),
            "message": hex(MESSAGE),
            "signature": hex(key.sign(MESSAGE).as_bytes()),
        }));
        assert_eq!(reply["verified"], true);
        assert_eq!(text(&reply, "public_from_private"), hex(key.public_key().as_bytes()));
        assert_eq!(text(&reply, "public_from_public"), hex(key.public_key().as_bytes()));
        assert_eq!(signature(&reply), key.sign(MESSAGE), "the signature is a function of key and message");
    }
}

fn the_peer_refuses_a_wrong_signature(peer: &Peer) {
    let key = SigningKey::generate().unwrap();
    let reply = peer.ask(&json!({
        "action": "examine",
        "private_pem": *key.to_pem(None).unwrap(),
        "passphrase": null,
        "public_pem": key.public_key().to_pem().unwrap(),
        "message": hex(MESSAGE),
        "signature": hex(key.sign(b"something else").as_bytes()),
    }));
    assert_eq!(reply["verified"], false);
}

fn we_read_the_keys_of_the_peer(peer: &Peer) {
    let reply = peer.ask(&json!({ "action": "produce", "message": hex(MESSAGE), "passphrase": PASSPHRASE }));
    let public = PublicKey::from_pem(text(&reply, "public_pem")).unwrap();
    assert_eq!(hex(public.as_bytes()), text(&reply, "public"));
    public.verify(MESSAGE, &signature(&reply)).unwrap();
    assert!(public.verify(b"something else", &signature(&reply)).is_err());

    let passphrase = Passphrase::from(PASSPHRASE.to_owned());
    let plain = SigningKey::from_pem(text(&reply, "private_pem"), None).unwrap();
    let encrypted = SigningKey::from_pem(text(&reply, "encrypted_pem"), Some(&passphrase)).unwrap();
    assert_eq!(plain.public_key(), public);
    assert_eq!(encrypted.public_key(), public);

    // Both sides write the same bytes, not merely bytes that both sides understand.
    assert_eq!(*plain.to_pem(None).unwrap(), text(&reply, "private_pem"));
    assert_eq!(public.to_pem().unwrap(), text(&reply, "public_pem"));
}

#[test]
fn python_cryptography() {
    let peer = Peer::python();
    the_peer_reads_our_keys(&peer);
    the_peer_refuses_a_wrong_signature(&peer);
    we_read_the_keys_of_the_peer(&peer);
}

#[test]
fn ruby_openssl() {
    let peer = Peer::ruby();
    the_peer_reads_our_keys(&peer);
    the_peer_refuses_a_wrong_signature(&peer);
    we_read_the_keys_of_the_peer(&peer);
}

/// Contents of every size at which the format does something else: none, little, and around a whole chunk.
fn contents() -> impl Iterator<Item = Vec<u8>> {
    [0, 1, 65_535, 65_536, 65_537].into_iter().map(|size| vec![0xA5; size])
}

#[test]
fn typescript_age_opens_our_envelopes() {
    let peer = Peer::node();
    let (identity, other) = (EnvelopeIdentity::generate(), EnvelopeIdentity::generate());
    let recipients = [other.to_recipient(), identity.to_recipient()];
    for contents in contents() {
        for (form, armored) in [(EnvelopeForm::Binary, false), (EnvelopeForm::Text, true)] {
            let reply = peer.ask(&json!({
                "action": "open",
                "envelope": hex(&seal(&contents, &recipients, form).unwrap()),
                "identity": identity.to_secret_text().expose_secret(),
                "armored": armored,
            }));
            assert_eq!(text(&reply, "contents"), hex(&contents));
        }
    }
}

#[test]
fn we_open_the_envelopes_of_typescript_age() {
    let peer = Peer::node();
    for contents in contents() {
        let reply = peer.ask(&json!({ "action": "seal", "contents": hex(&contents) }));
        let identity: EnvelopeIdentity = text(&reply, "identity").parse().unwrap();
        assert_eq!(identity.to_recipient(), text(&reply, "recipient").parse::<Recipient>().unwrap());
        for form in ["binary", "text"] {
            let opened = open(&unhex(text(&reply, form)), &identity).unwrap();
            assert_eq!(opened.expose_secret(), contents);
        }
    }
}
