//! The cases that both engines pass.

use std::sync::Arc;

use embudo_store::Store;
use embudo_store_sqlite::{Opciones, SqliteStore};
use tempfile::TempDir;

async fn vacia() -> (Arc<dyn Store>, TempDir) {
    let carpeta = tempfile::tempdir().expect("a folder");
    let store = SqliteStore::open(&carpeta.path().join("embudo.db"), &Opciones::default()).expect("opened");
    (Arc::new(store), carpeta)
}

embudo_store_conformance::store_conformance!(vacia);
