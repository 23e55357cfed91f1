//! Header fields that cannot break out of their line.

use std::fmt;

use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};

/// Header fields in the order of their first appearance; a name may occur more than once.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct HttpHeaders(HeaderMap);

/// Why a header field cannot be sent. The value is never repeated, because it may be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidHeader {
    /// The name is empty or holds a character that a name cannot have.
    #[error("the name is not a header name")]
    Name,
    /// The value holds a line break, a NUL or another control character.
    #[error("the value holds a control character")]
    Value,
    /// The field says how the message is framed, which is the client's to say.
    #[error("the client sets this header itself")]
    Framing,
}

/// Whether a value may be seen by others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrecy {
    Plain,
    Secret,
}

/// Two voices about where a message ends are how requests are smuggled past a proxy.
const FRAMING: [HeaderName; 5] =
    [header::CONNECTION, header::CONTENT_LENGTH, header::TE, header::TRANSFER_ENCODING, header::UPGRADE];

/// Fields that are secret even if the caller did not say so.
const CREDENTIALS: [HeaderName; 3] = [header::AUTHORIZATION, header::COOKIE, header::PROXY_AUTHORIZATION];

impl HttpHeaders {
    /// The value of the first field called `name`, in any case.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(HeaderValue::as_bytes)
    }

    /// All fields, one item for each value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
    }

    /// How many fields there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no field.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn append(&mut self, name: &str, value: &[u8], secrecy: Secrecy) -> Result<(), InvalidHeader> {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| InvalidHeader::Name)?;
        if FRAMING.contains(&name) {
            return Err(InvalidHeader::Framing);
        }
        let mut value = HeaderValue::from_bytes(value).map_err(|_| InvalidHeader::Value)?;
        value.set_sensitive(secrecy == Secrecy::Secret || CREDENTIALS.contains(&name));
        self.0.append(name, value);
        Ok(())
    }

    /// What may be sent to an origin that the caller did not name.
    pub(super) fn for_other_origin(&self) -> Self {
        self.filter(|name, value| !value.is_sensitive() && name != header::HOST)
    }

    /// What remains when the body is dropped: a field that describes it would describe nothing.
    pub(super) fn without_body(&self) -> Self {
        self.filter(|name, _| !name.as_str().starts_with("content-"))
    }

    pub(super) fn to_map(&self) -> HeaderMap {
        self.0.clone()
    }

    fn filter(&self, keep: impl Fn(&HeaderName, &HeaderValue) -> bool) -> Self {
        let mut kept = HeaderMap::new();
        for (name, value) in self.0.iter().filter(|(name, value)| keep(name, value)) {
            kept.append(name, value.clone());
        }
        Self(kept)
    }
}

impl From<HeaderMap> for HttpHeaders {
    fn from(map: HeaderMap) -> Self {
        Self(map)
    }
}

impl fmt::Debug for HttpHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(fields: &[(&str, &str, Secrecy)]) -> HttpHeaders {
        let mut headers = HttpHeaders::default();
        for (name, value, secrecy) in fields {
            headers.append(name, value.as_bytes(), *secrecy).unwrap();
        }
        headers
    }

    #[test]
    fn a_field_cannot_leave_its_line() {
        fn check(name: &str, value: &str, expect: InvalidHeader) {
            let refused = HttpHeaders::default().append(name, value.as_bytes(), Secrecy::Plain);
            assert_eq!(refused, Err(expect), "{name:?}: {value:?}");
        }
        check("", "x", InvalidHeader::Name);
        check("a b", "x", InvalidHeader::Name);
        check("a\r\nb", "x", InvalidHeader::Name);
        check("a:", "x", InvalidHeader::Name);
        check("a", "x\r\nHost: evil", InvalidHeader::Value);
        check("a", "x\ny", InvalidHeader::Value);
        check("a", "x\0", InvalidHeader::Value);
        check("Content-Length", "3", InvalidHeader::Framing);
        check("transfer-encoding", "chunked", InvalidHeader::Framing);
    }

    #[test]
    fn names_may_repeat_and_are_found_in_any_case() {
        let headers = headers(&[("X-A", "1", Secrecy::Plain), ("x-a", "2", Secrecy::Plain)]);
        assert_eq!((headers.len(), headers.get("X-a")), (2, Some(&b"1"[..])));
    }

    #[test]
    fn secrets_stay_at_their_origin_and_out_of_debug_output() {
        let headers = headers(&[
            ("authorization", "hidden", Secrecy::Plain),
            ("Cookie", "hidden", Secrecy::Plain),
            ("x-api-key", "hidden", Secrecy::Secret),
            ("host", "example.org", Secrecy::Plain),
            ("accept", "text/plain", Secrecy::Plain),
        ]);
        assert!(!format!("{headers:?}").contains("hidden"));
        let left: Vec<_> = headers.for_other_origin().iter().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(left, ["accept"]);
    }
}
