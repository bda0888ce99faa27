//! Keeps the columns by which the inbox is sorted and searched, and the counts of the summary, in step with what is
//! written, usually within a second. Announces leads that changed.
//!
//! Each process is woken by its own writes and projects them at once. What a process wrote before it died is projected
//! by any process that reads the tail of the tables, which happens now and then. Projecting twice changes nothing.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use embudo_domain::LeadId;
use embudo_store::Store;
use embudo_store::projection::{Heard, LeadChange, Tail};
use embudo_store::touches::Touch;
use tokio::time::MissedTickBehavior;

use super::Housekeeping;
use crate::AppError;
use crate::changes::{is_broadcast_one_by_one, to_broadcast};

/// The maximum number of leads that are projected in one transaction, so that no writer waits long for it.
const CHUNK: usize = 100;
/// The maximum while other writers wait for the only write lock.
const CHUNK_AMONG_OTHERS: usize = 16;
/// After each chunk of catching up, the projector sleeps for this many halves of the chunk's time, so that other
/// writers keep more than half of their rate.
const HALVES_FOR_OTHERS: u32 = 3;
/// Changes within this time are projected together.
const GATHER: Duration = Duration::from_millis(100);
/// The pause after a projection is this many times as long as the projection, because projecting slows down the calls.
/// The pause is limited by [`GATHER`] and [`LONGEST_GATHERING`].
const SHARE: u32 = 20;
const LONGEST_GATHERING: Duration = Duration::from_secs(5);
/// The pause after a failure.
const BACK_OFF: Duration = Duration::from_secs(1);

/// Projects in chunks. While other writers wait, the chunks are small, with pauses between them.
struct AmongOthers<'a> {
    store: &'a dyn Store,
    /// The maximum number of leads in the next chunk.
    chunk: usize,
}

impl AmongOthers<'_> {
    async fn project(&mut self, touches: Vec<(LeadId, Touch)>) -> Result<Vec<LeadChange>, AppError> {
        let (before, begun) = (self.store.commands_written(), Instant::now());
        let changes = self.store.project(touches).await?;
        let written =
            self.store.commands_written().zip(before).map_or(0, |(now, before)| now.saturating_sub(before));
        // One of these commands is this projection.
        let are_others = written > 1;
        self.chunk = if are_others { CHUNK_AMONG_OTHERS } else { CHUNK };
        if are_others {
            tokio::time::sleep(begun.elapsed() * HALVES_FOR_OTHERS / 2).await;
        }
        Ok(changes)
    }
}

