//! Where an answer sends a request, and what the request becomes on the way.

use bytes::Bytes;
use reqwest::StatusCode;
use reqwest::header::HeaderValue;

use super::address::{self, HttpUrl, InvalidUrl, UserInfo};
use super::headers::HttpHeaders;
use super::method::HttpMethod;

/// Why a redirect is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RedirectRefusal {
    /// The location is not a URL that a request can go to.
    #[error("the location cannot be requested")]
    Location(#[source] InvalidUrl),
    /// The location is not text.
    #[error("the location is not UTF-8")]
    Encoding,
    /// What was asked over an encrypted connection would travel in the open.
    #[error("it leads from https to http")]
    Downgrade,
}

/// A redirect that is not followed, with the location in a form that can be shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RefusedRedirect {
    pub(super) location: String,
    pub(super) reason: RedirectRefusal,
}

/// One message on the way to the final answer.
#[derive(Debug, Clone)]
pub(super) struct Hop {
    pub(super) method: HttpMethod,
    pub(super) url: HttpUrl,
    pub(super) user_info: Option<UserInfo>,
    pub(super) headers: HttpHeaders,
    pub(super) body: Bytes,
}

/// Whether a status asks for another request, if a location comes with it.
pub(super) fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

impl Hop {
    /// The request that follows when this one was answered with `status` and `location`.
    pub(super) fn redirected(
        &self,
        status: StatusCode,
        location: &HeaderValue,
    ) -> Result<Self, RefusedRedirect> {
        let url = self.target(location).map_err(|reason| {
            let text = String::from_utf8_lossy(location.as_bytes());
            RefusedRedirect { location: address::masked(&text), reason }
        })?;
        let method = method_after(self.method, status);
        let (mut headers, mut body) = (self.headers.clone(), self.body.clone());
        if method != self.method {
            (headers, body) = (headers.without_body(), Bytes::new());
        }
        let mut user_info = self.user_info.clone();
        if !url.has_origin_of(&self.url) {
            (headers, user_info) = (headers.for_other_origin(), None);
        }
        Ok(Self { method, url, user_info, headers, body })
    }

    fn target(&self, location: &HeaderValue) -> Result<HttpUrl, RedirectRefusal> {
        let location = str::from_utf8(location.as_bytes()).map_err(|_| RedirectRefusal::Encoding)?;
        let url = self.url.join(location).map_err(RedirectRefusal::Location)?;
        if self.url.is_secure() && !url.is_secure() {
            return Err(RedirectRefusal::Downgrade);
        }
        Ok(url)
    }
}

/// RFC 9110, 15.4: 303 always means "read the answer over there"; for 301 and 302 that is so for POST only.
fn method_after(method: HttpMethod, status: StatusCode) -> HttpMethod {
    match (status.as_u16(), method) {
        (303, HttpMethod::Head) => HttpMethod::Head,
        (303, _) | (301 | 302, HttpMethod::Post) => HttpMethod::Get,
        _ => method,
    }
}

#[cfg(test)]
mod tests {
    use super::super::headers::Secrecy;
    use super::*;

    fn hop(method: HttpMethod, url: &str) -> Hop {
        let (url, user_info) = address::parse(url).unwrap();
        let mut headers = HttpHeaders::default();
        for (name, value) in
            [("authorization", "Bearer x"), ("content-type", "text/plain"), ("accept", "*/*")]
        {
            headers.append(name, value.as_bytes(), Secrecy::Plain).unwrap();
        }
        Hop { method, url, user_info, headers, body: Bytes::from_static(b"body") }
    }

    fn follow(hop: &Hop, status: u16, location: &str) -> Result<Hop, RefusedRedirect> {
        let location = HeaderValue::from_bytes(location.as_bytes()).unwrap();
        hop.redirected(StatusCode::from_u16(status).unwrap(), &location)
    }

    #[test]
    fn methods_change_as_the_standard_says() {
        use HttpMethod::{Delete, Get, Head, Post, Put};
        fn check(status: u16, before: HttpMethod, after: HttpMethod) {
            let next = follow(&hop(before, "http://a/"), status, "/b").unwrap();
            assert_eq!(next.method, after, "{status} {before}");
            let keeps = before == after;
            assert_eq!((next.body.is_empty(), next.headers.get("content-type").is_some()), (!keeps, keeps));
        }
        for status in [301, 302] {
            check(status, Post, Get);
            check(status, Put, Put);
            check(status, Head, Head);
        }
        check(303, Post, Get);
        check(303, Delete, Get);
        check(303, Head, Head);
        for status in [307, 308] {
            check(status, Post, Post);
            check(status, Get, Get);
        }
    }

    #[test]
    fn credentials_stay_at_their_origin() {
        fn check(location: &str, keeps: bool) {
            let next = follow(&hop(HttpMethod::Get, "http://me:pw@a/"), 302, location).unwrap();
            assert_eq!(next.headers.get("authorization").is_some(), keeps, "{location}");
            assert_eq!(next.user_info.is_some(), keeps, "{location}");
            assert!(next.headers.get("accept").is_some());
        }
        check("/b", true);
        check("http://a:80/b", true);
        check("http://a:81/", false);
        check("http://b/", false);
        check("https://a/", false);
        check("http://you:pw@b/", false);
    }

    #[test]
    fn some_ways_are_closed() {
        fn check(location: &str, shown: &str, reason: RedirectRefusal) {
            let refused = follow(&hop(HttpMethod::Get, "https://a/"), 302, location).unwrap_err();
            assert_eq!(refused, RefusedRedirect { location: shown.to_owned(), reason });
        }
        check("http://a/", "http://a/", RedirectRefusal::Downgrade);
        check("http://me:pw@a/", "http://***@a/", RedirectRefusal::Downgrade);
        let scheme = InvalidUrl::Scheme { scheme: "file".to_owned() };
        check("file:///x", "file:///x", RedirectRefusal::Location(scheme));
    }
}
