//! Reads have threads of their own, and the number of long reads at a time is limited.

use std::sync::mpsc;
use std::time::Duration;

use embudo_store::StoreError;
use embudo_store::leads::LeadFilter;
use embudo_store::prelude::*;

use super::{Desk, queued};

#[test]
fn reads_go_on_while_the_runtime_has_no_thread_left() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let desk = Desk::new().await;
        let (open, gate) = mpsc::channel::<()>();
        let blocked = tokio::task::spawn_blocking(move || gate.recv().is_err());
        desk.store.record(desk.lead).await.expect("read");
        drop(open);
        assert!(blocked.await.expect("opened"));
    });
}

#[tokio::test]
async fn searches_wait_for_each_other_and_nobody_for_them() {
    let desk = Desk::new().await;
    // As many scans as there are readers; each lasts until its gate opens.
    let mut gates = Vec::new();
    let mut walks = Vec::new();
    for _ in 0..4 {
        let (open, gate) = mpsc::channel::<()>();
        gates.push(open);
        walks.push(queued(desk.store.readers.walk(move |_| {
            assert!(gate.recv_timeout(Duration::from_secs(10)).is_err(), "the gate is dropped, never used");
            Ok(())
        })));
    }
    let filter = LeadFilter { text: Some("nadie".into()), ..LeadFilter::default() };
    let mut search = queued(desk.store.list_leads(filter, None, 10));
    desk.store.record(desk.lead).await.expect("another reader is free");
    desk.store.ping().await.expect("ready");
    assert!(futures_now(&mut search).is_none(), "it waits for its turn");
    drop(gates);
    for walk in walks {
        walk.await.expect("walked");
    }
    assert!(search.await.expect("its turn came").is_empty());
}

fn futures_now<T>(call: &mut super::Queued<'_, T>) -> Option<T> {
    use std::task::{Context, Poll, Waker};
    match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(end) => Some(end),
        Poll::Pending => None,
    }
}

#[tokio::test]
async fn a_query_that_panics_harms_no_other() {
    let desk = Desk::new().await;
    for _ in 0..8 {
        let end = desk.store.readers.run(|_| -> crate::failure::Step<()> { panic!("a defect") }).await;
        assert!(matches!(end, Err(StoreError::Internal(_))), "{end:?}");
        desk.store.record(desk.lead).await.expect("read");
    }
    desk.store.ping().await.expect("every reader is up");
}
