//! The data folder: made private, locked by one server at a time, with the generated API key and the server's id in the
//! outbox.
//!
//! The key is never logged; callers name its file instead.

use crate::settings::{ApiKey, Settings};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use embudo_domain::ProcessId;
use embudo_domain::ids::parse_uuid;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Why the data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// The file system refused something.
    #[error("{path}: cannot {action}: {source} (DATA_DIR says which folder is used)", path = path.display())]
    Io {
        /// The action that failed.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// Another server holds the folder.
    #[error(
        "{path}: another embudo serve{holder} already uses this data folder; stop it, or give this one its own \
         with --data-dir", path = path.display()
    )]
    Taken {
        /// The folder.
        path: PathBuf,
        /// The process that holds it, if known.
        holder: String,
    },
    /// The key file holds no usable key.
    #[error(
        "{path}: the key in it {problem}; put a key there, set FUNNEL_API_KEY, or delete the file to have a new \
         key made", path = path.display()
    )]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong with the key.
        problem: String,
    },
}

fn failed<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> DataDirError + 'a {
    move |source| DataDirError::Io { action, path: path.to_path_buf(), source }
}

/// Where the API key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// `FUNNEL_API_KEY` is set.
    Setting,
    /// The key was read from this file.
    File(PathBuf),
    /// The key was just made and stored in this file.
    Created(PathBuf),
}

/// The API key in force.
#[derive(Debug, Clone)]
pub struct StoredKey {
    pub key: ApiKey,
    /// Where it comes from.
    pub origin: Origin,
}

impl StoredKey {
    /// The key from the settings, else from `<DATA_DIR>/api-key`, which is made if it does not exist.
    pub fn obtain(settings: &Settings) -> Result<Self, DataDirError> {
        match &settings.funnel_api_key {
            Some(key) => Ok(Self { key: key.clone(), origin: Origin::Setting }),
            None => Self::from_folder(&settings.data_dir),
        }
    }

    fn from_folder(folder: &Path) -> Result<Self, DataDirError> {
        make_data_dir(folder)?;
        // Two first starts at the same time must end up with one key, so the folder is locked while the key is made.
        let held = File::open(folder).map_err(failed("open the folder", folder))?;
        held.lock().map_err(failed("lock the folder", folder))?;
        let path = folder.join("api-key");
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Self { key: usable(text.trim(), &path)?, origin: Origin::File(path) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let text = random_key().map_err(failed("find randomness for", &path))?;
                write_private(&path, &text).map_err(failed("write", &path))?;
                held.sync_all().map_err(failed("write", folder))?;
                Ok(Self { key: usable(&text, &path)?, origin: Origin::Created(path) })
            }
            Err(error) => Err(failed("read", &path)(error)),
        }
    }
}

/// The key that a server has stored in this folder; `None` if there is no key. This function makes none.
pub fn stored_key(folder: &Path) -> Result<Option<String>, DataDirError> {
    let path = folder.join("api-key");
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(usable(text.trim(), &path)?.expose().to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", &path)(error)),
    }
}

fn usable(text: &str, path: &Path) -> Result<ApiKey, DataDirError> {
    ApiKey::new(text).map_err(|problem| DataDirError::Key { path: path.to_path_buf(), problem })
}

/// 256 random bits in 43 characters that need no quoting anywhere.
fn random_key() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The id under which the server of this folder leases jobs of the outbox, made on its first start. By this id the
/// server finds its leased jobs after a crash. A copied folder must not keep the id, or two running servers would give
/// back each other's jobs. A file without a valid id is replaced.
pub fn process(folder: &Path) -> Result<ProcessId, DataDirError> {
    let path = folder.join("proceso");
    let kept = match fs::read_to_string(&path) {
        Ok(text) => parse_uuid(text.trim()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) if error.kind() == io::ErrorKind::InvalidData => None,
        Err(error) => return Err(failed("read", &path)(error)),
    };
    if let Some(id) = kept {
        return Ok(ProcessId(id));
    }
    let id = ProcessId(uuid::Uuid::new_v4());
    write_private(&path, &id.to_string()).map_err(failed("write", &path))?;
    Ok(id)
}

