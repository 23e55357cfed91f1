//! Telling the time, and how much of it is left.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A moment of civil time, written as RFC 3339 has it, in UTC.
///
/// ```
/// use lillux::clock::Timestamp;
///
/// let time: Timestamp = "2026-03-01T12:00:00.5+02:00".parse()?;
/// assert_eq!(time.to_string(), "2026-03-01T10:00:00.5Z");
/// # Ok::<(), lillux::clock::ParseTimestampError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

/// A text that is not an RFC 3339 time.
#[derive(Debug, thiserror::Error)]
#[error("`{text}` is not an RFC 3339 time, such as `2026-03-01T10:00:00Z`")]
pub struct ParseTimestampError {
    text: String,
    #[source]
    source: Option<jiff::Error>,
}

/// A duration in milliseconds, with microseconds as its fraction.
///
/// ```
/// # use std::time::Duration;
/// assert_eq!(lillux::clock::milliseconds(Duration::from_nanos(2_591_498)), 2.591);
/// ```
#[must_use]
pub fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// Where the time comes from.
pub trait Clock: Send + Sync {
    /// The civil time. It may jump when somebody sets the clock, so no duration is measured by it.
    fn now(&self) -> Timestamp;

    /// The monotonic time, which never goes back.
    fn instant(&self) -> Instant;
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

/// A clock that moves only when it is told to.
#[derive(Debug)]
pub struct FakeClock {
    start: Timestamp,
    start_instant: Instant,
    elapsed_nanos: AtomicU64,
}

/// The end of a span of time, by the monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline(Option<Instant>);

impl Timestamp {
    /// The same moment without the fraction of its second.
    #[must_use]
    pub fn whole_seconds(self) -> Self {
        // Before 1970 a second is counted from its end, so the fraction has to be taken off towards the past.
        let nanos = self.0.as_nanosecond().rem_euclid(1_000_000_000);
        let fraction = Duration::from_nanos(u64::try_from(nanos).unwrap_or_default());
        self.0.checked_sub(fraction).map_or(self, Self)
    }

    /// The seconds since 1970 began, rounded towards the past.
    #[must_use]
    pub fn unix_seconds(self) -> i64 {
        self.whole_seconds().0.as_second()
    }

    /// The moment `seconds` after 1970 began, if it is in the years from -9999 to 9999.
    #[must_use]
    pub fn from_unix_seconds(seconds: i64) -> Option<Self> {
        jiff::Timestamp::from_second(seconds).ok().map(Self)
    }

    /// The microseconds since 1970 began, rounded towards the past.
    #[must_use]
    pub fn unix_micros(self) -> i64 {
        let micros = self.0.as_nanosecond().div_euclid(1_000);
        // The years that there are fit more than twenty times.
        i64::try_from(micros).unwrap_or(i64::MAX)
    }

    /// The moment `micros` microseconds after 1970 began, if it is in the years from -9999 to 9999.
    #[must_use]
    pub fn from_unix_micros(micros: i64) -> Option<Self> {
        jiff::Timestamp::from_microsecond(micros).ok().map(Self)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for Timestamp {
    type Err = ParseTimestampError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let failed = |source| ParseTimestampError { text: text.to_owned(), source };
        // The parser takes more of ISO 8601 than RFC 3339 allows: times without seconds, named zones and so on.
        if !has_rfc_3339_shape(text) {
            return Err(failed(None));
        }
        text.parse().map(Self).map_err(|error| failed(Some(error)))
    }
}

impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp(jiff::Timestamp::now())
    }

    fn instant(&self) -> Instant {
        Instant::now()
    }
}

impl FakeClock {
    /// A clock that stands at `start`.
    #[must_use]
    pub fn at(start: Timestamp) -> Self {
        Self { start, start_instant: Instant::now(), elapsed_nanos: AtomicU64::new(0) }
    }

    /// Moves both times on.
    pub fn advance(&self, by: Duration) {
        let nanos = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
        self.elapsed_nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.elapsed_nanos.load(Ordering::Relaxed))
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.start.0.checked_add(self.elapsed()).unwrap_or(jiff::Timestamp::MAX))
    }

    fn instant(&self) -> Instant {
        self.start_instant + self.elapsed()
    }
}

impl Deadline {
    /// A deadline that never comes.
    pub const NEVER: Self = Self(None);

    /// The deadline `span` from now on. One that is further away than the clock can tell never comes.
    #[must_use]
    pub fn after(span: Duration, clock: &dyn Clock) -> Self {
        Self(clock.instant().checked_add(span))
    }

