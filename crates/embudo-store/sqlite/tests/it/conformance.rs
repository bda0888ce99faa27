//! The conformance suite on this engine.

use std::sync::Arc;

use embudo_store::Store;
use embudo_store_prepared::copy_prepared;
use embudo_store_sqlite::{Options, SqliteStore};
use tempfile::TempDir;

async fn empty() -> (Arc<dyn Store>, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, options) = (folder.path().join("embudo.db"), Options::default());
    copy_prepared(&path, |path| _ = SqliteStore::migrate(path, &options).expect("migrated"));
    (Arc::new(SqliteStore::open(&path, &options).expect("opened")), folder)
}

embudo_store_conformance::store_conformance!(empty);
embudo_store_conformance::inbox_conformance!(empty);
