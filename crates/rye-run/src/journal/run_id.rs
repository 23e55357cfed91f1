//! What a run is called.

use std::fmt;
use std::str::FromStr;

use lillux::clock::{Clock, Timestamp};

/// The name of a run: 26 digits and small letters that begin with the time, so that names sort by it.
///
/// The first 56 bits are microseconds since 1970, the other 72 are random.
///
/// ```
/// use lillux::clock::SystemClock;
/// use rye_run::journal::RunId;
///
/// let id = RunId::generate(&SystemClock);
/// assert_eq!(id.to_string().parse::<RunId>()?, id);
/// # Ok::<(), rye_run::journal::ParseRunIdError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(u128);

/// A text that does not name a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not the id of a run: expected 26 digits and small letters", text.escape_debug())]
pub struct ParseRunIdError {
    text: String,
}

/// Without i, l, o and u, which are easily misread. In ASCII order, so that texts sort as ids do.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const RANDOM_BITS: u32 = 72;

impl RunId {
    /// How many characters a name has.
    pub(super) const LENGTH: usize = 26;

    /// A name for a run that starts now.
    ///
    /// # Panics
    /// If the system has no randomness to give.
    #[must_use]
    pub fn generate(clock: &dyn Clock) -> Self {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes[16 - RANDOM_BITS as usize / 8..])
            .expect("the system has randomness to give");
        Self(Self::first_at(clock.now()).0 | u128::from_be_bytes(bytes))
    }

    /// When the run started.
    ///
    /// # Panics
    /// Never: every id holds a time that there is.
    #[must_use]
    pub fn started(&self) -> Timestamp {
        let micros = i64::try_from(self.0 >> RANDOM_BITS).ok();
        micros.and_then(Timestamp::from_unix_micros).expect("56 bits of microseconds end in the year 4253")
    }

    /// The lowest name that a run started at this time could have.
    pub(super) fn first_at(time: Timestamp) -> Self {
        let micros = u128::from(u64::try_from(time.unix_micros()).unwrap_or(0));
        Self(micros.min((1 << (128 - RANDOM_BITS)) - 1) << RANDOM_BITS)
    }

    pub(super) fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    pub(super) fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits: [u8; RunId::LENGTH] =
            std::array::from_fn(|at| DIGITS[(self.0 >> (5 * (RunId::LENGTH - 1 - at))) as usize & 31]);
        f.pad(str::from_utf8(&digits).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RunId({self})")
    }
}

impl FromStr for RunId {
    type Err = ParseRunIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            // The 26 digits have two bits more than there are.
            if text.len() != RunId::LENGTH || text.as_bytes()[0] > b'7' {
                return None;
            }
            text.bytes().try_fold(0_u128, |value, digit| {
                let place = DIGITS.iter().position(|&known| known == digit)?;
                Some(value << 5 | place as u128)
            })
        };
        parse().map(Self).ok_or_else(|| ParseRunIdError { text: text.to_owned() })
    }
}

impl serde::Serialize for RunId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use lillux::clock::FakeClock;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_id_begins_with_its_time() {
        let time: Timestamp = "2026-03-01T10:00:00.123456Z".parse().unwrap();
        let id = RunId::generate(&FakeClock::at(time));
        assert_eq!(id.started(), time);
        assert_eq!(RunId::first_at(time).to_string(), "069fsrh2da8000000000000000");
        assert!(id >= RunId::first_at(time));
        assert_ne!(id, RunId::generate(&FakeClock::at(time)));
        let before_1970 = FakeClock::at("1960-01-01T00:00:00Z".parse().unwrap());
        assert_eq!(RunId::generate(&before_1970).started().unix_seconds(), 0);
        let far = FakeClock::at("9999-01-01T00:00:00Z".parse().unwrap());
        assert!(RunId::generate(&far).started().to_string().starts_with("4253-"));
    }

    #[test]
    fn other_texts_are_refused() {
        let good = RunId(u128::MAX).to_string();
        assert_eq!(good, "7zzzzzzzzzzzzzzzzzzzzzzzzz");
        for text in [
            "",
            "7",
            &good[1..],
            &good.to_uppercase(),
            &format!("{good}0"),
            &good.replace('7', "8"),
            &good.replace('7', "ü"),
        ] {
            assert!(text.parse::<RunId>().is_err(), "{text}");
        }
        assert!("7zzzzzzzzzzzzzzzzzzzzzzzzl".parse::<RunId>().is_err());
        assert!("../../zzzzzzzzzzzzzzzzzzzz".parse::<RunId>().is_err());
    }

    proptest! {
        #[test]
        fn ids_round_trip_and_sort_as_their_texts(one in any::<u128>(), other in any::<u128>()) {
            let (one, other) = (RunId(one), RunId(other));
            prop_assert_eq!(one.to_string().parse(), Ok(one));
            prop_assert_eq!(RunId::from_bytes(one.to_bytes()), one);
            prop_assert_eq!(one.cmp(&other), one.to_string().cmp(&other.to_string()));
            prop_assert_eq!(one.cmp(&other), one.to_bytes().cmp(&other.to_bytes()));
            let _ = one.started();
        }
    }
}
