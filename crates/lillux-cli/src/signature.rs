//! `lillux sign` and `verify`: who has said what.

use lillux::Digest;
use lillux::keys::{PublicKey, SigningKey};
use serde_json::json;

use crate::answer::Answer;
use crate::cli::{SignArgs, VerifyArgs};
use crate::failure::Failure;

pub(crate) fn sign(args: SignArgs) -> Result<Answer, Failure> {
    let passphrase = args.passphrase.read()?;
    let key = SigningKey::load(&args.key, passphrase.as_ref())?;
    let message = args.file.read()?;
    Answer::yes(json!({
        "signature": key.sign(&message),
        "key_id": key.public_key().id(),
        "sha256": Digest::of(&message),
    }))
}

pub(crate) fn verify(args: &VerifyArgs) -> Result<Answer, Failure> {
    let key = PublicKey::load(&args.key)?;
    let message = args.file.read()?;
    let verified = key.verify(&message, &args.signature).is_ok();
    let body = json!({ "verified": verified, "key_id": key.id(), "sha256": Digest::of(&message) });
    Answer::new(body, verified)
}
