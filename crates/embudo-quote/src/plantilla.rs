//! An operator's own template: one `.typ` file and whatever lies beside it, read once. It can see nothing else.

use std::path::{Path, PathBuf};

use bytes::Bytes;

/// A template's folder may hold so many files.
const ARCHIVOS: usize = 200;
/// And so many bytes.
const TAMANO: u64 = 16 << 20;
/// The file that is compiled when a folder is named.
const PRINCIPAL: &str = "presupuesto.typ";

/// A template as it was when it was read: changing the files needs another reading.
#[derive(Debug, Clone)]
pub struct Plantilla {
    pub(crate) principal: String,
    pub(crate) archivos: Vec<(String, Bytes)>,
}

/// Why a template cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PlantillaIlegible {
    /// A file or folder cannot be read.
    #[error("{0}: {1}")]
    Lectura(PathBuf, #[source] std::io::Error),
    /// There is no template where it should be.
    #[error("{0}: no es una plantilla .typ ni una carpeta con {PRINCIPAL}")]
    NoEs(PathBuf),
    /// The folder holds too much: it is probably the wrong one.
    #[error("{0}: la carpeta de la plantilla tiene más de {ARCHIVOS} archivos o de 16 MiB")]
    Demasiado(PathBuf),
}

impl Plantilla {
    /// Reads a `.typ` file and the folder it lies in, or a folder with `presupuesto.typ`. Links are not followed, hidden
    /// files are left out.
    pub fn leer(ruta: &Path) -> Result<Self, PlantillaIlegible> {
        let (carpeta, principal) = if ruta.is_dir() {
            (ruta.to_owned(), PathBuf::from(PRINCIPAL))
        } else {
            let nombre = ruta.file_name().ok_or_else(|| PlantillaIlegible::NoEs(ruta.to_owned()))?;
            let carpeta = ruta.parent().filter(|c| !c.as_os_str().is_empty()).unwrap_or(Path::new("."));
            (carpeta.to_owned(), PathBuf::from(nombre))
        };
        let principal = format!("/{}", principal.display());
        let mut lectura = Lectura { raiz: carpeta.clone(), archivos: Vec::new(), queda: TAMANO };
        lectura.carpeta(&carpeta, "")?;
        let esta = principal.ends_with(".typ") && lectura.archivos.iter().any(|(n, _)| *n == principal);
        if !esta {
            return Err(PlantillaIlegible::NoEs(ruta.to_owned()));
        }
        lectura.archivos.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Self { principal, archivos: lectura.archivos })
    }
}

struct Lectura {
    raiz: PathBuf,
    archivos: Vec<(String, Bytes)>,
    queda: u64,
}

impl Lectura {
    fn carpeta(&mut self, carpeta: &Path, prefijo: &str) -> Result<(), PlantillaIlegible> {
        let mal = |e| PlantillaIlegible::Lectura(carpeta.to_owned(), e);
        for entrada in std::fs::read_dir(carpeta).map_err(mal)? {
            let entrada = entrada.map_err(mal)?;
            let Ok(nombre) = entrada.file_name().into_string() else { continue };
            if nombre.starts_with('.') {
                continue;
            }
            let (ruta, virtual_) = (entrada.path(), format!("{prefijo}/{nombre}"));
            let tipo = entrada.file_type().map_err(mal)?;
            if tipo.is_dir() {
                self.carpeta(&ruta, &virtual_)?;
            } else if tipo.is_file() {
                self.archivo(&ruta, virtual_)?;
            }
        }
        Ok(())
    }

    fn archivo(&mut self, ruta: &Path, virtual_: String) -> Result<(), PlantillaIlegible> {
        let mal = |e| PlantillaIlegible::Lectura(ruta.to_owned(), e);
        let demasiado = || PlantillaIlegible::Demasiado(self.raiz.clone());
        let tamano = std::fs::metadata(ruta).map_err(mal)?.len();
        self.queda = self.queda.checked_sub(tamano).ok_or_else(demasiado)?;
        if self.archivos.len() >= ARCHIVOS {
            return Err(demasiado());
        }
        self.archivos.push((virtual_, std::fs::read(ruta).map_err(mal)?.into()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_its_folder_and_nothing_else() {
        let dir = tempfile::tempdir().expect("a folder");
        let raiz = dir.path().join("plantilla");
        std::fs::create_dir_all(raiz.join("img")).expect("created");
        std::fs::write(dir.path().join("secreto"), "x").expect("written");
        std::fs::write(raiz.join("presupuesto.typ"), "= Hola").expect("written");
        std::fs::write(raiz.join("img/sello.svg"), "<svg/>").expect("written");
        std::fs::write(raiz.join(".oculto"), "x").expect("written");
        std::os::unix::fs::symlink(dir.path().join("secreto"), raiz.join("enlace")).expect("linked");
        let p = Plantilla::leer(&raiz).expect("a template");
        let nombres: Vec<&str> = p.archivos.iter().map(|(n, _)| n.as_str()).collect();
        assert_eq!(nombres, ["/img/sello.svg", "/presupuesto.typ"]);
        assert_eq!(
            Plantilla::leer(&raiz.join("presupuesto.typ")).expect("a file").principal,
            "/presupuesto.typ"
        );
        assert!(matches!(Plantilla::leer(&raiz.join("otra.typ")), Err(PlantillaIlegible::NoEs(_))));
        assert!(matches!(Plantilla::leer(&raiz.join("img")), Err(PlantillaIlegible::NoEs(_))));
        std::fs::File::create(raiz.join("enorme")).and_then(|f| f.set_len(TAMANO + 1)).expect("a large file");
        assert!(matches!(Plantilla::leer(&raiz), Err(PlantillaIlegible::Demasiado(_))));
    }
}
