//! The counts that this process knows, and those that are not in the database yet. Only data: no clock, no storage.

use std::collections::HashMap;
use std::time::Duration;

use embudo_domain::Timestamp;
use embudo_domain::rate::{Rate, Used};
use uuid::Uuid;

use super::{Counted, since_epoch};

/// The maximum number of subjects of a kind that are counted separately in a window. All further ones share a single
/// count, so that an attacker who changes addresses cannot fill memory or the database.
const MOST_SUBJECTS: usize = 20_000;
/// The subject of the count that all further subjects share.
const ALL_OTHERS: Uuid = Uuid::nil();

/// A count that the database does not have yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unsaved {
    pub kind: Counted,
    pub subject: Uuid,
    /// The number of the window.
    pub window: u64,
    pub n: u32,
}

#[derive(Debug, Default)]
pub(super) struct Tallies {
    kinds: HashMap<Counted, Windows>,
    unsaved: HashMap<(Counted, Uuid, u64), u32>,
}

/// The counts of the present window and of the one before.
#[derive(Debug, Default)]
struct Windows {
    number: u64,
    current: HashMap<Uuid, Tally>,
    previous: HashMap<Uuid, Tally>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    n: u32,
    /// When the database was last asked.
    read_at: Option<Timestamp>,
}

impl Tallies {
    /// The subject itself, or the shared subject if no place is left.
    pub fn place(&mut self, kind: Counted, subject: Uuid, at: Duration) -> Uuid {
        let windows = self.windows(kind, at);
        let is_full = windows.current.len() >= MOST_SUBJECTS && !windows.current.contains_key(&subject);
        if is_full { ALL_OTHERS } else { subject }
    }

    pub fn used(&mut self, kind: Counted, subject: Uuid, at: Duration) -> Used {
        let windows = self.windows(kind, at);
        let n = |tallies: &HashMap<Uuid, Tally>| tallies.get(&subject).map_or(0, |tally| tally.n);
        Used { before: n(&windows.previous), current: n(&windows.current) }
    }

    pub fn read_at(&mut self, kind: Counted, subject: Uuid, at: Duration) -> Option<Timestamp> {
        self.windows(kind, at).current.get(&subject)?.read_at
    }

    pub fn add(&mut self, kind: Counted, subject: Uuid, at: Duration, n: u32) {
        let windows = self.windows(kind, at);
        let tally = windows.current.entry(subject).or_default();
        tally.n = tally.n.saturating_add(n);
        let window = windows.number;
        let unsaved = self.unsaved.entry((kind, subject, window)).or_default();
        *unsaved = unsaved.saturating_add(n);
    }

    /// Stores the counts of the database, by window number. They do not include the unsaved counts.
    pub fn learn(&mut self, kind: Counted, subject: Uuid, found: &[(i64, i64)], now: Timestamp) {
        let windows = self.windows(kind, since_epoch(now));
        let number = windows.number;
        windows.current.entry(subject).or_default().read_at = Some(now);
        for (window, n) in found {
            let Ok(window) = u64::try_from(*window) else { continue };
            let saved = u32::try_from(*n).unwrap_or(u32::MAX);
            let unsaved = self.unsaved.get(&(kind, subject, window)).copied().unwrap_or(0);
            let windows = self.kinds.entry(kind).or_default();
            let tallies = match number.checked_sub(window) {
                Some(0) => &mut windows.current,
                Some(1) => &mut windows.previous,
                _ => continue,
            };
            let tally = tallies.entry(subject).or_default();
            tally.n = tally.n.max(saved.saturating_add(unsaved));
        }
    }

    /// Everything that the database does not have and that can still matter for a limit.
    pub fn take_unsaved(&mut self, at: Duration) -> Vec<Unsaved> {
        let matters = |kind: Counted, window: u64| window + 1 >= Rate::place(kind.window(), at).0;
        let all = std::mem::take(&mut self.unsaved).into_iter();
        let all = all.filter(|((kind, _, window), _)| matters(*kind, *window));
        all.map(|((kind, subject, window), n)| Unsaved { kind, subject, window, n }).collect()
    }

