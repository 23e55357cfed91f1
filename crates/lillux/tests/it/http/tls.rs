//! Whose certificates are accepted.

use lillux::http::{
    HttpClient, HttpClientOptions, HttpError, HttpErrorKind, HttpOutcome, RedirectRefusal, TlsRoots,
};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::{CertificateError, Error};

use super::get;
use super::server::Server;

struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        Self { pem, issuer: Issuer::new(params, key) }
    }

    /// A server whose certificate says that it is called `name`.
    fn serve(&self, name: &str) -> Server {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Server::start_tls(&certificate.pem(), &key.serialize_pem())
    }
}

fn send(roots: TlsRoots, url: &str) -> Result<HttpOutcome, HttpError> {
    let options = HttpClientOptions { roots, ..HttpClientOptions::default() };
    HttpClient::new(options).unwrap().send(&get(url), None)
}

fn tls_error(result: Result<HttpOutcome, HttpError>) -> Error {
    let error = result.unwrap_err();
    let HttpErrorKind::Tls { source } = error.kind() else { panic!("{error:?}") };
    source.clone()
}

#[test]
fn a_self_signed_certificate_is_refused() {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let server = Server::start_tls(&made.cert.pem(), &made.signing_key.serialize_pem());
    tls_error(send(TlsRoots::Platform, &server.url("/echo")));
}

#[test]
fn a_root_in_the_options_is_accepted() {
    let authority = Authority::new();
    let server = authority.serve("127.0.0.1");
    let pem = || authority.pem.clone().into_bytes();
    for roots in [TlsRoots::PlatformAnd(pem()), TlsRoots::Only(pem())] {
        assert_eq!(send(roots, &server.url("/echo")).unwrap().status, 200);
    }
    let stranger = TlsRoots::Only(Authority::new().pem.into_bytes());
    tls_error(send(stranger, &server.url("/echo")));
}

#[test]
fn a_certificate_for_another_name_is_refused() {
    let authority = Authority::new();
    let server = authority.serve("example.org");
    let error =
        tls_error(send(TlsRoots::Only(authority.pem.clone().into_bytes()), &server.other_origin("/echo")));
    assert!(
        matches!(
            error,
            Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
            )
        ),
        "{error:?}"
    );
}

#[test]
fn a_server_that_does_not_speak_tls_is_a_tls_error() {
    let server = Server::start();
    tls_error(send(TlsRoots::Platform, &server.url("/echo").replace("http:", "https:")));
}

#[test]
fn a_redirect_never_leads_out_of_tls() {
    let authority = Authority::new();
    let (secure, plain) = (authority.serve("127.0.0.1"), Server::start());
    let roots = || TlsRoots::Only(authority.pem.clone().into_bytes());
    let error = send(roots(), &secure.url(&format!("/redirect?to={}", plain.url("/echo")))).unwrap_err();
    let HttpErrorKind::RefusedRedirect { location, source } = error.kind() else { panic!("{error:?}") };
    assert_eq!((location, source), (&plain.url("/echo"), &RedirectRefusal::Downgrade));
    let upgraded = send(roots(), &plain.url(&format!("/redirect?to={}", secure.url("/echo")))).unwrap();
    assert_eq!(upgraded.url.as_str(), secure.url("/echo"));
}
