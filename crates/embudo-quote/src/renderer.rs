//! Draws quotes: with the template that ships, in this process, or with an operator's own, in a child.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use typst::foundations::Bytes;
use typst::syntax::Source;
use typst::visualize::ExchangeFormat;

use crate::child::TemplateChild;
use crate::fonts::Fonts;
use crate::fotos::{self, List};
use crate::pdf_request::{PdfRequest, RenderedPdf, UsedTemplate};
use crate::template::Template;
use crate::world::{Compiled, ForgetCache, QuoteWorld, id};
use crate::{FOLDER, TEMPLATE, data, qr};

/// Draws quotes. Typefaces and template are loaded once; a clone shares them.
#[derive(Clone)]
pub struct Renderer {
    common: Arc<LazyLock<Common>>,
    child: Option<TemplateChild>,
}

struct Common {
    fonts: Fonts,
    template: Source,
}

impl Common {
    fn load() -> Self {
        let id = id(&format!("{FOLDER}/presupuesto.typ")).expect("the path is inside the root");
        Self { fonts: Fonts::load(), template: Source::new(id, TEMPLATE.to_owned()) }
    }
}

/// A quote that cannot be drawn, which is a fault of this program.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The typesetter refuses our own template.
    #[error("the quote cannot be typeset: {0}")]
    Composition(String),
    /// The typesetter gave up.
    #[error("the typesetter panicked: {0}")]
    Panic(String),
}

/// Everything a template reads, by its path.
struct Prepared {
    files: Vec<(String, Bytes)>,
    identity: String,
    notices: Vec<String>,
}

impl std::fmt::Debug for Renderer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Renderer").field("child", &self.child).finish_non_exhaustive()
    }
}

impl Default for Renderer {
    fn default() -> Self {
        Self::new()
    }
}

impl Renderer {
    /// Typefaces and template are loaded by the first quote. Operators' own templates need [`Self::with_child`] as well.
    pub fn new() -> Self {
        Self { common: Arc::new(LazyLock::new(Common::load)), child: None }
    }

    /// Says how to start the process that compiles operators' own templates.
    #[must_use]
    pub fn with_child(self, child: TemplateChild) -> Self {
        Self { child: Some(child), ..self }
    }

    /// Draws a quote. Blocks for tens of milliseconds, with an operator's template for at most its time limit more.
    ///
    /// An operator's template that fails or uses too much is replaced by ours.
    pub fn render(
        &self,
        pdf_request: &PdfRequest,
        template: Option<&Template>,
    ) -> Result<RenderedPdf, Failure> {
        let _forgetting = ForgetCache;
        let attempt = || {
            let prepared = self.prepare(pdf_request)?;
            match template.map(|p| self.with_own_template(pdf_request, &prepared, p)) {
                None => self.with_our_template(pdf_request, prepared, UsedTemplate::Ours),
                Some(Ok(done)) => Ok(done),
                Some(Err(why)) => {
                    let mut prepared = prepared;
                    prepared.notices.insert(0, format!("La plantilla propia no se ha usado: {why}."));
                    self.with_our_template(pdf_request, prepared, UsedTemplate::OursAfterFailure)
                }
            }
        };
        catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(Failure::Panic(text.to_owned()))
        })
    }

    /// What a template would read for this quote, by its path: for whoever writes one, or draws the same with something else.
    pub fn files(&self, pdf_request: &PdfRequest) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let _forgetting = ForgetCache;
        let prepared = self.prepare(pdf_request)?;
        Ok(prepared.files.into_iter().map(|(path, data)| (path, data.to_vec())).collect())
    }

    fn prepare(&self, pdf_request: &PdfRequest) -> Result<Prepared, Failure> {
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
        let (data, more) = data::compose(pdf_request, &lists, has_logo, has_qr, &self.common.fonts);
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

    fn with_our_template(
        &self,
        pdf_request: &PdfRequest,
        p: Prepared,
        template: UsedTemplate,
    ) -> Result<RenderedPdf, Failure> {
        let mut world =
            QuoteWorld::new(&self.common.fonts, self.common.template.clone(), pdf_request.validity.issued);
        for (path, data) in p.files {
            world.add(&path, data);
        }
        let output = world.compose(&p.identity).map_err(|e| Failure::Composition(e.join("; ")))?;
        Ok(done(output, p.notices, template))
    }

    fn with_own_template(
        &self,
        pdf_request: &PdfRequest,
        p: &Prepared,
        template: &Template,
    ) -> Result<RenderedPdf, String> {
        let child = self.child.as_ref().ok_or("este programa no puede usar plantillas propias")?;
        let own = template.files.iter().map(|(path, data)| (path.clone(), data.as_ref()));
        let common = p.files.iter().map(|(path, data)| (path.clone(), data.as_slice()));
        // Ours come last and win: a template cannot bring its own data.
        let files: Vec<(String, &[u8])> = own.chain(common).collect();
        let output = child.compose(&template.principal, &files, &p.identity, pdf_request.validity.issued)?;
        Ok(done(output, p.notices.clone(), UsedTemplate::Own))
    }
}

fn done(output: Compiled, mut notices: Vec<String>, template: UsedTemplate) -> RenderedPdf {
    notices.extend(output.notices);
    RenderedPdf { pdf: output.pdf, norma: output.norma, template, notices }
}
