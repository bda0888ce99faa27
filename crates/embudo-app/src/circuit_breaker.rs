//! Paces the retries to a receiver that is down. While the circuit breaker is open, first attempts are still made.

use embudo_domain::Timestamp;
use jiff::SignedDuration;

/// The number of consecutive failures that open the circuit breaker.
const FAILURES: u32 = 5;
/// The first pause. It doubles with each failure while the circuit breaker is open.
const PAUSE: SignedDuration = SignedDuration::from_secs(30);
const MAX_PAUSE: SignedDuration = SignedDuration::from_mins(10);

/// The state of the receiver of one kind of job.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CircuitBreaker {
    failures: u32,
    open_until: Option<Timestamp>,
}

/// Which jobs may be taken for a receiver now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Free,
    /// One job, to find out whether the receiver works again.
    One,
    First,
}

impl CircuitBreaker {
    pub fn step(&self, now: Timestamp) -> Step {
        match self.open_until {
            None => Step::Free,
            Some(until) if now >= until => Step::One,
            Some(_) => Step::First,
        }
    }

    pub fn note_down(&mut self, is_well: bool, now: Timestamp) {
        if is_well {
            *self = Self::default();
            return;
        }
        self.failures = self.failures.saturating_add(1);
        if self.failures >= FAILURES {
            let times = 1_i32 << (self.failures - FAILURES).min(8);
            self.open_until = Some(now + (PAUSE * times).min(MAX_PAUSE));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(s: i64) -> Timestamp {
        Timestamp::from_second(s).expect("in range")
    }

    #[test]
    fn opens_after_five_failures_lets_one_through_and_closes_on_success() {
        let mut c = CircuitBreaker::default();
        for _ in 0..4 {
            c.note_down(false, t(0));
            assert_eq!(c.step(t(0)), Step::Free);
        }
        c.note_down(false, t(0));
        assert_eq!((c.step(t(29)), c.step(t(30))), (Step::First, Step::One));
        c.note_down(false, t(30));
        assert_eq!((c.step(t(89)), c.step(t(90))), (Step::First, Step::One));
        c.note_down(true, t(90));
        assert_eq!(c.step(t(90)), Step::Free);
    }

    #[test]
    fn pauses_are_bounded() {
        let mut c = CircuitBreaker::default();
        for _ in 0..100 {
            c.note_down(false, t(0));
        }
        assert_eq!(c.step(t(600)), Step::One);
    }
}
