//! Reads have threads of their own, and those that take long are few at once.

use std::sync::mpsc;
use std::time::Duration;

use embudo_store::query::FiltroLeads;
use embudo_store::{Store, StoreError};

use super::{Mesa, queued};

#[test]
fn reads_go_on_while_the_runtime_has_no_thread_left() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let mesa = Mesa::nueva().await;
        let (open, gate) = mpsc::channel::<()>();
        let blocked = tokio::task::spawn_blocking(move || gate.recv().is_err());
        mesa.store.ficha(mesa.lead).await.expect("read");
        drop(open);
        assert!(blocked.await.expect("opened"));
    });
}

#[tokio::test]
async fn searches_wait_for_each_other_and_nobody_for_them() {
    let mesa = Mesa::nueva().await;
    // As many walks as there are readers, each of which lasts until the gate opens.
    let mut gates = Vec::new();
    let mut walks = Vec::new();
    for _ in 0..4 {
        let (open, gate) = mpsc::channel::<()>();
        gates.push(open);
        walks.push(queued(mesa.store.readers.walk(move |_| {
            assert!(gate.recv_timeout(Duration::from_secs(10)).is_err(), "the gate is dropped, never used");
            Ok(())
        })));
    }
    let filtro = FiltroLeads { texto: Some("nadie".into()), ..FiltroLeads::default() };
    let mut search = queued(mesa.store.list_leads(filtro, None, 10));
    mesa.store.ficha(mesa.lead).await.expect("another reader is free");
    mesa.store.ping().await.expect("ready");
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
    let mesa = Mesa::nueva().await;
    for _ in 0..8 {
        let end = mesa.store.readers.run(|_| -> crate::failure::Step<()> { panic!("a defect") }).await;
        assert!(matches!(end, Err(StoreError::Internal(_))), "{end:?}");
        mesa.store.ficha(mesa.lead).await.expect("read");
    }
    mesa.store.ping().await.expect("every reader is up");
}
