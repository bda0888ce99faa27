//! The environment of the typesetter: a few files in memory and nothing else. No clock, no disk, no network, no
//! packages.

use std::collections::HashMap;

use jiff::civil::Date;
use typst_library::diag::{FileError, FileResult, SourceDiagnostic};
use typst_library::foundations::{Bytes as TypstBytes, Datetime, Duration, Smart};
use typst_library::text::{Font, FontBook};
use typst_library::{Library, World, WorldExt};
use typst_pdf::{PdfOptions, PdfStandard, PdfStandards, Timestamp};
use typst_syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst_utils::LazyHash;

use crate::fonts::Fonts;
use crate::pdf_request::Norma;
use crate::typesetter::{LIBRARY, lay_out};

/// The maximum number of the typesetter's messages that are passed on: a broken template can cause thousands.
const MESSAGES: usize = 5;

/// Everything that a compilation can access.
pub(crate) struct QuoteWorld<'a> {
    fonts: &'a Fonts,
    principal: Source,
    files: HashMap<FileId, TypstBytes>,
    day: Date,
}

/// The PDF of a compilation, with its standard and the typesetter's messages.
pub(crate) struct Compiled {
    pub(crate) pdf: Vec<u8>,
    pub(crate) norma: Norma,
    pub(crate) notices: Vec<String>,
}

/// The id of a path such as `/embudo/datos.json`; `None` if the path leaves the root.
///
/// The typesetter never frees ids, and there are only 65,535: names must come from a small fixed set.
pub(crate) fn id(path: &str) -> Option<FileId> {
    VirtualPath::new(path).ok().map(|v| RootedPath::new(VirtualRoot::Project, v).intern())
}

impl<'a> QuoteWorld<'a> {
    pub(crate) fn new(fonts: &'a Fonts, principal: Source, day: Date) -> Self {
        Self { fonts, principal, files: HashMap::new(), day }
    }

    pub(crate) fn add(&mut self, path: &str, data: TypstBytes) {
        if let Some(id) = id(path) {
            self.files.insert(id, data);
        }
    }

    /// Lays out and exports a PDF that conforms to the strict standards, if the content allows it.
    pub(crate) fn compose(&self, identity: &str) -> Result<Compiled, Vec<String>> {
        let done = lay_out(self);
        let mut notices = self.messages(&done.warnings);
        let document = done.output.map_err(|e| self.messages(&e))?.pages;
        let strict = PdfStandards::new(&[PdfStandard::A_2a, PdfStandard::Ua_1])
            .expect("these two standards go together");
        match typst_pdf::pdf(&document, &self.options(identity, strict)) {
            Ok(pdf) => Ok(Compiled { pdf, norma: Norma::Pdfa2aUa1, notices }),
            Err(errors) => {
                let reasons = self.messages(&errors).join("; ");
                notices.push(format!("El PDF no cumple PDF/A-2a y PDF/UA-1, solo va etiquetado: {reasons}"));
                let pdf = typst_pdf::pdf(&document, &self.options(identity, PdfStandards::default()))
                    .map_err(|e| self.messages(&e))?;
                Ok(Compiled { pdf, norma: Norma::Labelled, notices })
            }
        }
    }

    fn options(&self, identity: &str, standards: PdfStandards) -> PdfOptions {
        PdfOptions {
            ident: Smart::Custom(identity.to_owned()),
            creator: Smart::Custom(Some("Embudo".to_owned())),
            timestamp: self.date().map(Timestamp::new_utc),
            standards,
            ..PdfOptions::default()
        }
    }

    fn date(&self) -> Option<Datetime> {
        let (month, day) = (u8::try_from(self.day.month()).ok()?, u8::try_from(self.day.day()).ok()?);
        Datetime::from_ymd_hms(i32::from(self.day.year()), month, day, 0, 0, 0)
    }

    fn messages(&self, all: &[SourceDiagnostic]) -> Vec<String> {
        all.iter().take(MESSAGES).map(|d| self.mensaje(d)).collect()
    }

    /// A message with its place, such as «presupuesto.typ, línea 12: unknown variable: x».
    fn mensaje(&self, d: &SourceDiagnostic) -> String {
        let place = d.span.id().zip(self.range(d.span)).and_then(|(id, bracket)| {
            let line = self.source(id).ok()?.lines().byte_to_line(bracket.start)? + 1;
            Some(format!("{}, línea {line}: ", id.vpath().get_without_slash()))
        });
        format!("{}{}", place.unwrap_or_default(), d.message)
    }
}

impl World for QuoteWorld<'_> {
    fn library(&self) -> &LazyHash<Library> {
        &LIBRARY
    }

    fn book(&self) -> &LazyHash<FontBook> {
        self.fonts.book()
    }

    fn main(&self) -> FileId {
        self.principal.id()
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        if id == self.principal.id() {
            return Ok(self.principal.clone());
        }
        let data = self.file(id)?;
        let text = std::str::from_utf8(&data).map_err(|_| FileError::InvalidUtf8)?;
        Ok(Source::new(id, text.to_owned()))
    }

    fn file(&self, id: FileId) -> FileResult<TypstBytes> {
        let is_not_there = || FileError::NotFound(id.vpath().get_with_slash().into());
        self.files.get(&id).cloned().ok_or_else(is_not_there)
    }

    fn font(&self, index: usize) -> Option<Font> {
        self.fonts.face(index)
    }

    /// The day of the quote instead of the present day, so that a template that prints «today» gives the same bytes
    /// tomorrow.
    fn today(&self, _offset: Option<Duration>) -> Option<Datetime> {
        self.date()
    }
}

/// Clears the typesetter's cache when it is dropped, also after a failure or a panic: the cache keeps every
/// intermediate result of every document, so memory would only grow. Clearing takes time, so a child does it after its
/// answer.
pub(crate) struct ForgetCache;

impl Drop for ForgetCache {
    fn drop(&mut self) {
        comemo::evict(0);
    }
}
