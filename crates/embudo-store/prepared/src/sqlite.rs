//! A migrated SQLite file, kept in memory and written out for each test.

use std::path::Path;
use std::sync::OnceLock;

/// Writes a database at `path` that `migrate` has migrated. `migrate` runs once in a process; later calls copy its
/// result.
pub fn copy_prepared(path: &Path, migrate: impl FnOnce(&Path)) {
    static PREPARED: OnceLock<Vec<u8>> = OnceLock::new();
    let bytes = PREPARED.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let made = folder.path().join("prepared.db");
        migrate(&made);
        let log = folder.path().join("prepared.db-wal");
        assert!(!log.exists(), "a clean close leaves nothing in the write-ahead log");
        std::fs::read(&made).expect("the prepared database")
    });
    std::fs::write(path, bytes).expect("the copy is written");
    // The engine too makes its files readable by their owner alone.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("its mode is set");
    }
}