impl Housekeeping<'_> {
    /// Projects for ever. It sleeps until something was written, and reads the tail at the interval `tail`.
    pub(super) async fn keep_projected(self, tail: Duration) {
        while let Err(error) = self.catch_up_at_start().await {
            tracing::warn!(%error, "the inbox could not be brought up to date; it is tried again");
            tokio::time::sleep(BACK_OFF).await;
        }
        let mut turn = tokio::time::interval(tail);
        turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
        turn.reset();
        let mut gather = GATHER;
        loop {
            let begun = tokio::select! {
                () = self.app.store.touches().woken() => {
                    tokio::time::sleep(gather).await;
                    let begun = Instant::now();
                    self.logged(self.project_touched().await).await;
                    begun
                }
                _ = turn.tick() => {
                    let begun = Instant::now();
                    self.logged(self.catch_up().await).await;
                    begun
                }
            };
            gather = (begun.elapsed() * SHARE).clamp(GATHER, LONGEST_GATHERING);
        }
    }

    async fn logged(self, end: Result<usize, AppError>) {
        if let Err(error) = end {
            tracing::warn!(%error, "the inbox could not be kept in step; it is tried again");
            tokio::time::sleep(BACK_OFF).await;
        }
    }

    /// Projects what this process wrote since the last time, and announces it; returns the number of leads.
    pub async fn project_touched(self) -> Result<usize, AppError> {
        let taken = self.app.store.touches().take();
        let count = taken.leads.len();
        let (projected, seen): (Vec<_>, Vec<_>) =
            taken.leads.into_iter().partition(|(_, touch)| touch.is_projected());
        let mut changes = match self.project(&projected).await {
            Ok(changes) => changes,
            Err(error) => {
                self.app.store.touches().give_back(projected);
                return Err(error);
            }
        };
        if taken.overflowed {
            self.catch_up().await?;
        }
        if taken.overflowed || !is_broadcast_one_by_one(count) {
            self.tell(Heard::Everything);
            return Ok(count);
        }
        let seen: Vec<LeadId> = seen.into_iter().map(|(lead, _)| lead).collect();
        changes.extend(self.app.store.owners(seen).await?);
        if !changes.is_empty() {
            self.tell(to_broadcast(changes));
        }
        Ok(count)
    }

    /// Projects what any process appended but did not project; returns the number of leads.
    pub async fn catch_up(self) -> Result<usize, AppError> {
        let Tail { touches, cursors, .. } = self.app.store.tail(self.app.now()).await?;
        let changes = self.project_among_others(&touches).await?;
        self.app.store.keep_cursors(cursors).await?;
        let count = changes.len();
        if count > 0 {
            self.tell(to_broadcast(changes));
        }
        Ok(count)
    }

    /// Like `catch_up`, but also finds changes that leave no trace in the append-only tables. The first time it
    /// projects everything. Retention periods wait until this is done.
    pub async fn catch_up_at_start(self) -> Result<(), AppError> {
        let Tail { mut touches, cursors, since, is_first } = self.app.store.tail(self.app.now()).await?;
        if is_first {
            let leads = self.rebuild_inbox().await?;
            tracing::info!(leads, "the inbox was made from what is stored");
        } else {
            let changed = self.app.store.leads_changed_since(since).await?;
            touches.extend(changed.into_iter().map(|lead| (lead, Touch::anew())));
            self.project_among_others(&touches).await?;
        }
        self.app.store.keep_cursors(cursors).await?;
        self.app.is_caught_up.store(true, Ordering::Release);
        Ok(())
    }

    /// Projects and counts every lead again; returns how many there are.
    pub async fn rebuild_inbox(self) -> Result<usize, AppError> {
        self.app.store.clear_figures().await?;
        let (mut total, mut after) = (0, None);
        let mut among = AmongOthers { store: &*self.app.store, chunk: CHUNK };
        loop {
            let leads = self.app.store.leads_after(after, among.chunk as u32).await?;
            let Some(last) = leads.last() else { return Ok(total) };
            after = Some(*last);
            total += leads.len();
            among.project(leads.into_iter().map(|lead| (lead, Touch::anew())).collect()).await?;
            tokio::task::yield_now().await;
        }
    }

    /// Projects in small chunks while other calls write. For catching up with very many leads.
    async fn project_among_others(self, touches: &[(LeadId, Touch)]) -> Result<Vec<LeadChange>, AppError> {
        let mut among = AmongOthers { store: &*self.app.store, chunk: CHUNK };
        let (mut changes, mut rest) = (Vec::new(), touches);
        while !rest.is_empty() {
            let (now, later) = rest.split_at(among.chunk.min(rest.len()));
            changes.extend(among.project(now.to_vec()).await?);
            rest = later;
        }
        Ok(changes)
    }

    async fn project(self, touches: &[(LeadId, Touch)]) -> Result<Vec<LeadChange>, AppError> {
        let mut changes = Vec::new();
        for chunk in touches.chunks(CHUNK) {
            changes.extend(self.app.store.project(chunk.to_vec()).await?);
        }
        Ok(changes)
    }

    fn tell(self, changes: Heard) {
        self.app.changes.publish(&changes);
        self.app.store.tell_changes(changes);
    }

    /// Forwards the changes that other processes announce.
    pub(super) async fn keep_listening(self) {
        loop {
            let heard = self.app.store.changes_told().await;
            self.app.changes.publish(&heard);
        }
    }
}
