//! Reads: a few read-only connections, used on the runtime's blocking threads.
//!
//! A read sees one snapshot and never waits for the writer. A connection that failed is thrown away, so the pool heals.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use embudo_store::{Result, StoreError};
use rusqlite::Connection;
use tokio::sync::Semaphore;

use crate::Opciones;
use crate::connection::open_reader;
use crate::failure::{Failure, Step, store_error};

/// The pool.
pub(crate) struct Readers {
    path: PathBuf,
    opciones: Opciones,
    permits: Arc<Semaphore>,
    idle: Arc<Idle>,
}

/// Connections that nobody uses; `None` once the store is closed.
struct Idle(Mutex<Option<Vec<Connection>>>);

impl Idle {
    fn lock(&self) -> MutexGuard<'_, Option<Vec<Connection>>> {
        // A list of connections is whole whatever panicked while holding it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Readers {
    pub(crate) fn new(path: &Path, opciones: &Opciones) -> Self {
        Self {
            path: path.to_owned(),
            opciones: opciones.clone(),
            permits: Arc::new(Semaphore::new(opciones.lectores.max(1))),
            idle: Arc::new(Idle(Mutex::new(Some(Vec::new())))),
        }
    }

    /// Opens a first connection, so that a file that cannot be read is noticed at the start.
    pub(crate) fn check(&self) -> Result<()> {
        let conexion = open_reader(&self.path, &self.opciones).map_err(|e| store_error(&e))?;
        if let Some(idle) = self.idle.lock().as_mut() {
            idle.push(conexion);
        }
        Ok(())
    }

    /// Runs a query on one snapshot.
    pub(crate) async fn run<T, F>(&self, query: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Step<T> + Send + 'static,
    {
        let permit = Arc::clone(&self.permits)
            .acquire_owned()
            .await
            .map_err(|_| StoreError::Unavailable("the database is closed".into()))?;
        let (idle, path, opciones) = (Arc::clone(&self.idle), self.path.clone(), self.opciones.clone());
        let task = tokio::task::spawn_blocking(move || {
            let found = idle.lock().as_mut().and_then(Vec::pop);
            let conexion = match found {
                Some(conexion) => conexion,
                None => open_reader(&path, &opciones).map_err(|e| store_error(&e))?,
            };
            let result = snapshot(&conexion, query);
            if !matches!(result, Err(Failure::Sqlite(_)))
                && let Some(idle) = idle.lock().as_mut()
            {
                idle.push(conexion);
            }
            drop(permit);
            result.map_err(StoreError::from)
        });
        task.await.unwrap_or_else(|e| Err(StoreError::Internal(format!("a query stopped: {e}"))))
    }

    /// Closes what is idle; a query that still runs closes its own connection.
    pub(crate) fn close(&self) {
        self.permits.close();
        self.idle.lock().take();
    }
}

/// Ends the read transaction also when the query failed; dropping the transaction rolls it back.
fn snapshot<T>(conexion: &Connection, query: impl FnOnce(&Connection) -> Step<T>) -> Step<T> {
    let tx = conexion.unchecked_transaction()?;
    let value = query(&tx)?;
    tx.commit()?;
    Ok(value)
}
