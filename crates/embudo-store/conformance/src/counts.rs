//! Counts that several processes share.

use std::sync::Arc;

use embudo_store::Store;
use embudo_store::counts::{Count, CountKey};
use uuid::Uuid;

use super::data::t;

fn key(kind: &'static str, subject: u128, window: i64) -> CountKey {
    CountKey { kind, subject: Uuid::from_u128(subject), window }
}

fn count(key: CountKey, n: u32) -> Count {
    Count { key, n, expires: t(100) }
}

async fn of(store: &Arc<dyn Store>, key: CountKey) -> Vec<(i64, i64)> {
    let mut found = store.counts_since(key).await.expect("counts");
    found.sort_unstable();
    found
}

/// Increments of several processes add up, also where one call names a count twice.
pub async fn counts_add_up(store: Arc<dyn Store>) {
    let (one, other) = (key("entrar_red", 1, 7), key("entrar_red", 2, 7));
    assert_eq!(of(&store, one).await, []);
    store.add_counts(Vec::new()).await.expect("nothing to add");
    store.add_counts(vec![count(one, 2), count(other, 1), count(one, 3)]).await.expect("added");
    store.add_counts(vec![count(one, u32::MAX)]).await.expect("added");
    assert_eq!(of(&store, one).await, [(7, i64::from(u32::MAX) + 5)]);
    assert_eq!(of(&store, other).await, [(7, 1)]);
}

/// Kinds, subjects and windows are separate; a query begins at a given window.
pub async fn each_window_has_its_own(store: Arc<dyn Store>) {
    let keys = [key("a", 1, 6), key("a", 1, 7), key("a", 1, 8), key("a", 2, 7), key("b", 1, 7)];
    store.add_counts(keys.map(|key| count(key, 1)).to_vec()).await.expect("added");
    store.add_counts(vec![count(keys[2], 4)]).await.expect("added");
    assert_eq!(of(&store, keys[0]).await, [(6, 1), (7, 1), (8, 5)]);
    assert_eq!(of(&store, keys[1]).await, [(7, 1), (8, 5)]);
    assert_eq!(of(&store, keys[4]).await, [(7, 1)]);
}

pub async fn nothing_is_lost_when_many_add_at_once(store: Arc<dyn Store>) {
    let keys = [key("a", 1, 1), key("a", 2, 1), key("b", 1, 1)];
    let all = (0..8).map(|n| {
        let store = Arc::clone(&store);
        let mut counts = keys.map(|key| count(key, 1)).to_vec();
        counts.rotate_left(n % 3);
        tokio::spawn(async move {
            for _ in 0..5 {
                store.add_counts(counts.clone()).await.expect("added");
            }
        })
    });
    for one in all.collect::<Vec<_>>() {
        one.await.expect("no panic");
    }
    for key in keys {
        assert_eq!(of(&store, key).await, [(1, 40)]);
    }
}

pub async fn what_has_expired_is_purged_in_slices(store: Arc<dyn Store>) {
    let expires = |subject, at| Count { expires: t(at), ..count(key("a", subject, 1), 1) };
    store.add_counts(vec![expires(1, 1), expires(2, 2), expires(3, 2), expires(4, 9)]).await.expect("added");
    assert_eq!(store.purge_counts(t(0), 10).await.expect("purged"), 0);
    assert_eq!(store.purge_counts(t(2), 2).await.expect("purged"), 2);
    assert_eq!(store.purge_counts(t(2), 2).await.expect("purged"), 1);
    assert_eq!(of(&store, key("a", 4, 1)).await, [(1, 1)]);
}
