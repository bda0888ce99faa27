//! The typesetter's world: a handful of files in memory and nothing else. No clock, no disk, no network, no packages.

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::civil::Date;
use typst::diag::{FileError, FileResult, SourceDiagnostic};
use typst::foundations::{Bytes as TypstBytes, Datetime, Duration, Smart};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt, World, WorldExt};
use typst_layout::PagedDocument;
use typst_pdf::{PdfOptions, PdfStandard, PdfStandards, Timestamp};

use crate::encargo::Norma;
use crate::letras::Letras;

static BIBLIOTECA: LazyLock<LazyHash<Library>> = LazyLock::new(|| LazyHash::new(Library::default()));

/// At most so many messages of the typesetter are passed on: a broken template can give thousands.
const MENSAJES: usize = 5;

/// Everything a compilation may see.
pub(crate) struct Mundo<'a> {
    letras: &'a Letras,
    principal: Source,
    archivos: HashMap<FileId, TypstBytes>,
    dia: Date,
}

/// What came of it.
pub(crate) struct Salida {
    pub(crate) pdf: Vec<u8>,
    pub(crate) norma: Norma,
    pub(crate) avisos: Vec<String>,
}

/// The id of a path such as `/embudo/datos.json`; `None` for one that leaves the root.
///
/// Ids are never freed by the typesetter and there are 65,535 of them: names must come from a small fixed set.
pub(crate) fn id(ruta: &str) -> Option<FileId> {
    VirtualPath::new(ruta).ok().map(|v| RootedPath::new(VirtualRoot::Project, v).intern())
}

impl<'a> Mundo<'a> {
    pub(crate) fn new(letras: &'a Letras, principal: Source, dia: Date) -> Self {
        Self { letras, principal, archivos: HashMap::new(), dia }
    }

    pub(crate) fn agregar(&mut self, ruta: &str, datos: TypstBytes) {
        if let Some(id) = id(ruta) {
            self.archivos.insert(id, datos);
        }
    }

    /// Lays out and exports, to the strict norms if the content allows them.
    pub(crate) fn componer(&self, identidad: &str) -> Result<Salida, Vec<String>> {
        // The typesetter remembers every intermediate result of every document: without this, memory only grows.
        let _olvido = Olvido;
        let hecho = typst::compile::<PagedDocument>(self);
        let mut avisos = self.mensajes(&hecho.warnings);
        let documento = hecho.output.map_err(|e| self.mensajes(&e))?;
        let estricto = PdfStandards::new(&[PdfStandard::A_2a, PdfStandard::Ua_1])
            .expect("these two standards go together");
        match typst_pdf::pdf(&documento, &self.opciones(identidad, estricto)) {
            Ok(pdf) => Ok(Salida { pdf, norma: Norma::Pdfa2aUa1, avisos }),
            Err(errores) => {
                let motivos = self.mensajes(&errores).join("; ");
                avisos.push(format!("El PDF no cumple PDF/A-2a y PDF/UA-1, solo va etiquetado: {motivos}"));
                let pdf = typst_pdf::pdf(&documento, &self.opciones(identidad, PdfStandards::default()))
                    .map_err(|e| self.mensajes(&e))?;
                Ok(Salida { pdf, norma: Norma::Etiquetado, avisos })
            }
        }
    }

    fn opciones(&self, identidad: &str, standards: PdfStandards) -> PdfOptions {
        PdfOptions {
            ident: Smart::Custom(identidad.to_owned()),
            creator: Smart::Custom(Some("Embudo".to_owned())),
            timestamp: self.fecha().map(Timestamp::new_utc),
            standards,
            ..PdfOptions::default()
        }
    }

    fn fecha(&self) -> Option<Datetime> {
        let (mes, dia) = (u8::try_from(self.dia.month()).ok()?, u8::try_from(self.dia.day()).ok()?);
        Datetime::from_ymd_hms(i32::from(self.dia.year()), mes, dia, 0, 0, 0)
    }

    fn mensajes(&self, todos: &[SourceDiagnostic]) -> Vec<String> {
        todos.iter().take(MENSAJES).map(|d| self.mensaje(d)).collect()
    }

    /// «presupuesto.typ, línea 12: unknown variable: x».
    fn mensaje(&self, d: &SourceDiagnostic) -> String {
        let lugar = d.span.id().zip(self.range(d.span)).and_then(|(id, tramo)| {
            let linea = self.source(id).ok()?.lines().byte_to_line(tramo.start)? + 1;
            Some(format!("{}, línea {linea}: ", id.vpath().get_without_slash()))
        });
        format!("{}{}", lugar.unwrap_or_default(), d.message)
    }
}

impl World for Mundo<'_> {
    fn library(&self) -> &LazyHash<Library> {
        &BIBLIOTECA
    }

    fn book(&self) -> &LazyHash<FontBook> {
        self.letras.libro()
    }

    fn main(&self) -> FileId {
        self.principal.id()
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        if id == self.principal.id() {
            return Ok(self.principal.clone());
        }
        let datos = self.file(id)?;
        let texto = std::str::from_utf8(&datos).map_err(|_| FileError::InvalidUtf8)?;
        Ok(Source::new(id, texto.to_owned()))
    }

    fn file(&self, id: FileId) -> FileResult<TypstBytes> {
        let no_esta = || FileError::NotFound(id.vpath().get_with_slash().into());
        self.archivos.get(&id).cloned().ok_or_else(no_esta)
    }

    fn font(&self, indice: usize) -> Option<Font> {
        self.letras.cara(indice)
    }

    /// The day of the quote, so that a template that prints «today» gives the same bytes tomorrow.
    fn today(&self, _desfase: Option<Duration>) -> Option<Datetime> {
        self.fecha()
    }
}

/// Forgets what the typesetter remembers, also when a compilation fails or panics.
pub(crate) struct Olvido;

impl Drop for Olvido {
    fn drop(&mut self) {
        typst::comemo::evict(0);
    }
}
