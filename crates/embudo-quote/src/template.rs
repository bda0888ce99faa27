//! An operator's own template: one `.typ` file and the files in its folder, read once. It has no access to anything
//! else.

use std::path::{Path, PathBuf};

use bytes::Bytes;

/// The maximum number of files in a template's folder.
const FILES: usize = 200;
/// The maximum total size of these files in bytes.
const SIZE: u64 = 16 << 20;
/// The file that is compiled when a folder is named.
const PRINCIPAL: &str = "presupuesto.typ";

/// A template in the state in which it was read: after a change of the files it must be read again.
#[derive(Debug, Clone)]
pub struct Template {
    pub(crate) principal: String,
    pub(crate) files: Vec<(String, Bytes)>,
}

/// Why a template cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableTemplate {
    /// A file or folder cannot be read.
    #[error("{0}: {1}")]
    Reading(PathBuf, #[source] std::io::Error),
    /// There is no template at this path.
    #[error("{0}: no es una plantilla .typ ni una carpeta con {PRINCIPAL}")]
    IsNot(PathBuf),
    /// The folder is too large: it is probably the wrong one.
    #[error("{0}: la carpeta de la plantilla tiene más de {FILES} archivos o de 16 MiB")]
    TooMuch(PathBuf),
}

impl Template {
    /// Reads a `.typ` file and its folder, or a folder with `presupuesto.typ`. Symbolic links are not followed, and
    /// hidden files are left out.
    pub fn read(path: &Path) -> Result<Self, UnreadableTemplate> {
        let (folder, principal) = if path.is_dir() {
            (path.to_owned(), PathBuf::from(PRINCIPAL))
        } else {
            let nombre = path.file_name().ok_or_else(|| UnreadableTemplate::IsNot(path.to_owned()))?;
            let folder = path.parent().filter(|c| !c.as_os_str().is_empty()).unwrap_or(Path::new("."));
            (folder.to_owned(), PathBuf::from(nombre))
        };
        let principal = format!("/{}", principal.display());
        let mut reading = Reading { root: folder.clone(), files: Vec::new(), remains: SIZE };
        reading.folder(&folder, "")?;
        let is = principal.ends_with(".typ") && reading.files.iter().any(|(n, _)| *n == principal);
        if !is {
            return Err(UnreadableTemplate::IsNot(path.to_owned()));
        }
        reading.files.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Self { principal, files: reading.files })
    }
}

struct Reading {
    root: PathBuf,
    files: Vec<(String, Bytes)>,
    remains: u64,
}

impl Reading {
    fn folder(&mut self, folder: &Path, prefix: &str) -> Result<(), UnreadableTemplate> {
        let wrong = |e| UnreadableTemplate::Reading(folder.to_owned(), e);
        for input in std::fs::read_dir(folder).map_err(wrong)? {
            let input = input.map_err(wrong)?;
            let Ok(nombre) = input.file_name().into_string() else { continue };
            if nombre.starts_with('.') {
                continue;
            }
            let (path, virtual_) = (input.path(), format!("{prefix}/{nombre}"));
            let kind = input.file_type().map_err(wrong)?;
            if kind.is_dir() {
                self.folder(&path, &virtual_)?;
            } else if kind.is_file() {
                self.file(&path, virtual_)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, virtual_: String) -> Result<(), UnreadableTemplate> {
        let wrong = |e| UnreadableTemplate::Reading(path.to_owned(), e);
        let too_much = || UnreadableTemplate::TooMuch(self.root.clone());
        let size = std::fs::metadata(path).map_err(wrong)?.len();
        self.remains = self.remains.checked_sub(size).ok_or_else(too_much)?;
        if self.files.len() >= FILES {
            return Err(too_much());
        }
        self.files.push((virtual_, std::fs::read(path).map_err(wrong)?.into()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_its_folder_and_nothing_else() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path().join("plantilla");
        std::fs::create_dir_all(root.join("img")).expect("created");
        std::fs::write(dir.path().join("secreto"), "x").expect("written");
        std::fs::write(root.join("presupuesto.typ"), "= Hola").expect("written");
        std::fs::write(root.join("img/sello.svg"), "<svg/>").expect("written");
        std::fs::write(root.join(".oculto"), "x").expect("written");
        std::os::unix::fs::symlink(dir.path().join("secreto"), root.join("enlace")).expect("linked");
        let p = Template::read(&root).expect("a template");
        let names: Vec<&str> = p.files.iter().map(|(n, _)| n.as_str()).collect();
        assert_eq!(names, ["/img/sello.svg", "/presupuesto.typ"]);
        assert_eq!(
            Template::read(&root.join("presupuesto.typ")).expect("a file").principal,
            "/presupuesto.typ"
        );
        assert!(matches!(Template::read(&root.join("otra.typ")), Err(UnreadableTemplate::IsNot(_))));
        assert!(matches!(Template::read(&root.join("img")), Err(UnreadableTemplate::IsNot(_))));
        std::fs::File::create(root.join("enorme")).and_then(|f| f.set_len(SIZE + 1)).expect("a large file");
        assert!(matches!(Template::read(&root), Err(UnreadableTemplate::TooMuch(_))));
    }
}
