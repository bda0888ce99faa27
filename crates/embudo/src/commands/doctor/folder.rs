//! Checks of the data folder and the key in it, without making either.

use super::{Fault, Found};
use crate::settings::{ApiKey, Settings};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Less free space than this fails the check: SQLite and the photos stop on a full disk.
const LEAST_FREE: u64 = 256 << 20;

/// Whether the folder exists (or can be made), is private, writable and has space.
pub fn look(folder: &Path) -> Found {
    let metadata = match fs::metadata(folder) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return to_be_made(folder),
        Err(error) => return Err(refused(folder, "cannot be looked at", &error)),
    };
    let shown = folder.display();
    if !metadata.is_dir() {
        return Err(Fault::new(
            format!("{shown} is not a folder"),
            "move it away or set DATA_DIR to a folder",
        ));
    }
    write_probe(folder).map_err(|error| refused(folder, "cannot be written", &error))?;
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let mend = format!("chmod 700 {shown}");
        return Err(Fault::new(format!("{shown} is open to other users (mode {mode:04o})"), mend));
    }
    let free = free_bytes(folder).map_err(|error| refused(folder, "cannot be measured", &error))?;
    let told = format!("{shown}, private, writable, {} free", gibibytes(free));
    if free < LEAST_FREE {
        return Err(Fault::new(told, "free or add space on that disk"));
    }
    Ok(told)
}

/// Whether the key can be used; a new installation has none yet.
pub fn key(settings: &Settings) -> Found {
    if let Some(key) = &settings.funnel_api_key {
        return long_enough(key, &format!("FUNNEL_API_KEY [from {}]", settings.source("FUNNEL_API_KEY")));
    }
    let path = settings.data_dir.join("api-key");
    let shown = path.display();
    match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(format!("{shown} is made on the first start"))
        }
        Err(error) => Err(refused(&path, "cannot be read", &error)),
        Ok(metadata) if metadata.permissions().mode() & 0o077 != 0 => {
            Err(Fault::new(format!("{shown} can be read by other users"), format!("chmod 600 {shown}")))
        }
        Ok(_) => match fs::read_to_string(&path) {
            Err(error) => Err(refused(&path, "cannot be read", &error)),
            Ok(text) if text.trim().is_empty() => {
                Err(Fault::new(format!("{shown} is empty"), "delete it to have a new key made"))
            }
            Ok(text) => match ApiKey::new(text.trim()) {
                Ok(key) => long_enough(&key, &format!("in {shown}, private")),
                Err(problem) => Err(Fault::new(
                    format!("the key in {shown} {problem}"),
                    "delete the file to have a new key made",
                )),
            },
        },
    }
}

/// A short key works, but gets a warning.
fn long_enough(key: &ApiKey, told: &str) -> Found {
    if !key.is_short() {
        return Ok(told.to_owned());
    }
    let (problem, least) = ("so short that it may be guessed", ApiKey::LEAST_CHARS);
    Err(Fault::warning(
        format!("{told}: {problem}"),
        format!("give it {least} random characters or more, such as from: openssl rand -hex 32"),
    ))
}

fn to_be_made(folder: &Path) -> Found {
    let above =
        folder.ancestors().skip(1).map(|above| if above == Path::new("") { Path::new(".") } else { above });
    match above.into_iter().find(|above| above.exists()) {
        Some(above) => match write_probe(above) {
            Ok(()) => Ok(format!("{} is made on the first start", folder.display())),
            Err(error) => Err(refused(above, "cannot be written, so DATA_DIR cannot be made in it", &error)),
        },
        None => {
            Err(Fault::new(format!("{} cannot be made", folder.display()), "set DATA_DIR to another folder"))
        }
    }
}

fn write_probe(folder: &Path) -> io::Result<()> {
    let path = folder.join(format!(".embudo-sonda-{}", uuid::Uuid::new_v4()));
    let written = File::create_new(&path).and_then(|mut file| file.write_all(b"embudo"));
    let removed = fs::remove_file(&path);
    written.and(removed)
}

/// The free space that the service's user can use.
fn free_bytes(folder: &Path) -> io::Result<u64> {
    let space = rustix::fs::statvfs(folder)?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}

fn gibibytes(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
}

fn refused(path: &Path, what: &str, error: &io::Error) -> Fault {
    let mend = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free or add space on that disk",
        io::ErrorKind::ReadOnlyFilesystem => "mount the disk for writing",
        _ => "give the service's user the right to read and write there, or set DATA_DIR to another folder",
    };
    Fault::new(format!("{} {what}: {error}", path.display()), mend)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_missing_is_fine_and_stays_missing() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("a/b");
        assert!(look(&folder).unwrap().contains("made on the first start"));
        assert!(!folder.exists());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_open_folder_and_a_file_in_its_place_are_told() {
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert!(look(place.path()).unwrap().contains("private"));
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
        assert!(look(place.path()).unwrap_err().mend.starts_with("chmod 700"));
        let file = place.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(look(&file).unwrap_err().problem.contains("is not a folder"));
    }
}
