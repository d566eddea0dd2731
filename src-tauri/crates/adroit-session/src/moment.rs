//! Moments in settings files: UTC, to the minute or second, such as `2026-05-01T18:00Z`.

const DAY: u64 = 86_400;

/// A moment as it is written, from milliseconds since 1970. Seconds are left out where there
/// are none.
pub(crate) fn to_text(milliseconds: u64) -> String {
    let seconds = milliseconds / 1_000;
    let (year, month, day) = date_of(seconds / DAY);
    let (hour, minute, second) = (seconds % DAY / 3_600, seconds % 3_600 / 60, seconds % 60);
    let time = if second == 0 {
        format!("{hour:02}:{minute:02}")
    } else {
        format!("{hour:02}:{minute:02}:{second:02}")
    };
    format!("{year:04}-{month:02}-{day:02}T{time}Z")
}

/// Milliseconds since 1970. `None` for anything but a moment in UTC.
pub(crate) fn from_text(text: &str) -> Option<u64> {
    let (date, time) = text.trim().strip_suffix('Z')?.split_once('T')?;
    let mut date = date.split('-').map(number);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let mut time = time.split(':').map(number);
    let (hour, minute) = (time.next()??, time.next()??);
    let second = time.next().unwrap_or(Some(0))?;
    let whole = date.next().is_none() && time.next().is_none();
    let sensible = (1970..10_000).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    let days = days_of(year, month, day);
    // The 31st of April is no day.
    let exists = sensible && date_of(days) == (year, month, day);
    (whole && exists).then(|| (days * DAY + hour * 3_600 + minute * 60 + second) * 1_000)
}

fn number(digits: &str) -> Option<u64> {
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

/// Days from the first of January 1970 to a date, by the rules of the Gregorian calendar.
/// Years begin in March here, so that the odd day comes last.
fn days_of(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leaps = year / 4 - year / 100 + year / 400;
    let before_1970 = 719_468;
    year * 365 + leaps + (153 * month + 2) / 5 + day.saturating_sub(1) - before_1970
}

/// The date of a day since 1970; the inverse of [`days_of`].
fn date_of(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_moments() {
        assert_eq!(to_text(0), "1970-01-01T00:00Z");
        assert_eq!(to_text(951_782_400_000), "2000-02-29T00:00Z");
        assert_eq!(from_text("2000-02-29T00:00Z"), Some(951_782_400_000));
        assert_eq!(from_text("2026-12-01T10:30:05Z"), Some(1_796_121_005_000));
    }

    #[test]
    fn what_is_no_moment_in_utc_is_none() {
        for text in [
            "",
            "tomorrow",
            "2026-12-01",
            "2026-12-01T10:00",
            "2026-12-01T10:00+02:00",
            "2026-02-30T00:00Z",
            "2026-13-01T00:00Z",
            "2026-12-01T24:00Z",
            "2026-12-01T10:00:00:00Z",
            "+2026-12-01T10:00Z",
        ] {
            assert_eq!(from_text(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn writing_and_reading_is_the_identity(seconds in 0_u64..200_000_000_000) {
            prop_assert_eq!(from_text(&to_text(seconds * 1_000)), Some(seconds * 1_000));
        }
    }
}
