//! Finds out what an error of the HTTP library means.
//!
//! The library wraps causes in types of its own that can only be told apart by their text. What matters here is
//! the cause, so the chain is searched for the types of those who raised it.

use std::error::Error;
use std::io;

use super::address::InvalidUrl;
use super::error::HttpErrorKind;
use super::name_lookup::LookupError;

/// What it means that a request got no answer.
pub(super) fn classify(error: &reqwest::Error) -> HttpErrorKind {
    if error.is_builder() {
        return HttpErrorKind::InvalidUrl { source: InvalidUrl::Host };
    }
    if let Some(lookup) = find::<LookupError>(error) {
        return HttpErrorKind::Dns { host: lookup.host.clone(), source: copy(&lookup.source) };
    }
    if let Some(tls) = find::<rustls::Error>(error) {
        return HttpErrorKind::Tls { source: tls.clone() };
    }
    let source = cause(error);
    if error.is_connect() { HttpErrorKind::Connect { source } } else { HttpErrorKind::NoResponse { source } }
}

/// The cause of an error that comes in the middle of an exchange.
pub(super) fn cause(error: &reqwest::Error) -> io::Error {
    if let Some(found) = find::<io::Error>(error) {
        return copy(found);
    }
    let mut deepest: &dyn Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    io::Error::other(deepest.to_string())
}

fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    let mut current = Some(error);
    while let Some(error) = current {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // The source of an I/O error that wraps another error is not that error, but the source of it.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        current = match wrapped {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

/// An I/O error cannot be cloned, and the chain only lends it.
fn copy(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_found_inside_io_errors() {
        let inner = rustls::Error::HandshakeNotComplete;
        let outer = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, inner.clone()));
        assert_eq!(find::<rustls::Error>(&outer), Some(&inner));
        assert!(find::<LookupError>(&outer).is_none());
    }
}