    /// The time that is left: nothing once it is over, `None` if it never comes.
    #[must_use]
    pub fn remaining(&self, clock: &dyn Clock) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(clock.instant()))
    }

    /// Whether it has come.
    #[must_use]
    pub fn is_over(&self, clock: &dyn Clock) -> bool {
        self.remaining(clock).is_some_and(|left| left.is_zero())
    }
}

/// Whether the text is built as RFC 3339 says; whether there is such a day and hour is left to the parser.
fn has_rfc_3339_shape(text: &str) -> bool {
    fn matches(text: &[u8], pattern: &[u8]) -> bool {
        text.len() == pattern.len()
            && text.iter().zip(pattern).all(|(found, wanted)| match wanted {
                b'0' => found.is_ascii_digit(),
                b'T' => matches!(found, b'T' | b't' | b' '),
                b'+' => matches!(found, b'+' | b'-'),
                wanted => found == wanted,
            })
    }
    let Some((time, rest)) = text.as_bytes().split_at_checked("0000-00-00T00:00:00".len()) else {
        return false;
    };
    let zone = match rest.strip_prefix(b".") {
        Some(rest) => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                return false;
            }
            &rest[digits..]
        }
        None => rest,
    };
    matches(time, b"0000-00-00T00:00:00") && (matches!(zone, b"Z" | b"z") || matches(zone, b"+00:00"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn rfc_3339_is_read_and_written() {
        for (text, expect) in [
            ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"),
            ("2026-03-01t10:00:00z", "2026-03-01T10:00:00Z"),
            ("2026-03-01 10:00:00.250-01:30", "2026-03-01T11:30:00.25Z"),
            ("1969-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.999999999Z"),
        ] {
            assert_eq!(time(text).to_string(), expect);
            assert_eq!(time(expect), time(text));
        }
    }

    #[test]
    fn nothing_else_is_read() {
        for text in [
            "",
            "2026-03-01",
            "2026-03-01T10:00Z",
            "2026-03-01T10:00:00",
            "2026-03-01T10:00:00.Z",
            "2026-03-01T10:00:00+02",
            "2026-03-01T10:00:00+02:00[Europe/Paris]",
            "20260301T100000Z",
            "2026-02-30T10:00:00Z",
            "2026-03-01T25:00:00Z",
            " 2026-03-01T10:00:00Z",
            "2026-03-01T10:00:00é",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn seconds_are_rounded_towards_the_past() {
        assert_eq!(time("2026-03-01T10:00:00.9Z").whole_seconds(), time("2026-03-01T10:00:00Z"));
        assert_eq!(time("1969-12-31T23:59:58.1Z").whole_seconds(), time("1969-12-31T23:59:58Z"));
        assert_eq!(time("1969-12-31T23:59:58.1Z").unix_seconds(), -2);
        assert_eq!(Timestamp::from_unix_seconds(-2), Some(time("1969-12-31T23:59:58Z")));
        assert_eq!(Timestamp::from_unix_seconds(i64::MAX), None);
    }

    #[test]
    fn microseconds_are_rounded_towards_the_past() {
        assert_eq!(time("1970-01-01T00:00:01.2345678Z").unix_micros(), 1_234_567);
        assert_eq!(time("1969-12-31T23:59:59.9999991Z").unix_micros(), -1);
        assert_eq!(Timestamp::from_unix_micros(-1), Some(time("1969-12-31T23:59:59.999999Z")));
        assert_eq!(Timestamp::from_unix_micros(i64::MAX), None);
        let last = time("9999-12-30T00:00:00Z");
        assert_eq!(Timestamp::from_unix_micros(last.unix_micros()), Some(last));
    }

    #[test]
    fn a_deadline_follows_its_clock() {
        let clock = FakeClock::at(time("2026-03-01T10:00:00Z"));
        let deadline = Deadline::after(Duration::from_secs(5), &clock);
        clock.advance(Duration::from_secs(2));
        assert_eq!(clock.now(), time("2026-03-01T10:00:02Z"));
        assert_eq!(deadline.remaining(&clock), Some(Duration::from_secs(3)));
        assert!(!deadline.is_over(&clock));
        clock.advance(Duration::from_secs(4));
        assert_eq!(deadline.remaining(&clock), Some(Duration::ZERO));
        assert!(deadline.is_over(&clock));
    }

    #[test]
    fn a_deadline_may_never_come() {
        for deadline in [Deadline::NEVER, Deadline::after(Duration::MAX, &SystemClock)] {
            assert_eq!(deadline.remaining(&SystemClock), None);
            assert!(!deadline.is_over(&SystemClock));
        }
    }
}
