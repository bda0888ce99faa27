//! Several processes share one outbox: two stores on one database are two processes.

use std::collections::HashSet;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::common::{Base, KILL};
use embudo_domain::LeadId;
use embudo_domain::job::{JobKind, JobState};
use embudo_store::outbox::{JobOutcome, Lease};
use embudo_store::{Store, StoreError};
use embudo_store_conformance::data::outbox::{
    LENGTH, allotment, end, job, make, of, only_jobs, own, process, take, take_when_due,
};
use embudo_store_conformance::data::{self, t};
use tokio::task::JoinSet;
use tokio_postgres::{AsyncMessage, NoTls};

async fn two_stores() -> (Arc<dyn Store>, Arc<dyn Store>, Base, LeadId) {
    let base = Base::new().await;
    let one: Arc<dyn Store> = Arc::new(base.store().await);
    let other: Arc<dyn Store> = Arc::new(base.store().await);
    let lead = data::a_lead(&one).await;
    (one, other, base, lead)
}

/// Waits for something that must happen soon.
async fn soon<T>(what: &str, happening: impl Future<Output = T>) -> T {
    let end = tokio::time::timeout(Duration::from_mins(2), happening).await;
    end.unwrap_or_else(|_| panic!("{what}: it does not happen"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_take_disjoint_sets_under_load() {
    const MANY: usize = 600;
    let (one, other, _base, lead) = two_stores().await;
    let taken = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for (n, store) in [&one, &other].into_iter().cycle().take(8).enumerate() {
        let (store, taken, who) = (Arc::clone(store), Arc::clone(&taken), process());
        tasks.spawn(async move {
            // Half of the tasks make the jobs that all of them take, so that makers and takers run at the same time.
            for _ in 0..if n < 4 { MANY / 4 } else { 0 } {
                make(&store, lead, job(JobKind::Mensajeria), t(1)).await;
            }
            let mut own = Vec::new();
            let lease = Lease { who, lasts: LENGTH };
            while taken.load(Ordering::Relaxed) < MANY {
                let jobs = store.claim(allotment(JobKind::Mensajeria, 7), lease, t(2)).await;
                let jobs = jobs.expect("claimed");
                assert!(jobs.len() <= 7);
                taken.fetch_add(jobs.len(), Ordering::Relaxed);
                for job in jobs {
                    own.push(job.id);
                    assert!(store.finish(end(job.id, who, JobOutcome::Done, t(3))).await.expect("ended"));
                }
            }
            own
        });
    }
    let all = soon("every job is taken", tasks.join_all()).await.concat();
    assert_eq!(all.len(), MANY);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), MANY, "one was taken twice");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_goes_on_where_one_died() {
    let (one, other, _base, lead) = two_stores().await;
    let (dead, alive) = (process(), process());
    let id = make(&one, lead, of(JobKind::Perfil, dead, Duration::from_millis(50)), t(1)).await;
    drop(one);
    take_when_due(&other, id, Lease { who: alive, lasts: LENGTH }, t(1)).await;
    assert!(!other.finish(end(id, dead, JobOutcome::Done, t(2))).await.expect("answered"));
    assert!(other.finish(end(id, alive, JobOutcome::Done, t(2))).await.expect("ended"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_for_others_wakes_them() {
    let (one, other, base, lead) = two_stores().await;
    soon("listening", other.woken()).await;
    let id = make(&one, lead, job(JobKind::Mensajeria), t(1)).await;
    soon("a job without a lease", other.woken()).await;

    let who = process();
    assert_eq!(take(&one, who, t(1)).await.len(), 1);
    assert_eq!(one.release(who).await.expect("released"), 1);
    soon("a release", other.woken()).await;

    one.retry(id, t(2), None).await.expect("due");
    soon("a retry", other.woken()).await;

    // A job that a process holds wakes nobody: the next notification is for the job after it.
    make(&one, lead, of(JobKind::Mensajeria, who, LENGTH), t(3)).await;
    make(&one, lead, job(JobKind::Mensajeria), t(4)).await;
    soon("another job", other.woken()).await;

    base.client().await.query_one(KILL, &[]).await.expect("ended");
    soon("the listener is back", other.woken()).await;
    make(&one, lead, job(JobKind::Mensajeria), t(5)).await;
    soon("a job after that", other.woken()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_jobs_are_told_of_few_times() {
    let (one, _other, base, lead) = two_stores().await;
    let (listener, mut connection) = tokio_postgres::connect(&base.url, NoTls).await.expect("connected");
    let heard = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&heard);
    tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
            if matches!(message, AsyncMessage::Notification(_)) {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let channel = listener.query_one(include_str!("../../sql/trabajo/channel.sql"), &[]).await.expect("read");
    let channel: String = channel.get(0);
    listener.batch_execute(&format!("LISTEN {channel}")).await.expect("listening");
    let start = Instant::now();
    for n in 0..200 {
        make(&one, lead, job(JobKind::Mensajeria), t(n)).await;
    }
    while heard.load(Ordering::Relaxed) == 0 {
        tokio::task::yield_now().await;
    }
    let most = 2 + start.elapsed().as_millis() as usize / 100;
    let heard = heard.load(Ordering::Relaxed);
    assert!(heard <= most, "{heard} notifications in {:?}", start.elapsed());

    let other = "CREATE SCHEMA otro; SET search_path = otro";
    listener.batch_execute(other).await.expect("another schema");
    let row = listener.query_one(include_str!("../../sql/trabajo/channel.sql"), &[]).await.expect("read");
    assert_ne!(row.get::<_, String>(0), channel, "schemas do not hear each other");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_profile_signals_at_most_one_waits() {
    let (one, other, _base, _) = two_stores().await;
    for _ in 0..40 {
        let lead = data::other_lead(&one).await;
        let who = process();
        let old = make(&one, lead, of(JobKind::Perfil, who, LENGTH), t(1)).await;
        let again = end(old, who, JobOutcome::Retry(t(5)), t(2));
        let newer = |at| only_jobs(lead, vec![job(JobKind::Perfil)], t(at));
        let (ended, a, b) =
            tokio::join!(one.finish(again), other.record_event(newer(2)), one.record_event(newer(3)));
        assert!(ended.expect("ended"));
        a.and(b).expect("made");
        let waiting = own(&one, lead).await;
        let waiting = waiting.iter().filter(|job| job.state == JobState::Pending).count();
        assert_eq!(waiting, 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_end_that_was_in_doubt_is_written_once() {
    let (one, _other, base, lead) = two_stores().await;
    let who = process();
    let mut ids = Vec::new();
    for n in 0..150 {
        ids.push(make(&one, lead, of(JobKind::Mensajeria, who, LENGTH), t(n)).await);
    }
    let enough = Arc::new(AtomicBool::new(false));
    let killing = {
        let (client, enough) = (base.client().await, Arc::clone(&enough));
        tokio::spawn(async move {
            let ended = "SELECT count(*) FROM trabajo WHERE estado = 'hecho'";
            while !enough.load(Ordering::Relaxed) {
                client.query_one(KILL, &[]).await.expect("ended");
                // Waits until something was written again: a busy machine needs a while for a new connection.
                let before: i64 = client.query_one(ended, &[]).await.expect("read").get(0);
                while !enough.load(Ordering::Relaxed)
                    && client.query_one(ended, &[]).await.expect("read").get::<_, i64>(0) <= before
                {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            }
        })
    };
    let mut tasks = JoinSet::new();
    for part in ids.chunks(25) {
        let (store, part) = (Arc::clone(&one), part.to_vec());
        tasks.spawn(async move {
            for id in part {
                loop {
                    match store.finish(end(id, who, JobOutcome::Done, t(500))).await {
                        Ok(_) => break,
                        Err(StoreError::Unavailable(_)) => {}
                        Err(other) => panic!("{other:?}"),
                    }
                }
            }
        });
    }
    soon("every job ends", tasks.join_all()).await;
    enough.store(true, Ordering::Relaxed);
    killing.await.expect("no panic");
    for id in ids {
        let (job, log) = one.job(id).await.expect("it exists");
        assert_eq!((job.state, job.intentos, log.len()), (JobState::Done, 1, 1));
    }
}

/// A receiver that calls back before it answers, and our own calls about the same lead, do not wait for a lock of the
/// job in flight.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signal_in_flight_holds_nobody_up() {
    let (one, other, _base, lead) = two_stores().await;
    let who = process();
    let id = make(&one, lead, of(JobKind::Perfil, who, LENGTH), t(1)).await;
    let mut back = data::ingesta(lead, vec![data::foto()], t(2));
    back.finalizar = true;
    soon("the call back", other.ingest(back)).await.expect("saved");
    soon("a turn", other.append_turno(data::turno(lead, "hola", t(2)))).await.expect("appended");
    assert!(one.finish(end(id, who, JobOutcome::Done, t(3))).await.expect("ended"));
}
