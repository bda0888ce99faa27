//! The demo's folder. A file of ours marks it, so that no other folder is ever taken for a demo's folder and deleted.

use std::fs;
use std::io;
use std::path::Path;

/// The file that marks the folder and records how far its history is generated.
const MARK: &str = "demo-state";

/// How far the history in a folder is generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    Not,
    /// The generation was interrupted.
    Begun,
    Whole,
}

/// Why a folder cannot be used for the demo.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("{0} is not a demo's folder: it has other files in it; name another one with --data-dir")]
    Foreign(String),
    #[error("{0}: {1}")]
    Io(String, io::Error),
}

fn failed(folder: &Path) -> impl Fn(io::Error) -> FolderError {
    let name = folder.display().to_string();
    move |error| FolderError::Io(name.clone(), error)
}

/// Creates the folder, or opens the folder of an earlier demo. If its history was interrupted, the folder is emptied.
pub(crate) fn open(folder: &Path) -> Result<(), FolderError> {
    match state(folder) {
        Told::Whole => Ok(()),
        Told::Begun => reset(folder).and_then(|()| open(folder)),
        Told::Not if is_empty(folder).map_err(failed(folder))? => {
            fs::create_dir_all(folder).map_err(failed(folder))?;
            write_state(folder, Told::Begun).map_err(failed(folder))
        }
        Told::Not => Err(FolderError::Foreign(folder.display().to_string())),
    }
}

/// Deletes a demo's folder. Any other folder is refused.
pub fn reset(folder: &Path) -> Result<(), FolderError> {
    if is_empty(folder).map_err(failed(folder))? {
        return Ok(());
    }
    if state(folder) == Told::Not {
        return Err(FolderError::Foreign(folder.display().to_string()));
    }
    fs::remove_dir_all(folder).map_err(failed(folder))
}

/// Whether the folder is missing or empty.
fn is_empty(folder: &Path) -> io::Result<bool> {
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

pub(crate) fn state(folder: &Path) -> Told {
    match fs::read_to_string(folder.join(MARK)).as_deref() {
        Ok("told\n") => Told::Whole,
        Ok("begun\n") => Told::Begun,
        _ => Told::Not,
    }
}

pub(crate) fn write_state(folder: &Path, told: Told) -> io::Result<()> {
    let text = if told == Told::Whole { "told\n" } else { "begun\n" };
    fs::write(folder.join(MARK), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_demo_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("datos");
        open(&folder).unwrap();
        assert_eq!(state(&folder), Told::Begun);
        write_state(&folder, Told::Whole).unwrap();
        fs::write(folder.join("embudo.db"), "x").unwrap();
        open(&folder).unwrap();
        assert!(folder.join("embudo.db").exists());
        reset(&folder).unwrap();
        assert!(!folder.exists());
        reset(&folder).unwrap();

        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("tesis.doc"), "x").unwrap();
        assert!(matches!(open(&folder), Err(FolderError::Foreign(_))));
        assert!(matches!(reset(&folder), Err(FolderError::Foreign(_))));
        assert!(folder.join("tesis.doc").exists());
    }

    #[test]
    fn an_interrupted_story_begins_anew() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("datos");
        open(&folder).unwrap();
        fs::write(folder.join("embudo.db"), "x").unwrap();
        open(&folder).unwrap();
        assert!(!folder.join("embudo.db").exists());
    }
}
