//! Whether and when a request is tried again.

use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use reqwest::header::HeaderValue;

use super::method::HttpMethod;

/// When a request is tried again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Retry {
    /// Whatever comes first counts.
    #[default]
    Never,
    /// If the method is idempotent, and either no connection came about or the server said 429, 502, 503 or 504.
    ///
    /// The server's `Retry-After` takes the place of the backoff. A wait that would pass the deadline is not
    /// begun: the answer at hand is the outcome then.
    Idempotent {
        /// The most retries, counted over all the redirects that are followed.
        max: u32,
        /// The wait before the first retry; it doubles with each further one.
        backoff: Duration,
    },
}

impl Retry {
    /// How long to wait before the next try, if there is to be one after `tries`.
    pub(super) fn pause(self, method: HttpMethod, tries: u32, asked: Option<Duration>) -> Option<Duration> {
        match self {
            Self::Idempotent { max, backoff } if method.is_idempotent() && tries <= max => {
                let doubled = 2_u32.saturating_pow(tries.saturating_sub(1));
                Some(asked.unwrap_or_else(|| backoff.saturating_mul(doubled)))
            }
            Self::Idempotent { .. } | Self::Never => None,
        }
    }
}

/// Whether a status says that the same request may succeed later.
pub(super) fn is_transient(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

/// The wait that a `Retry-After` field asks for; it holds seconds or a date.
pub(super) fn retry_after(value: &HeaderValue, now: SystemTime) -> Option<Duration> {
    let text = value.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKOFF: Duration = Duration::from_secs(1);

    #[test]
    fn waits_double_until_the_tries_are_used_up() {
        fn check(tries: u32, expect: Option<u64>) {
            let retry = Retry::Idempotent { max: 3, backoff: BACKOFF };
            assert_eq!(retry.pause(HttpMethod::Get, tries, None), expect.map(Duration::from_secs));
        }
        check(1, Some(1));
        check(2, Some(2));
        check(3, Some(4));
        check(4, None);
        let endless = Retry::Idempotent { max: u32::MAX, backoff: Duration::MAX };
        assert_eq!(endless.pause(HttpMethod::Get, u32::MAX, None), Some(Duration::MAX));
    }

    #[test]
    fn only_idempotent_methods_are_tried_again() {
        let retry = Retry::Idempotent { max: 3, backoff: BACKOFF };
        for method in HttpMethod::ALL {
            assert_eq!(retry.pause(method, 1, None).is_some(), method.is_idempotent());
            assert_eq!(Retry::Never.pause(method, 1, None), None);
        }
    }

    #[test]
    fn the_server_may_name_the_wait() {
        fn check(text: &str, expect: Option<u64>) {
            let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
            let asked = retry_after(&HeaderValue::from_str(text).unwrap(), now);
            assert_eq!(asked, expect.map(Duration::from_secs), "{text}");
        }
        check("0", Some(0));
        check(" 120 ", Some(120));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(7));
        check("Sunday, 06-Nov-94 08:49:37 GMT", Some(7));
        check("Sun Nov  6 08:49:20 1994", Some(0));
        check("-1", None);
        check("soon", None);
        let retry = Retry::Idempotent { max: 1, backoff: BACKOFF };
        assert_eq!(retry.pause(HttpMethod::Get, 1, Some(Duration::ZERO)), Some(Duration::ZERO));
    }
}
