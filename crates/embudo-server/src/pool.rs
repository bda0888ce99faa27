//! An amount of memory that requests take shares from and give back.
//!
//! A request that holds memory and needs more to finish goes before one that wants to begin, because only requests that
//! finish give memory back. Within each of these two queues it is first come, first served. A request that does not fit
//! yet holds up those behind it; otherwise a large one would never get its turn. Where addresses are counted, none may
//! hold more than its share, and a request beyond that share holds up nobody else. The pool does not know what the
//! bytes are for.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

/// The maximum of waiting requests for memory; the next one is refused without a wait.
const MAX_WAITING: usize = 4096;

/// The pool. Clones are handles on the same one.
#[derive(Debug, Clone)]
pub(crate) struct Pool(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    total: u64,
    /// The maximum that one address may hold.
    share: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    free: u64,
    growing: VecDeque<Wish>,
    entering: VecDeque<Wish>,
    /// The bytes that each address holds; an address that holds nothing is not in the map.
    held: HashMap<IpAddr, u64>,
}

#[derive(Debug)]
struct Wish {
    bytes: u64,
    who: Option<IpAddr>,
    grant: oneshot::Sender<Share>,
}

impl Pool {
    /// `share` is the maximum that one address may hold.
    pub(crate) fn new(total: u64, share: u64) -> Self {
        let state = Mutex::new(State { free: total, ..State::default() });
        Self(Arc::new(Inner { total, share, state }))
    }

    /// How many bytes are taken at this moment.
    pub(crate) fn held_bytes(&self) -> u64 {
        self.0.total - self.0.lock().free
    }

    /// Takes `bytes` at once or not at all.
    pub(crate) fn try_enter(&self, who: Option<IpAddr>, bytes: u64) -> Option<Share> {
        let mut state = self.0.lock();
        self.0.fits(&state, who, bytes).then(|| self.0.hand_out(&mut state, who, bytes))
    }

    /// Waits in turn for `bytes`; `None` when `patience` is over or too many requests wait. A request for more than
    /// the pool can ever give gets the maximum; otherwise it would wait for ever.
    pub(crate) async fn enter(&self, who: Option<IpAddr>, bytes: u64, patience: Duration) -> Option<Share> {
        let bytes = bytes.min(self.0.most(who));
        self.0.take(Lane::Entering, who, bytes, patience).await
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lane {
    Growing,
    Entering,
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is consistent even after a panic: nothing panics while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn most(&self, who: Option<IpAddr>) -> u64 {
        if who.is_some() { self.share.min(self.total) } else { self.total }
    }

    async fn take(
        self: &Arc<Self>,
        lane: Lane,
        who: Option<IpAddr>,
        bytes: u64,
        patience: Duration,
    ) -> Option<Share> {
        let granted = {
            let mut state = self.lock();
            let nobody_before =
                state.growing.is_empty() && (lane == Lane::Growing || state.entering.is_empty());
            if nobody_before && self.fits(&state, who, bytes) {
                return Some(self.hand_out(&mut state, who, bytes));
            }
            let queue = if lane == Lane::Growing { &mut state.growing } else { &mut state.entering };
            if queue.len() >= MAX_WAITING {
                return None;
            }
            let (grant, granted) = oneshot::channel();
            queue.push_back(Wish { bytes, who, grant });
            granted
        };
        // However the wait ends, the requests behind must be looked at again, because this one is gone.
        let _leaving = Leaving(self);
        self.grant();
        tokio::time::timeout(patience, granted).await.ok()?.ok()
    }

    fn fits(&self, state: &State, who: Option<IpAddr>, bytes: u64) -> bool {
        bytes <= state.free && self.within_share(state, who, bytes)
    }

    fn within_share(&self, state: &State, who: Option<IpAddr>, bytes: u64) -> bool {
        who.is_none_or(|who| state.held.get(&who).copied().unwrap_or(0) + bytes <= self.share)
    }

    fn hand_out(self: &Arc<Self>, state: &mut State, who: Option<IpAddr>, bytes: u64) -> Share {
        state.free -= bytes;
        if let Some(who) = who {
            *state.held.entry(who).or_insert(0) += bytes;
        }
        Share { pool: self.clone(), who, bytes }
    }

    fn give_back(self: &Arc<Self>, who: Option<IpAddr>, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let anyone_waits = {
            let mut state = self.lock();
            state.free += bytes;
            if let Some(who) = who
                && let Some(held) = state.held.get_mut(&who)
            {
                *held = held.saturating_sub(bytes);
                if *held == 0 {
                    state.held.remove(&who);
                }
            }
            !(state.growing.is_empty() && state.entering.is_empty())
        };
        if anyone_waits {
            self.grant();
        }
    }

    /// Grants what can be granted now. The shares are sent after the lock is released: if a receiver is gone, its share
    /// is dropped, and [`Share`]'s drop takes the lock.
    fn grant(self: &Arc<Self>) {
        let mut granted = Vec::new();
        {
            let mut state = self.lock();
            let (mut growing, mut entering) =
                (std::mem::take(&mut state.growing), std::mem::take(&mut state.entering));
            if self.grant_from(&mut growing, &mut state, &mut granted) {
                self.grant_from(&mut entering, &mut state, &mut granted);
            }
            (state.growing, state.entering) = (growing, entering);
        }
        for (grant, share) in granted {
            // If the receiver is gone, dropping the share gives it back.
            let _ = grant.send(share);
        }
    }

    /// Grants from one queue. Returns whether no request in this queue waits for memory that others might take.
    fn grant_from(
        self: &Arc<Self>,
        queue: &mut VecDeque<Wish>,
        state: &mut State,
        granted: &mut Vec<(oneshot::Sender<Share>, Share)>,
    ) -> bool {
        let mut next = 0;
        while let Some(wish) = queue.get(next) {
            if wish.grant.is_closed() {
                queue.remove(next);
            } else if !self.within_share(state, wish.who, wish.bytes) {
                next += 1;
            } else if wish.bytes <= state.free {
                let share = self.hand_out(state, wish.who, wish.bytes);
                granted.extend(queue.remove(next).map(|wish| (wish.grant, share)));
            } else {
                return false;
            }
        }
        true
    }
}

struct Leaving<'a>(&'a Arc<Inner>);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.grant();
    }
}

