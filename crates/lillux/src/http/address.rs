//! Where a request goes, with the secrets of the address kept apart from what is shown.

use std::fmt;

use reqwest::Url;

/// An `http` or `https` URL without user name and password, so that it can be shown anywhere.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpUrl(Url);

/// Why a text is not a URL that a request can go to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidUrl {
    /// The URL grammar does not allow it.
    #[error("not a URL")]
    Syntax(#[source] url::ParseError),
    /// A control character, which the URL standard would quietly remove.
    #[error("the URL holds a control character")]
    ControlCharacter,
    /// A scheme that is not HTTP.
    #[error("the scheme is `{scheme}`: expected `http` or `https`")]
    Scheme {
        /// The scheme that was given.
        scheme: String,
    },
    /// The grammar allows it, yet it cannot stand in a request.
    #[error("the host cannot stand in a request")]
    Host,
}

/// The `user:password` part of a URL, in its percent-encoded form.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct UserInfo {
    user: String,
    password: Option<String>,
}

/// Splits a text into what can be shown and what must not.
pub(super) fn parse(text: &str) -> Result<(HttpUrl, Option<UserInfo>), InvalidUrl> {
    if text.chars().any(char::is_control) {
        return Err(InvalidUrl::ControlCharacter);
    }
    split(Url::parse(text).map_err(InvalidUrl::Syntax)?)
}

/// A text that may not even be a URL, without anything that could be a password and without control characters.
pub(super) fn masked(text: &str) -> String {
    let Some(at) = text.rfind('@') else {
        return text.escape_debug().to_string();
    };
    // A password may hold any delimiter, so everything between the scheme and the last `@` counts as secret.
    let scheme = ["http://", "https://"].into_iter().find(|scheme| text.starts_with(scheme)).unwrap_or("");
    format!("{scheme}***{}", &text[at..]).escape_debug().to_string()
}

impl HttpUrl {
    /// The URL as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub(super) fn is_secure(&self) -> bool {
        self.0.scheme() == "https"
    }

    pub(super) fn has_origin_of(&self, other: &Self) -> bool {
        self.0.origin() == other.0.origin()
    }

    /// The URL that `location` means when this one answers with it.
    ///
    /// User name and password in a location are dropped: a server does not decide who the caller is.
    pub(super) fn join(&self, location: &str) -> Result<Self, InvalidUrl> {
        if location.chars().any(char::is_control) {
            return Err(InvalidUrl::ControlCharacter);
        }
        let mut target = self.0.join(location).map_err(InvalidUrl::Syntax)?;
        if target.fragment().is_none() {
            target.set_fragment(self.0.fragment());
        }
        split(target).map(|(url, _)| url)
    }

    /// The URL with the secrets that belong to it, for the wire only.
    pub(super) fn with_user_info(&self, user_info: Option<&UserInfo>) -> Url {
        let mut url = self.0.clone();
        if let Some(user_info) = user_info {
            // These refuse only URLs without a host, and an HTTP URL has one.
            let _ = url.set_username(&user_info.user);
            let _ = url.set_password(user_info.password.as_deref());
        }
        url
    }
}

impl fmt::Display for HttpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for HttpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpUrl({self})")
    }
}

impl fmt::Debug for UserInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserInfo(***)")
    }
}

fn split(mut url: Url) -> Result<(HttpUrl, Option<UserInfo>), InvalidUrl> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(InvalidUrl::Scheme { scheme: url.scheme().to_owned() });
    }
    let user_info =
        UserInfo { user: url.username().to_owned(), password: url.password().map(ToOwned::to_owned) };
    let no_host = |()| InvalidUrl::Host;
    url.set_username("").map_err(no_host)?;
    url.set_password(None).map_err(no_host)?;
    let empty = user_info.user.is_empty() && user_info.password.is_none();
    Ok((HttpUrl(url), (!empty).then_some(user_info)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_leave_the_shown_url_and_come_back_on_the_wire() {
        let (url, user_info) = parse("https://me:p%40ss@example.org/x?y#z").unwrap();
        assert_eq!(url.as_str(), "https://example.org/x?y#z");
        assert!(!format!("{url:?} {user_info:?}").contains("p%40ss"));
        let wire = url.with_user_info(user_info.as_ref());
        assert_eq!(wire.as_str(), "https://me:p%40ss@example.org/x?y#z");
        assert_eq!(parse("http://example.org").unwrap().1, None);
    }

    #[test]
    fn only_http_urls_are_taken() {
        for text in ["", "example.org", "http://", "http://a\0b/", "http://a/\r\nb", "http://a:99999/"] {
            assert!(parse(text).is_err(), "{text:?}");
        }
        for scheme in ["file", "ftp", "data", "javascript"] {
            let refused = parse(&format!("{scheme}://host/x"));
            assert_eq!(refused.unwrap_err(), InvalidUrl::Scheme { scheme: scheme.to_owned() });
        }
    }

    #[test]
    fn masking_hides_whatever_could_be_a_password() {
        fn check(text: &str, expect: &str) {
            assert_eq!(masked(text), expect);
        }
        check("http://host/path", "http://host/path");
        check("http://me:secret@ho st/", "http://***@ho st/");
        check("http://me:se@cr/et@host", "http://***@host");
        check("http:me:se://cret@host", "***@host");
        check("ftp://me:secret@host//x", "***@host//x");
        check("http://a\r\nb", "http://a\\r\\nb");
    }

    #[test]
    fn locations_are_relative_to_the_url() {
        fn check(location: &str, expect: Result<&str, InvalidUrl>) {
            let base = parse("http://me:pw@example.org/a/b?q#part").unwrap().0;
            assert_eq!(base.join(location).map(|url| url.to_string()), expect.map(ToOwned::to_owned));
        }
        check("c", Ok("http://example.org/a/c#part"));
        check("//other/x#y", Ok("http://other/x#y"));
        check("https://you:pw@other/", Ok("https://other/#part"));
        check("file:///etc/passwd", Err(InvalidUrl::Scheme { scheme: "file".to_owned() }));
        check("/a\tb", Err(InvalidUrl::ControlCharacter));
    }
}
