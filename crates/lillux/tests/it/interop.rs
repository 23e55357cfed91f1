//! Others read what we write, and we read what others write.

use lillux::keys::{Passphrase, PublicKey, Signature, SigningKey};
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
