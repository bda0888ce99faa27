//! How often something may happen: a sliding window, approximated by two fixed windows. The older one counts less and
//! less.

use std::time::Duration;

/// A maximum number of times in a window of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// 0 lets nothing through.
    pub limit: u32,
    pub window: Duration,
}

/// The counts in the previous window, and in the current one so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Used {
    pub before: u32,
    pub current: u32,
}

impl Rate {
    /// The number of the window that contains a moment, and the seconds that have passed in it. Moments are given as
    /// the time since any fixed moment.
    pub fn place(window: Duration, at: Duration) -> (u64, f64) {
        let (window_s, at_s) = (window.as_secs_f64(), at.as_secs_f64());
        ((at_s / window_s) as u64, at_s % window_s)
    }

    /// Whether `count` more are allowed. If not, the number of seconds until they are (at least 1).
    pub fn check(self, used: Used, count: u32, at: Duration) -> Result<(), u64> {
        let (window_s, (_, into_s)) = (self.window.as_secs_f64(), Self::place(self.window, at));
        if faded(used.before, into_s, window_s) + u64::from(used.current) + u64::from(count)
            <= u64::from(self.limit)
        {
            return Ok(());
        }
        let room = f64::from(self.limit) - f64::from(count);
        let wait_s = seconds_to_room(used.before.into(), used.current.into(), room, into_s, window_s);
        Err((wait_s.ceil() as u64).max(1))
    }
}

/// The part of the older window that still counts. It is rounded up, so that a limit of one holds.
fn faded(before: u32, into_s: f64, window_s: f64) -> u64 {
    // Subtracts a little, so that an error of floating-point arithmetic is not counted.
    (f64::from(before) * (1.0 - into_s / window_s) - 1e-6).ceil().max(0.0) as u64
}

/// The seconds until the existing counts leave `room`: still in this window while the previous one fades, otherwise in
/// the next window, where this one fades.
fn seconds_to_room(before: f64, current: f64, room: f64, into_s: f64, window_s: f64) -> f64 {
    let fade = |count: f64, room: f64| if count <= room { 0.0 } else { window_s * (1.0 - room / count) };
    if room >= current && before > 0.0 {
        return fade(before, room - current) - into_s;
    }
    window_s - into_s + fade(current, room.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Rate = Rate { limit: 10, window: Duration::from_secs(3_600) };

    fn at(s: u64) -> Duration {
        Duration::from_secs(s)
    }

    #[test]
    fn the_older_window_fades() {
        let full = Used { before: 10, current: 0 };
        assert!(HOUR.check(full, 1, at(3_600)).is_err());
        assert_eq!(HOUR.check(full, 1, at(3_600 + 360)), Ok(()));
        assert!(HOUR.check(full, 2, at(3_600 + 360)).is_err());
        assert_eq!(HOUR.check(full, 10, at(2 * 3_600 - 1)), Err(1));
        assert!(HOUR.check(Used::default(), 11, at(0)).is_err(), "more than a window ever allows");
    }

    #[test]
    fn the_wait_is_enough_and_not_too_long() {
        let one = Rate { limit: 1, window: at(60) };
        let wait = one.check(Used { before: 0, current: 1 }, 1, at(30)).expect_err("full");
        assert_eq!(wait, 90, "one in any window: it counts until it has wholly faded");
        assert_eq!(one.check(Used { before: 1, current: 0 }, 1, at(119)), Err(1));
        assert_eq!(one.check(Used { before: 0, current: 0 }, 1, at(120)), Ok(()));
    }
}