/// The file with the link to the panel's set-up, which exists while nobody can sign in.
pub fn set_up_file(folder: &Path) -> PathBuf {
    folder.join("panel-setup")
}

/// Writes the link to the panel's set-up, readable only by the folder's owner.
pub fn write_set_up(folder: &Path, link: &str) -> Result<PathBuf, DataDirError> {
    let path = set_up_file(folder);
    write_private(&path, link).map_err(failed("write", &path))?;
    Ok(path)
}

/// Removes a link that does not work any more.
pub fn remove_set_up(folder: &Path) -> Result<(), DataDirError> {
    let path = set_up_file(folder);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", &path)(error)),
        _ => Ok(()),
    }
}

/// Writes a file completely or not at all. The caller holds a lock on the folder (`DataDirLock`, or the one of
/// `from_folder`), so no other process uses the temporary name.
fn write_private(path: &Path, key: &str) -> io::Result<()> {
    let temporary = path.with_extension("tmp");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temporary)?;
    // A file left by a crash could have other permissions.
    file.set_permissions(fs::Permissions::from_mode(0o600))?;
    writeln!(file, "{key}")?;
    file.sync_all()?;
    fs::rename(&temporary, path)
}

/// Makes the data folder, accessible only to its owner. An existing folder is not changed.
pub fn make_data_dir(folder: &Path) -> Result<(), DataDirError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(failed("make the folder", folder))
}

/// The lock of the data folder for one server. The lock is released when this value is dropped, or when the process
/// ends in any way.
#[derive(Debug)]
pub struct DataDirLock {
    /// The lock is on this open file. Its first line is the holder's process id, for the error of the next process that
    /// wants the lock; its second line says that a server was ready in this folder before.
    file: File,
    served_before: bool,
}

/// The second line of the lock's file.
const SERVED: &str = "served";

impl DataDirLock {
    /// Locks the folder, or returns an error that names the holder. Other commands work beside a server and need no
    /// lock.
    pub fn take(folder: &Path) -> Result<Self, DataDirError> {
        make_data_dir(folder)?;
        let path = folder.join("serve.lock");
        let mut options = OpenOptions::new();
        let opened = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let mut file = opened.map_err(failed("open", &path))?;
        let locked = file.try_lock();
        let mut text = String::new();
        // The text is only used for messages, so an unexpected content must not stop the start.
        let _ = file.read_to_string(&mut text);
        let mut lines = text.lines();
        let pid = lines.next().and_then(|line| line.parse::<u32>().ok());
        match locked {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = pid.map(|pid| format!(" (process {pid})")).unwrap_or_default();
                return Err(DataDirError::Taken { path: folder.to_path_buf(), holder });
            }
            Err(TryLockError::Error(error)) => return Err(failed("lock", &path)(error)),
        }
        let mut lock = Self { file, served_before: lines.next() == Some(SERVED) };
        lock.write(lock.served_before);
        Ok(lock)
    }

    /// Notes that the server is ready. Returns whether this is the first time in this folder; failed starts do not
    /// count.
    pub fn ready(&mut self) -> FirstStart {
        self.write(true);
        if self.served_before { FirstStart::No } else { FirstStart::Yes }
    }

    /// Writes the file. Errors are ignored: a full disk must not stop the start here.
    fn write(&mut self, served: bool) {
        let second = if served { SERVED } else { "" };
        let text = format!("{}\n{second}\n", std::process::id());
        let _ = self.file.set_len(0).and_then(|()| self.file.write_all_at(text.as_bytes(), 0));
    }
}

