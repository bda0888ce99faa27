//! Draws quotes in processes that the system limits, with the shipped template or with an operator's own. Without such
//! a process, as in tests, it draws with the shipped template in this process.

use std::sync::{Arc, LazyLock};

use crate::children::{Children, DrawingChild};
use crate::failure::Failure;
use crate::pdf_request::{PdfRequest, RenderedPdf, UsedTemplate};
use crate::press::Press;
use crate::template::Template;
use crate::world::ForgetCache;

/// Draws quotes. Clones share the loaded data and the processes.
#[derive(Clone)]
pub struct Renderer {
    press: Arc<LazyLock<Press>>,
    children: Option<Arc<Children>>,
}

impl std::fmt::Debug for Renderer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Renderer").field("children", &self.children).finish_non_exhaustive()
    }
}

impl Default for Renderer {
    fn default() -> Self {
        Self::new()
    }
}

impl Renderer {
    /// Draws in this process. Typefaces and template are loaded by the first quote.
    pub fn new() -> Self {
        Self { press: Arc::new(LazyLock::new(Press::load)), children: None }
    }

    /// Draws in processes that are started in this way.
    #[must_use]
    pub fn with_child(self, child: DrawingChild) -> Self {
        Self { children: Some(Arc::new(Children::new(child))), ..self }
    }

    /// Announces that a quote will be drawn soon: if no process is waiting, one is started while the photos are
    /// prepared.
    pub fn expect_one(&self) {
        if let Some(children) = &self.children {
            children.expect_one();
        }
    }

    /// Draws a quote. Blocks for tens of milliseconds, at most for the time limit of each template.
    ///
    /// If an operator's template fails or uses too many resources, our template is used instead.
    pub fn render(&self, request: &PdfRequest, template: Option<&Template>) -> Result<RenderedPdf, Failure> {
        let Some(template) = template else { return self.ours(request) };
        let own = match &self.children {
            Some(children) => children.own(request, template),
            None => Err("este programa no puede usar plantillas propias".to_owned()),
        };
        own.or_else(|why| {
            let mut done = self.ours(request)?;
            done.template = UsedTemplate::OursAfterFailure;
            done.notices.insert(0, format!("La plantilla propia no se ha usado: {why}."));
            Ok(done)
        })
    }

    /// Everything that a template would read for this quote, by path. For authors of templates and for benchmarks.
    pub fn files(&self, request: &PdfRequest) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let _forgetting = ForgetCache;
        let prepared = self.press.prepare(request)?;
        Ok(prepared.files.into_iter().map(|(path, data)| (path, data.to_vec())).collect())
    }

    fn ours(&self, request: &PdfRequest) -> Result<RenderedPdf, Failure> {
        match &self.children {
            Some(children) => children.ours(request).map_err(|lost| Failure::Process(lost.why)),
            None => {
                let _forgetting = ForgetCache;
                self.press.ours(request)
            }
        }
    }
}
