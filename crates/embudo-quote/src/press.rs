//! Runs the typesetter in this process, with the shipped template or with an operator's own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use typst_library::foundations::Bytes;
use typst_library::visualize::ExchangeFormat;
use typst_syntax::Source;

use crate::failure::Failure;
use crate::fonts::Fonts;
use crate::fotos::{self, List};
use crate::pdf_request::{PdfRequest, RenderedPdf, UsedTemplate};
use crate::template::Template;
use crate::typesetter::LIBRARY;
use crate::world::{Compiled, QuoteWorld, id};
use crate::{FOLDER, TEMPLATE, data, qr};

/// Typefaces and template, loaded once.
pub(crate) struct Press {
    fonts: Fonts,
    template: Source,
}

/// Everything a template reads, by its path.
pub(crate) struct Prepared {
    pub(crate) files: Vec<(String, Bytes)>,
    identity: String,
    notices: Vec<String>,
}

impl Press {
    pub(crate) fn load() -> Self {
        let id = id(&format!("{FOLDER}/presupuesto.typ")).expect("the path is inside the root");
        let rest = || {
            LazyLock::force(&LIBRARY);
            Source::new(id, TEMPLATE.to_owned())
        };
        let (fonts, template) = rayon::join(Fonts::load, rest);
        Self { fonts, template }
    }

    /// Draws with our template. The caller must clear the typesetter's cache.
    pub(crate) fn ours(&self, request: &PdfRequest) -> Result<RenderedPdf, Failure> {
        let attempt = || {
            let prepared = self.prepare(request)?;
            let mut world = QuoteWorld::new(&self.fonts, self.template.clone(), request.validity.issued);
            for (path, data) in prepared.files {
                world.add(&path, data);
            }
            let output = world.compose(&prepared.identity).map_err(|e| Failure::Composition(e.join("; ")))?;
            Ok(done(output, prepared.notices, UsedTemplate::Ours))
        };
        catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(Failure::Panic(text.to_owned()))
        })
    }

    /// Draws with the operator's own template. Such a template can use unbounded memory and time, so this runs in a
    /// child process only. On failure the error gives the reason, in Spanish.
    pub(crate) fn own(&self, request: &PdfRequest, template: &Template) -> Result<RenderedPdf, String> {
        let prepared = self.prepare(request).map_err(|failure| failure.to_string())?;
        let principal = template.files.iter().find(|(path, _)| *path == template.principal);
        let (path, data) = principal.ok_or("falta el archivo principal")?;
        let text = std::str::from_utf8(data).map_err(|_| "el archivo principal no es UTF-8")?;
        let id = id(path).ok_or("la ruta del archivo principal no vale")?;
        let mut fonts = Fonts::load();
        for (path, data) in &template.files {
            if path.ends_with(".ttf") || path.ends_with(".otf") {
                fonts.add(Bytes::new(data.clone()));
            }
        }
        let source = Source::new(id, text.to_owned());
        let mut world = QuoteWorld::new(&fonts, source, request.validity.issued);
        for (path, data) in &template.files {
            world.add(path, Bytes::new(data.clone()));
        }
        // Our files are added last and replace others: a template cannot bring its own data.
        for (path, data) in prepared.files {
            world.add(&path, data);
        }
        let output = world.compose(&prepared.identity).map_err(|e| e.join("; "))?;
        Ok(done(output, prepared.notices, UsedTemplate::Own))
    }

    /// Everything that a template reads about a quote.
    pub(crate) fn prepare(&self, pdf_request: &PdfRequest) -> Result<Prepared, Failure> {
        let lists = fotos::prepare(pdf_request);
        let mut files = Vec::new();
        let mut notices = Vec::new();
        let logo = pdf_request.logo.as_ref().map(|l| fotos::read(Bytes::new(l.clone()), ExchangeFormat::Png));
        let has_logo = match logo {
            Some(Some(List::Image { data, .. })) => {
                files.push((format!("{FOLDER}/logo.png"), data));
                true
            }
            Some(_) => {
                notices.push("El logo no es un PNG que se pueda leer.".to_owned());
                false
            }
            None => false,
        };
        let svg = pdf_request.page_url.as_deref().and_then(qr::svg);
        let has_qr = svg.is_some();
        files.extend(svg.map(|svg| (format!("{FOLDER}/qr.svg"), Bytes::from_string(svg))));
        let (data, more) = data::compose(pdf_request, &lists, has_logo, has_qr, &self.fonts);
        notices.extend(more);
        for (n, list) in lists.into_iter().enumerate() {
            if let List::Image { data, .. } = list {
                files.push((fotos::path(n), data));
            }
        }
        let json = serde_json::to_vec(&data).map_err(|e| Failure::Composition(e.to_string()))?;
        files.push((format!("{FOLDER}/datos.json"), Bytes::new(json)));
        let e = &pdf_request.document.empresa;
        let issuer = e.nif.as_deref().unwrap_or(&e.nombre);
        let number = pdf_request.number.map_or_else(|| "borrador".to_owned(), |n| n.to_string());
        let identity = format!("embudo/presupuesto/{issuer}/{number}/{}", pdf_request.version);
        Ok(Prepared { files, identity, notices })
    }
}

fn done(output: Compiled, mut notices: Vec<String>, template: UsedTemplate) -> RenderedPdf {
    notices.extend(output.notices);
    RenderedPdf { pdf: output.pdf, norma: output.norma, template, notices }
}
