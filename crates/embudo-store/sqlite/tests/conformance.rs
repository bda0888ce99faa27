//! The cases that both engines pass.

use std::sync::Arc;

use embudo_store::Store;
use embudo_store_sqlite::{Options, SqliteStore};
use tempfile::TempDir;

async fn empty() -> (Arc<dyn Store>, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = SqliteStore::open(&folder.path().join("embudo.db"), &Options::default()).expect("opened");
    (Arc::new(store), folder)
}

embudo_store_conformance::store_conformance!(empty);
embudo_store_conformance::inbox_conformance!(empty);
