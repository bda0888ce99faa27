//! What only this engine does; what both engines do is in the conformance suite.

mod faults;
mod grouping;
mod opening;
mod outbox;
mod plans;
mod readers;
mod rights;
mod supervision;
mod wal;

use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc;
use std::task::{Context, Waker};

use embudo_domain::{LeadId, TurnoId};
use embudo_store::prelude::*;
use embudo_store::{Result, Store, StoreError};
use embudo_store_conformance::data::a_lead;
use embudo_store_prepared::copy_prepared;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::failure::Step;
use crate::writer::Shape;
use crate::{Options, SqliteStore};

/// A store in a folder of its own, with one lead.
struct Desk {
    store: Arc<SqliteStore>,
    lead: LeadId,
    folder: TempDir,
}

impl Desk {
    async fn new() -> Self {
        Self::with(&Options::default()).await
    }

    async fn with(options: &Options) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("embudo.db");
        copy_prepared(&path, |path| _ = SqliteStore::migrate(path, &Options::default()).expect("migrated"));
        let store = Arc::new(SqliteStore::open(&path, options).expect("opened"));
        let lead = a_lead(&(Arc::clone(&store) as Arc<dyn Store>)).await;
        Self { store, lead, folder }
    }

    /// The turns that are stored.
    async fn turnos(&self) -> Vec<TurnoId> {
        let record = self.store.record(self.lead).await.expect("the lead is there");
        record.conversacion.iter().map(|t| t.id).collect()
    }

    /// Runs something on the writer's own connection.
    async fn on_writer<T: Send + 'static>(
        &self,
        f: impl FnOnce(&Connection) -> Step<T> + Send + 'static,
    ) -> Result<T> {
        self.store.writer.run(Shape::Several, 0, f).await
    }

    /// Stops the writer until the returned gate is dropped, so that commands queued meanwhile share the next batch.
    fn hold_writer(&self) -> (impl Future<Output = Result<()>>, mpsc::Sender<()>) {
        let (open, gate) = mpsc::channel::<()>();
        let (enter, entered) = mpsc::channel();
        let wait = move |_: &Connection| {
            enter.send(()).expect("the test waits for it");
            assert!(gate.recv().is_err(), "the gate is dropped, never used");
            Ok(())
        };
        let held = queued(self.store.writer.run(Shape::Several, 0, wait));
        entered.recv().expect("the writer has taken it, alone");
        (held, open)
    }
}

type Queued<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Polls a call once, which puts its command into the queue.
fn queued<'a, T>(call: impl Future<Output = T> + Send + 'a) -> Queued<'a, T> {
    let mut call: Queued<'a, T> = Box::pin(call);
    assert!(
        call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending(),
        "it waits for the writer"
    );
    call
}

fn is_unavailable<T>(result: &Result<T>) -> bool {
    matches!(result, Err(StoreError::Unavailable(_)))
}
