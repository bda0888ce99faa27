//! The files of a depot in a folder: only their owner can access them, and they appear completely or not at all.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path as FilePath, PathBuf};

use super::PIECE;

/// The next piece of a file; only the last piece is shorter than [`PIECE`].
pub(super) fn piece(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(PIECE);
    file.take(PIECE as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Creates a folder with its parents, so that the new ones survive a power cut.
pub(super) fn make(folder: &FilePath) -> io::Result<()> {
    let missing = folder.ancestors().take_while(|f| !f.as_os_str().is_empty() && !f.is_dir()).count();
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // A folder's entry is in its parent.
    folder.ancestors().skip(1).take(missing).try_for_each(|parent| {
        let parent = if parent.as_os_str().is_empty() { FilePath::new(".") } else { parent };
        File::open(parent)?.sync_all()
    })
}

/// Creates the folders of a file, and returns those that must be synced to make the file durable.
fn make_room(root: &FilePath, to: &FilePath) -> io::Result<Vec<PathBuf>> {
    let folder = to.parent().unwrap_or(root);
    make(folder)?;
    let within = folder.ancestors().take_while(|folder| folder.starts_with(root));
    Ok(within.map(FilePath::to_owned).collect())
}

/// Puts a file under the name `to`, accessible only to its owner. A file below `root` is moved; any other is copied.
pub(super) fn adopt(root: &FilePath, from: &FilePath, to: &FilePath) -> io::Result<()> {
    let room = make_room(root, to)?;
    fs::set_permissions(from, Permissions::from_mode(0o600))?;
    let staged = if from.starts_with(root) {
        from.to_owned()
    } else {
        let staged = staged(to);
        fs::copy(from, &staged)?;
        staged
    };
    File::open(&staged)?.sync_all()?;
    fs::rename(&staged, to)?;
    room.iter().try_for_each(|folder| File::open(folder)?.sync_all())
}

pub(super) fn write(root: &FilePath, to: &FilePath, bytes: &[u8]) -> io::Result<()> {
    let room = make_room(root, to)?;
    let staged = staged(to);
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&staged)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&staged, to)?;
    room.iter().try_for_each(|folder| File::open(folder)?.sync_all())
}

fn staged(to: &FilePath) -> PathBuf {
    let mut name = to.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

pub(super) fn names(root: &FilePath, under: &FilePath, found: &mut Vec<String>) -> io::Result<()> {
    let entries = match fs::read_dir(under) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names(root, &entry.path(), found)?;
        } else if let Some(name) = entry.path().strip_prefix(root).ok().and_then(FilePath::to_str) {
            found.push(name.to_owned());
        }
    }
    Ok(())
}