/// Whether a server is ready in this folder for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstStart {
    /// No server was ready here before.
    Yes,
    /// A server was ready here before.
    No,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Flags;
    use std::collections::{HashMap, HashSet};

    fn settings(folder: &Path, key: Option<&str>) -> Settings {
        let env = HashMap::from_iter(key.map(|key| ("FUNNEL_API_KEY".to_owned(), key.to_owned())));
        let flags = Flags { data_dir: Some(folder.display().to_string()), ..Flags::default() };
        Settings::load(&flags, &env, Path::new("/nonexistent")).unwrap()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn the_first_start_makes_a_private_key_and_the_next_reads_it() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("a/data");
        let first = StoredKey::obtain(&settings(&folder, None)).unwrap();
        let file = folder.join("api-key");
        assert_eq!(first.origin, Origin::Created(file.clone()));
        assert_eq!(URL_SAFE_NO_PAD.decode(first.key.expose()).unwrap().len(), 32);
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
        assert!(!folder.join("api-key.tmp").exists());

        let second = StoredKey::obtain(&settings(&folder, None)).unwrap();
        assert_eq!(second.origin, Origin::File(file));
        assert_eq!(second.key.expose(), first.key.expose());
    }

    #[test]
    fn a_folder_keeps_its_name_in_the_queue() {
        let place = tempfile::tempdir().unwrap();
        let first = process(place.path()).unwrap();
        assert_eq!(process(place.path()).unwrap(), first);
        for broken in [&b"x"[..], b"", b"\xff"] {
            fs::write(place.path().join("proceso"), broken).unwrap();
            let next = process(place.path()).unwrap();
            assert_ne!(next, first);
            assert_eq!(process(place.path()).unwrap(), next);
        }
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }

    #[test]
    fn starts_at_the_same_time_end_with_one_key() {
        let place = tempfile::tempdir().unwrap();
        let settings = settings(&place.path().join("data"), None);
        let found: Vec<StoredKey> = std::thread::scope(|scope| {
            let starts: Vec<_> =
                (0..16).map(|_| scope.spawn(|| StoredKey::obtain(&settings).unwrap())).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });
        let keys: HashSet<&str> = found.iter().map(|data_dir| data_dir.key.expose()).collect();
        assert_eq!(keys.len(), 1);
        assert_eq!(found.iter().filter(|data_dir| matches!(data_dir.origin, Origin::Created(_))).count(), 1);
    }

    #[test]
    fn a_key_from_the_settings_leaves_the_folder_alone() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("data");
        let data_dir = StoredKey::obtain(&settings(&folder, Some("clave"))).unwrap();
        assert_eq!((data_dir.key.expose(), data_dir.origin), ("clave", Origin::Setting));
        assert!(!folder.exists());
    }

    #[test]
    fn an_own_key_file_is_taken_and_an_empty_one_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let settings = settings(place.path(), None);
        fs::write(place.path().join("api-key"), "mi clave\r\n").unwrap();
        assert_eq!(StoredKey::obtain(&settings).unwrap().key.expose(), "mi clave");
        fs::write(place.path().join("api-key"), "\n").unwrap();
        let error = StoredKey::obtain(&settings).unwrap_err().to_string();
        assert!(
            error.contains("api-key: the key in it is empty") && error.contains("delete the file"),
            "{error}"
        );
    }

    #[test]
    fn one_server_holds_the_folder_and_the_next_is_told_what_to_do() {
        let place = tempfile::tempdir().unwrap();
        let held = DataDirLock::take(place.path()).unwrap();
        let error = DataDirLock::take(place.path()).unwrap_err().to_string();
        let holder = format!("another embudo serve (process {}) already uses", std::process::id());
        assert!(error.contains(&holder) && error.contains("--data-dir"), "{error}");
        drop(held);
        DataDirLock::take(place.path()).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        fs::write(&file, "").unwrap();
        let error = StoredKey::obtain(&settings(&file.join("data"), None)).unwrap_err().to_string();
        assert!(error.contains("file/data: cannot make the folder") && error.contains("DATA_DIR"), "{error}");
    }
}
