//! Envelopes, and the texts of those who seal and open them.

use std::sync::LazyLock;

use lillux::envelope::{
    EnvelopeForm, EnvelopeIdentity, Recipient, open, open_environment, seal, seal_environment,
};
use secrecy::ExposeSecret;

/// Opens the envelopes among the seeds. It protects nothing.
static IDENTITY: LazyLock<EnvelopeIdentity> =
    LazyLock::new(|| include_str!("envelope_identity.txt").trim().parse().expect("it is an identity"));

/// The bytes are an envelope; what comes after the first line of one; and, as text, an identity or a recipient.
pub(crate) fn envelope(bytes: &[u8]) {
    check(bytes);
    check(&[b"age-encryption.org/v1\n", bytes].concat());
    let text = String::from_utf8_lossy(bytes);
    if let Ok(recipient) = text.parse::<Recipient>() {
        assert_eq!(recipient.to_string().parse(), Ok(recipient));
    }
    if let Ok(identity) = text.parse::<EnvelopeIdentity>() {
        assert_eq!(identity.to_secret_text().expose_secret().parse(), Ok(identity));
    }
}

fn check(envelope: &[u8]) {
    let recipients = [IDENTITY.to_recipient()];
    if let Ok(contents) = open(envelope, &IDENTITY) {
        let contents = contents.expose_secret();
        assert!(contents.len() < envelope.len());
        for form in [EnvelopeForm::Text, EnvelopeForm::Binary] {
            let again = seal(contents, &recipients, form).expect("there is a recipient");
            assert_eq!(open(&again, &IDENTITY).expect("it is for us").expose_secret(), contents);
        }
    }
    if let Ok(environment) = open_environment(envelope, &IDENTITY) {
        assert!(environment.iter().all(|(name, _)| !name.is_empty() && !name.contains(['=', '\0'])));
        let again =
            seal_environment(&environment, &recipients, EnvelopeForm::Binary).expect("there is a recipient");
        let again = open_environment(&again, &IDENTITY).expect("it is for us");
        let texts = |(name, value): (&str, &secrecy::SecretString)| {
            (name.to_owned(), value.expose_secret().to_owned())
        };
        assert!(again.iter().map(texts).eq(environment.iter().map(texts)));
    }
}