    pub fn give_back(&mut self, unsaved: &[Unsaved]) {
        for Unsaved { kind, subject, window, n } in unsaved {
            let kept = self.unsaved.entry((*kind, *subject, *window)).or_default();
            *kept = kept.saturating_add(*n);
        }
    }

    fn windows(&mut self, kind: Counted, at: Duration) -> &mut Windows {
        let windows = self.kinds.entry(kind).or_default();
        windows.turn_to(Rate::place(kind.window(), at).0);
        windows
    }
}

impl Windows {
    /// Makes the window of this number the current one. If the clock goes back, the window stays the same.
    fn turn_to(&mut self, number: u64) {
        match number.saturating_sub(self.number) {
            0 => return,
            1 => self.previous = std::mem::take(&mut self.current),
            _ => {
                self.previous = HashMap::new();
                self.current = HashMap::new();
            }
        }
        self.number = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Counted = Counted::SignInAddress;
    const WINDOW_S: u64 = 900;

    fn at(window: u64) -> Duration {
        Duration::from_secs(window * WINDOW_S)
    }

    fn moment(window: u64) -> Timestamp {
        Timestamp::from_second((window * WINDOW_S) as i64).expect("a moment")
    }

    fn subject(n: u128) -> Uuid {
        Uuid::from_u128(n)
    }

    #[test]
    fn what_others_counted_comes_on_top_of_what_is_not_written_yet() {
        let mut tallies = Tallies::default();
        tallies.add(KIND, subject(1), at(7), 2);
        tallies.learn(KIND, subject(1), &[(6, 9), (7, 4), (5, 100)], moment(7));
        assert_eq!(tallies.used(KIND, subject(1), at(7)), Used { before: 9, current: 6 });
        let unsaved = tallies.take_unsaved(at(7));
        assert_eq!(unsaved, [Unsaved { kind: KIND, subject: subject(1), window: 7, n: 2 }]);
        tallies.learn(KIND, subject(1), &[(7, 6)], moment(7));
        assert_eq!(tallies.used(KIND, subject(1), at(7)).current, 6, "written, it is counted once");
        tallies.give_back(&unsaved);
        assert_eq!(tallies.take_unsaved(at(8)).len(), 1, "the next window looks back at it");
        tallies.give_back(&unsaved);
        assert_eq!(tallies.take_unsaved(at(9)), [], "the one after does not");
    }

    #[test]
    fn an_older_answer_takes_nothing_back() {
        let mut tallies = Tallies::default();
        tallies.learn(KIND, subject(1), &[(7, 10)], moment(7));
        tallies.learn(KIND, subject(1), &[(7, 3)], moment(7));
        assert_eq!(tallies.used(KIND, subject(1), at(7)).current, 10);
        assert_eq!(tallies.used(KIND, subject(1), at(8)), Used { before: 10, current: 0 });
        assert_eq!(tallies.used(KIND, subject(1), at(10)), Used::default());
    }

    #[test]
    fn subjects_are_bounded_and_the_rest_share_one_count() {
        let mut tallies = Tallies::default();
        for n in 0..MOST_SUBJECTS as u128 + 50 {
            let place = tallies.place(KIND, subject(n + 1), at(1));
            tallies.add(KIND, place, at(1), 1);
        }
        let (known, other) = (subject(7), subject(u128::MAX));
        assert_eq!(tallies.place(KIND, known, at(1)), known, "known ones keep their own");
        assert_eq!(tallies.place(KIND, other, at(1)), ALL_OTHERS);
        assert_eq!(tallies.used(KIND, ALL_OTHERS, at(1)).current, 50, "newcomers share one");
        assert_eq!(tallies.kinds[&KIND].current.len(), MOST_SUBJECTS + 1);
        assert_eq!(tallies.unsaved.len(), MOST_SUBJECTS + 1);
        tallies.add(KIND, subject(1), at(3), 1);
        assert_eq!((tallies.kinds[&KIND].current.len(), tallies.kinds[&KIND].previous.len()), (1, 0));
    }
}
