//! Counts that several processes share.

use std::sync::Arc;
use std::time::{Duration, Instant};

use embudo_app::{Counted, Pace};
use embudo_domain::Digest;
use embudo_store::counts::CountKey;
use embudo_testkit::{Engine, ManualClock, Server, Setup, both_engines};
use jiff::SignedDuration;
use uuid::Uuid;

both_engines!(
    a_count_comes_to_the_other_process_by_itself,
    counts_are_written_once_a_second_at_most,
    one_that_is_refused_here_asks_nobody,
    whom_a_count_is_of_does_not_stand_in_the_database,
);

const KIND: Counted = Counted::SignInAddress;
const WHO: &[u8] = &[192, 0, 2, 1];

struct Two {
    one: Server,
    other: Server,
    clock: Arc<ManualClock>,
}

impl Two {
    async fn at(engine: Engine) -> Self {
        let clock = Arc::new(ManualClock::default());
        let setup = || Setup { clock: clock.clone(), ..Setup::at(engine) };
        let one = setup().start().await;
        let other = setup().start_beside(&one).await;
        Self { one, other, clock }
    }

    /// Moves the clock by a second, and returns whether a process then allows one more.
    async fn lets(&self, server: &Server, limit: u32) -> bool {
        self.clock.advance(SignedDuration::from_secs(1));
        server.app.limits().count(KIND, WHO, 1, limit).await.is_ok()
    }
}

async fn a_count_comes_to_the_other_process_by_itself(engine: Engine) {
    let two = Two::at(engine).await;
    let chores = two.one.app.housekeeping().start_chores(Pace::default());
    assert!(two.lets(&two.one, 3).await);
    // Counting zero with a limit of zero only asks whether there is any count.
    while two.other.app.limits().count(KIND, WHO, 0, 0).await.is_ok() {
        two.clock.advance(SignedDuration::from_secs(1));
        tokio::task::yield_now().await;
    }
    assert!(two.lets(&two.other, 2).await);
    assert!(!two.lets(&two.other, 2).await);
    for chore in chores {
        chore.abort();
    }
}

async fn counts_are_written_once_a_second_at_most(engine: Engine) {
    let two = Two::at(engine).await;
    let chores = two.one.app.housekeeping().start_chores(Pace::default());
    let start = Instant::now();
    for n in 0..2 {
        assert!(two.lets(&two.one, 3).await);
        while two.other.app.limits().count(KIND, WHO, 0, n).await.is_ok() {
            // The clock must not move too fast: the first window must not end before the second process counts.
            two.clock.advance(SignedDuration::from_secs(1));
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
    for chore in chores {
        chore.abort();
    }
}

/// Neither the subject itself nor a hash that anybody could compute is stored.
async fn whom_a_count_is_of_does_not_stand_in_the_database(engine: Engine) {
    let two = Two::at(engine).await;
    let subjects = [WHO, b"+34612345678", b"ana@b.es"];
    for subject in subjects {
        two.one.app.limits().count(KIND, subject, 1, 3).await.unwrap();
    }
    assert_eq!(two.one.app.limits().flush().await.unwrap(), subjects.len());
    for subject in subjects {
        let mut plain = [0; 16];
        plain[..subject.len()].copy_from_slice(subject);
        let hash: [u8; 16] = Digest::of(subject).0[..16].try_into().unwrap();
        for told in [plain, hash] {
            let key = CountKey { kind: "entrar_red", subject: Uuid::from_bytes(told), window: 0 };
            assert_eq!(two.one.app.store.counts_since(key).await.unwrap(), [], "{told:02x?}");
        }
    }
}

async fn one_that_is_refused_here_asks_nobody(engine: Engine) {
    let two = Two::at(engine).await;
    assert!(two.lets(&two.one, 1).await && !two.lets(&two.one, 1).await);
    assert_eq!(two.one.app.limits().flush().await.unwrap(), 1);
    assert_eq!(two.one.app.limits().flush().await.unwrap(), 0, "a refusal is nothing to write");
    assert!(!two.lets(&two.other, 1).await, "the other has read it");
    assert_eq!(two.other.app.limits().flush().await.unwrap(), 0);
}

#[tokio::test]
async fn while_storage_is_away_a_process_goes_on_with_its_own_counts_and_loses_none() {
    let two = Two::at(Engine::Postgres).await;
    assert!(two.lets(&two.one, 5).await);
    two.one.sql("ALTER TABLE conteo RENAME TO fuera").await;
    for _ in 0..4 {
        assert!(two.lets(&two.one, 5).await);
        assert!(two.one.app.limits().flush().await.is_err());
    }
    assert!(!two.lets(&two.one, 5).await);
    two.one.sql("ALTER TABLE fuera RENAME TO conteo").await;
    assert_eq!(two.one.app.limits().flush().await.unwrap(), 1);
    assert!(!two.lets(&two.other, 5).await);
    assert!(two.lets(&two.other, 6).await);
}
