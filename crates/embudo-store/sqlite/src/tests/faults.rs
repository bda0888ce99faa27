//! A full disk, a lost transaction, a failed commit: no command is acknowledged without being stored, and the next
//! batch works.

use embudo_store::prelude::*;
use embudo_store_conformance::data::{long_text, t, turno};

use super::{Desk, is_unavailable, queued};

/// Lets the database grow by at most this many pages; `None` removes the limit.
async fn limit_growth(desk: &Desk, pages: Option<i64>) {
    let set = desk.on_writer(move |c| {
        let now: i64 = c.query_row("PRAGMA page_count", (), |r| r.get(0))?;
        let max = pages.map_or(1 << 30, |p| now + p);
        Ok(c.query_row(&format!("PRAGMA max_page_count = {max}"), (), |_| Ok(()))?)
    });
    set.await.expect("the limit is set");
}

#[tokio::test]
async fn a_full_disk_is_unavailable_and_heals() {
    let desk = Desk::new().await;
    limit_growth(&desk, Some(40)).await;
    let mensaje = long_text(20_000);
    let mut answered = Vec::new();
    let mut refused = 0;
    for round in 0..4 {
        let (held, gate) = desk.hold_writer();
        let commands: Vec<_> = (0..8).map(|n| turno(desk.lead, &mensaje, t(round * 8 + n))).collect();
        let ids: Vec<_> = commands.iter().map(|c| c.id).collect();
        let calls: Vec<_> = commands.into_iter().map(|c| queued(desk.store.append_turno(c))).collect();
        drop(gate);
        held.await.expect("opened");
        for (call, id) in calls.into_iter().zip(ids) {
            match call.await {
                Ok(_) => answered.push(id),
                failed => {
                    assert!(is_unavailable(&failed), "{failed:?}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 0, "40 pages do not hold 640 kB");
    assert_eq!(desk.turnos().await, answered, "exactly what was answered is stored");

    limit_growth(&desk, None).await;
    let last = turno(desk.lead, &mensaje, t(99));
    answered.push(last.id);
    desk.store.append_turno(last).await.expect("there is room again");
    assert_eq!(desk.turnos().await, answered);
}

#[tokio::test]
async fn a_transaction_that_was_lost_fails_all_its_commands() {
    let desk = Desk::new().await;
    let (held, gate) = desk.hold_writer();
    let before = queued(desk.store.append_turno(turno(desk.lead, "antes", t(1))));
    // SQLite rolls back by itself like this after some I/O errors.
    let loss = queued(desk.on_writer(|c| {
        c.execute_batch("ROLLBACK")?;
        Err::<(), _>(rusqlite::Error::InvalidQuery.into())
    }));
    let after = queued(desk.store.append_turno(turno(desk.lead, "después", t(2))));
    drop(gate);
    held.await.expect("opened");
    assert!(is_unavailable(&before.await));
    assert!(is_unavailable(&loss.await));
    assert!(is_unavailable(&after.await));
    assert!(desk.turnos().await.is_empty());
    desk.store.append_turno(turno(desk.lead, "hola", t(3))).await.expect("the next batch works");
}

#[tokio::test]
async fn a_failed_commit_fails_all_and_heals() {
    let desk = Desk::new().await;
    let (held, gate) = desk.hold_writer();
    let good = queued(desk.store.append_turno(turno(desk.lead, "hola", t(1))));
    let bad = queued(desk.on_writer(|c| {
        c.execute_batch("PRAGMA defer_foreign_keys = ON")?;
        c.execute("UPDATE lead SET empresa_id = x'00'", ())?;
        Ok(())
    }));
    drop(gate);
    held.await.expect("opened");
    assert!(is_unavailable(&bad.await), "its commit failed");
    assert!(is_unavailable(&good.await), "it shared that commit");
    assert!(desk.turnos().await.is_empty());
    desk.store.append_turno(turno(desk.lead, "hola", t(3))).await.expect("the next batch works");
    desk.store.ping().await.expect("it can be written to");
}

#[tokio::test]
async fn a_write_lock_held_elsewhere_is_unavailable_and_heals() {
    let options = crate::Options { busy_timeout: std::time::Duration::from_millis(20), ..Default::default() };
    let desk = Desk::with(&options).await;
    let other = rusqlite::Connection::open(desk.folder.path().join("embudo.db")).expect("opened");
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    assert!(is_unavailable(&desk.store.ping().await));
    assert!(desk.turnos().await.is_empty(), "reads go on");
    other.execute_batch("ROLLBACK").expect("unlocked");
    desk.store.ping().await.expect("it can be written to again");
}
