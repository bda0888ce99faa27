//! The worker survives its own panics: it starts again and continues with the waiting jobs. It never tries a job twice
//! at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use embudo_app::Clock;
use embudo_domain::Timestamp;
use embudo_domain::job::{JobKind, JobState};
use embudo_store::outbox::Lease;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, ManualClock, both_engines};
use jiff::SignedDuration;
use tokio::sync::oneshot;

use crate::stage::Stage;

both_engines!(a_job_that_is_being_tried_is_not_taken_again);

/// A clock that panics while it is broken. The worker reads the clock before it claims jobs.
#[derive(Default)]
struct BrokenClock {
    good: ManualClock,
    broken: AtomicBool,
    panics: AtomicUsize,
}

impl Clock for BrokenClock {
    fn now(&self) -> Timestamp {
        if self.broken.load(Ordering::SeqCst) {
            self.panics.fetch_add(1, Ordering::SeqCst);
            panic!("the clock is broken, as this test wants it");
        }
        self.good.now()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_panics_starts_again() {
    let clock = Arc::new(BrokenClock::default());
    let e = Stage::signals(Engine::Sqlite, |m| m.clock = clock.clone()).await;
    e.receiver.manners([Manner::state(500)]);
    let lead = e.new_lead().await;
    assert!(!e.complete_perfil(lead).await);
    clock.good.advance(SignedDuration::from_mins(5));

    clock.broken.store(true, Ordering::SeqCst);
    let (stop, stopped) = oneshot::channel::<()>();
    let app = e.app.clone();
    let worker =
        tokio::spawn(async move { app.worker().work(async { drop(stopped.await) }, Duration::ZERO).await });
    while clock.panics.load(Ordering::SeqCst) < 2 {
        assert!(!worker.is_finished(), "it never came back");
        tokio::task::yield_now().await;
    }
    assert_eq!(e.receiver.received().len(), 1, "nothing was claimed meanwhile");
    clock.broken.store(false, Ordering::SeqCst);
    e.receiver.await_requests(2).await;
    drop(stop);
    worker.await.expect("it ends when it is asked to");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_panics_stops_when_it_is_asked() {
    let clock = Arc::new(BrokenClock::default());
    let e = Stage::signals(Engine::Sqlite, |m| m.clock = clock.clone()).await;
    clock.broken.store(true, Ordering::SeqCst);
    let stop = async {
        while clock.panics.load(Ordering::SeqCst) < 2 {
            tokio::task::yield_now().await;
        }
    };
    e.app.worker().work(stop, Duration::ZERO).await;
}

/// A process that stalls for longer than its leases last finds its own jobs free to claim.
async fn a_job_that_is_being_tried_is_not_taken_again(engine: Engine) {
    let e = Stage::signals(engine, |m| m.outbound.wait = Duration::from_millis(1)).await;
    e.receiver.manners([Manner::Late]);
    let lead = e.new_lead().await;
    assert!(!e.complete_perfil(lead).await, "it goes on by itself");
    e.receiver.await_requests(1).await;

    let app = &e.app;
    let all = app.store.list_jobs(Default::default(), None, 10).await.unwrap();
    let ids: Vec<_> = all.iter().map(|t| t.id).collect();
    let overdue = Lease { who: app.outbound.process, lasts: Duration::ZERO };
    assert_eq!(app.store.renew(ids.clone(), overdue).await.unwrap(), ids, "the lease has run out");

    let free = app.store.next_due(vec![JobKind::Perfil]).await.unwrap();
    let another_round = app.clone();
    let another_round = tokio::spawn(async move { another_round.worker().run_jobs().await });
    while app.store.next_due(vec![JobKind::Perfil]).await.unwrap() == free {
        assert!(!another_round.is_finished(), "it was not claimed");
        tokio::task::yield_now().await;
    }
    e.receiver.release();
    assert_eq!(another_round.await.unwrap().unwrap(), 0, "nothing was begun");
    assert_eq!(e.receiver.received().len(), 1);
    let (job, deliveries) = app.store.job(ids[0]).await.unwrap();
    assert_eq!((job.state, deliveries.len()), (JobState::Done, 1), "its outcome is not lost");
}
