//! Whose certificates are accepted.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use super::error::{HttpClientError, HttpClientErrorKind};

/// Who may vouch for a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TlsRoots {
    /// Whom the machine trusts, which includes the roots that an organisation installed on it.
    #[default]
    Platform,
    /// Whom the machine trusts, and the certificates in this PEM text.
    PlatformAnd(Vec<u8>),
    /// Nobody but the certificates in this PEM text.
    Only(Vec<u8>),
}

/// [`TlsRoots`] whose certificates have been read.
#[derive(Debug, Clone)]
pub(super) enum ParsedRoots {
    PlatformAnd(Vec<CertificateDer<'static>>),
    Only(Arc<RootCertStore>),
}

impl ParsedRoots {
    pub(super) fn parse(roots: &TlsRoots) -> Result<Self, HttpClientError> {
        match roots {
            TlsRoots::Platform => Ok(Self::PlatformAnd(Vec::new())),
            TlsRoots::PlatformAnd(pem) => Ok(Self::PlatformAnd(certificates(pem)?.0)),
            TlsRoots::Only(pem) => Ok(Self::Only(Arc::new(certificates(pem)?.1))),
        }
    }

    /// The settings of connections. Reading the platform's roots takes milliseconds and may fail.
    pub(super) fn config(&self) -> Result<ClientConfig, rustls::Error> {
        let provider = provider();
        let versions = ClientConfig::builder_with_provider(Arc::clone(&provider));
        let versions = versions.with_safe_default_protocol_versions()?;
        let mut config = match self {
            Self::PlatformAnd(extra) => {
                let verifier = Verifier::new_with_extra_roots(extra.iter().cloned(), provider)?;
                // The name says "dangerous" because any verifier fits; this one is as strict as the platform.
                versions
                    .dangerous()
                    .with_custom_certificate_verifier(Arc::new(verifier))
                    .with_no_client_auth()
            }
            Self::Only(store) => versions.with_root_certificates(Arc::clone(store)).with_no_client_auth(),
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }

    /// Roots that accept nobody, for connections that are never encrypted.
    pub(super) fn nobody() -> Self {
        Self::Only(Arc::new(RootCertStore::empty()))
    }
}

impl TlsRoots {
    /// The settings of encrypted connections that trust these roots, for an HTTP client of another library.
    ///
    /// # Errors
    /// If the certificates cannot be read.
    pub fn client_config(&self) -> Result<ClientConfig, TlsConfigError> {
        Ok(ParsedRoots::parse(self)?.config()?)
    }

    /// Settings that accept nobody, for a client whose connections are never encrypted. They cost nothing.
    ///
    /// # Errors
    /// If the cryptography of this build lacks something.
    pub fn nobody() -> Result<ClientConfig, TlsConfigError> {
        Ok(ParsedRoots::nobody().config()?)
    }
}

/// Settings of encrypted connections that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsConfigError {
    /// The certificates cannot be read.
    #[error(transparent)]
    Roots(#[from] HttpClientError),
    /// The roots of the machine cannot be used.
    #[error("cannot use the machine's certificates")]
    Platform(#[from] rustls::Error),
}

/// The provider is passed along, so that a process that embeds this library keeps its own default.
fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn certificates(pem: &[u8]) -> Result<(Vec<CertificateDer<'static>>, RootCertStore), HttpClientError> {
    let certificates = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    let certificates = certificates.map_err(HttpClientErrorKind::Pem)?;
    if certificates.is_empty() {
        return Err(HttpClientErrorKind::NoCertificate.into());
    }
    let mut store = RootCertStore::empty();
    for (index, certificate) in certificates.iter().enumerate() {
        let added = store.add(certificate.clone());
        added.map_err(|source| HttpClientErrorKind::Certificate { index, source })?;
    }
    Ok((certificates, store))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(pem: &str) -> HttpClientError {
        ParsedRoots::parse(&TlsRoots::Only(pem.into())).unwrap_err()
    }

    #[test]
    fn roots_are_checked_at_once() {
        assert!(matches!(refusal("").kind(), HttpClientErrorKind::NoCertificate));
        let cut = "-----BEGIN CERTIFICATE-----\nAAAA\n";
        assert!(matches!(refusal(cut).kind(), HttpClientErrorKind::Pem(_)));
        let wrong = format!("{cut}-----END CERTIFICATE-----\n");
        assert!(matches!(refusal(&wrong).kind(), HttpClientErrorKind::Certificate { index: 0, .. }));
    }
}
