//! Holds new jobs whose destination was paused by their company, instead of trying them.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use embudo_domain::EmpresaId;
use embudo_domain::job::{Job, JobKind};
use embudo_store::Result;

use crate::App;

type Paused = Arc<HashSet<(EmpresaId, JobKind)>>;

/// Reads what is paused, of all companies. Calls that wait at the same moment share one read. It begins after each of
/// them has asked, so that every pause that was committed before is seen.
#[derive(Default)]
pub(crate) struct Pauses {
    asked: AtomicU64,
    last: tokio::sync::Mutex<LastRead>,
}

#[derive(Default)]
struct LastRead {
    /// How many calls had asked when the read began; after a failed read, when it ended. The result answers all of
    /// them.
    asked: u64,
    /// `None`: it could not be read.
    paused: Option<Paused>,
}

impl Pauses {
    /// What is paused, read by `ask` unless another call reads it now. `None`: it cannot be read.
    async fn read<F>(&self, ask: impl FnOnce() -> F) -> Option<Paused>
    where
        F: Future<Output = Result<Vec<(EmpresaId, JobKind)>>>,
    {
        let own = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let mut last = self.last.lock().await;
        if last.asked >= own {
            return last.paused.clone();
        }
        let asked = self.asked.load(Ordering::SeqCst);
        *last = match ask().await {
            Ok(kinds) => LastRead { asked, paused: Some(Arc::new(kinds.into_iter().collect())) },
            Err(error) => {
                tracing::warn!(%error, "what is paused cannot be read; jobs just made are taken up when their lease runs out");
                LastRead { asked: self.asked.load(Ordering::SeqCst), paused: None }
            }
        };
        last.paused.clone()
    }
}

/// The jobs of a call that may be tried now. The others are held until their destination is resumed. Claiming does the
/// same for all other due jobs.
pub(crate) async fn let_through(app: &App, jobs: Vec<Job>) -> Vec<Job> {
    if !jobs.iter().any(|job| job.kind.destination().is_some()) {
        return jobs;
    }
    let Some(pauses) = app.pauses.read(|| app.store.paused_kinds()).await else { return Vec::new() };
    let is_paused = |job: &Job| pauses.contains(&(job.empresa, job.kind));
    let (paused, free): (Vec<Job>, Vec<Job>) = jobs.into_iter().partition(is_paused);
    if !paused.is_empty() {
        let ids = paused.iter().map(|job| job.id).collect();
        if let Err(error) = app.store.hold(ids, app.outbound.process).await {
            tracing::warn!(%error, "paused jobs could not be held; a claim holds them when their lease runs out");
        }
    }
    free
}

#[cfg(test)]
mod tests {
    use embudo_store::StoreError;
    use tokio::sync::oneshot;

    use super::*;

    fn paused(n: usize) -> Vec<(EmpresaId, JobKind)> {
        JobKind::ALL.iter().take(n).map(|kind| (EmpresaId(uuid::Uuid::nil()), *kind)).collect()
    }

    async fn asked(pauses: &Pauses, how_many: u64) {
        while pauses.asked.load(Ordering::SeqCst) < how_many {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_call_that_asks_during_a_read_gets_the_next_one_which_all_such_calls_share() {
        let pauses = Arc::new(Pauses::default());
        let (open, gate) = oneshot::channel::<()>();
        let shared = Arc::clone(&pauses);
        let first = tokio::spawn(async move {
            let slow = || async {
                let _ = gate.await;
                Ok(paused(1))
            };
            shared.read(slow).await
        });
        asked(&pauses, 1).await;
        let others: Vec<_> = (2..6)
            .map(|n| {
                let shared = Arc::clone(&pauses);
                tokio::spawn(async move { shared.read(|| async move { Ok(paused(n)) }).await })
            })
            .collect();
        asked(&pauses, 5).await;
        drop(open);
        assert_eq!(first.await.expect("no panic").expect("read").len(), 1);
        let mut read = Vec::new();
        for other in others {
            read.push(other.await.expect("no panic").expect("read"));
        }
        assert!(read[0].len() > 1, "it began after they had asked");
        assert!(read.iter().all(|one| Arc::ptr_eq(one, &read[0])), "one read for all");
    }

    #[tokio::test]
    async fn a_failure_is_for_all_that_wait_and_an_abandoned_read_for_nobody() {
        let pauses = Arc::new(Pauses::default());
        let (open, gate) = oneshot::channel::<()>();
        let shared = Arc::clone(&pauses);
        let failing = tokio::spawn(async move {
            let fail = || async {
                let _ = gate.await;
                Err(StoreError::Unavailable("no answer".into()))
            };
            shared.read(fail).await
        });
        asked(&pauses, 1).await;
        let shared = Arc::clone(&pauses);
        let waiting = tokio::spawn(async move { shared.read(|| async { Ok(paused(2)) }).await });
        asked(&pauses, 2).await;
        drop(open);
        assert_eq!((failing.await.expect("no panic"), waiting.await.expect("no panic")), (None, None));

        let shared = Arc::clone(&pauses);
        let abandoned = tokio::spawn(async move { shared.read(std::future::pending::<Result<_>>).await });
        asked(&pauses, 3).await;
        abandoned.abort();
        assert!(abandoned.await.expect_err("aborted").is_cancelled());
        assert_eq!(pauses.read(|| async { Ok(paused(3)) }).await.expect("read").len(), 3);
    }
}