/// A part of the pool, given back when dropped.
#[derive(Debug)]
pub(crate) struct Share {
    pool: Arc<Inner>,
    who: Option<IpAddr>,
    bytes: u64,
}

impl Share {
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Waits until the share has `bytes`, or the maximum that it can have. Returns whether it has.
    pub(crate) async fn grow_to(&mut self, bytes: u64, patience: Duration) -> bool {
        let more = bytes.min(self.pool.most(self.who)).saturating_sub(self.bytes);
        if more == 0 {
            return true;
        }
        let Some(mut added) = self.pool.take(Lane::Growing, self.who, more, patience).await else {
            return false;
        };
        self.bytes += std::mem::take(&mut added.bytes);
        true
    }

    /// Gives back everything beyond `bytes`.
    pub(crate) fn shrink_to(&mut self, bytes: u64) {
        let spare = self.bytes.saturating_sub(bytes);
        self.bytes -= spare;
        self.pool.give_back(self.who, spare);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.pool.give_back(self.who, self.bytes);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);
    const ANA: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1)));
    const EVA: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2)));

    #[tokio::test]
    async fn a_large_wish_is_not_overtaken_by_smaller_ones() {
        let pool = Pool::new(1000, 1000);
        let held = pool.enter(None, 600, LONG).await.unwrap();
        let mut large = Box::pin(pool.enter(None, 900, LONG));
        assert!(futures_util::poll!(&mut large).is_pending());
        let mut small = Box::pin(pool.enter(None, 100, LONG));
        assert!(futures_util::poll!(&mut small).is_pending(), "there would be room, but it is not its turn");
        drop(held);
        let (large, mut small) = (large.await.unwrap(), small.await.unwrap());
        assert_eq!(pool.held_bytes(), 1000);
        small.shrink_to(1);
        assert_eq!(pool.held_bytes(), 901);
        drop((large, small));
        assert_eq!(pool.held_bytes(), 0);
    }

    #[tokio::test]
    async fn whoever_must_finish_goes_before_whoever_begins() {
        let pool = Pool::new(1000, 1000);
        let (mut one, two) =
            (pool.enter(None, 500, LONG).await.unwrap(), pool.enter(None, 500, LONG).await.unwrap());
        let mut new = Box::pin(pool.enter(None, 400, LONG));
        assert!(futures_util::poll!(&mut new).is_pending());
        let mut grown = Box::pin(one.grow_to(900, LONG));
        assert!(futures_util::poll!(&mut grown).is_pending());
        drop(two);
        assert!(grown.await);
        assert!(futures_util::poll!(&mut new).is_pending());
        assert_eq!(one.bytes(), 900);
        drop(one);
        assert_eq!(new.await.unwrap().bytes(), 400);
    }

    #[tokio::test]
    async fn a_wish_that_was_given_up_holds_up_nobody() {
        let pool = Pool::new(1000, 1000);
        let _held = pool.enter(None, 600, LONG).await.unwrap();
        let mut large = Box::pin(pool.enter(None, 900, LONG));
        assert!(futures_util::poll!(&mut large).is_pending());
        let mut small = Box::pin(pool.enter(None, 100, LONG));
        assert!(futures_util::poll!(&mut small).is_pending());
        drop(large);
        assert_eq!(small.await.unwrap().bytes(), 100);
        assert!(pool.enter(None, 900, Duration::ZERO).await.is_none(), "no patience at all");
        assert_eq!(pool.enter(None, 400, LONG).await.unwrap().bytes(), 400);
    }

    #[tokio::test]
    async fn one_address_holds_its_share_and_does_not_hold_up_others() {
        let pool = Pool::new(1000, 400);
        let anas = pool.enter(ANA, 5000, LONG).await.unwrap();
        assert_eq!(anas.bytes(), 400, "a wish beyond the share gets the share");
        let mut more = Box::pin(pool.enter(ANA, 1, LONG));
        assert!(futures_util::poll!(&mut more).is_pending());
        let evas = pool.enter(EVA, 300, LONG).await.unwrap();
        assert_eq!(pool.held_bytes(), 700);
        drop(anas);
        assert_eq!(more.await.unwrap().bytes(), 1);
        drop(evas);
        assert_eq!((pool.held_bytes(), pool.0.lock().held.len()), (0, 0), "addresses are forgotten");
    }
}
