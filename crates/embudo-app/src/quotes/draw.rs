//! Draws a quote: its photos are prepared, and its PDF stays within the size that can be mailed.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use bytes::Bytes;
use embudo_domain::foto::Foto;
use embudo_domain::ingesta::Momento;
use embudo_domain::presupuesto::{Acceptance, Document, Presupuesto, PresupuestoNumber, StoredPdf, Validity};
use embudo_domain::record::LeadRecord;
use embudo_domain::rendition::{Rendition, RenditionOutcome};
use embudo_domain::{EmpresaId, FotoId, LeadId, UserId, words};
use embudo_metrics::PDF_SECONDS;
use embudo_quote::{AcceptedNote, Foto as DrawnFoto, PdfRequest, UsedTemplate};
use embudo_trace::{OpenSpan, Side};
use sha2::{Digest as _, Sha256};

use super::Quotes;
use crate::photos::UNREADABLE;
use crate::{AppError, day_in_spain};

/// The maximum size of a PDF, as far as smaller pictures can achieve it: a mail server accepts this size, and so does a
/// workflow after base64 encoding.
const PDF_MAX_BYTES: usize = 8 * 1024 * 1024;
/// The longest side and the quality of the pictures, step by step, until the PDF is small enough.
const STEPS: &[(u32, u8)] = &[(640, 70), (480, 60), (320, 50)];

/// The maximum number of photos that are named to the company because they could not be shown.
const MAX_NAMED: usize = 10;

/// A drawn PDF.
pub(crate) struct Drawn {
    pub pdf: Bytes,
    pub stored: StoredPdf,
    /// The reason if the operator's own template was not used.
    pub without_template: Option<String>,
    /// The photos that could not be shown, and why.
    pub not_shown: Option<String>,
}

/// What is drawn: a quote, or a draft, which has no number.
struct Drawing {
    lead: LeadId,
    empresa: EmpresaId,
    number: Option<PresupuestoNumber>,
    version: u32,
    validity: Validity,
    document: Document,
    page_url: Option<String>,
    accepted: Option<AcceptedNote>,
}

impl Quotes<'_> {
    /// Draws a quote; if the PDF is too large to be mailed, draws it again with smaller pictures.
    pub(crate) async fn draw(self, presupuesto: &Presupuesto, fotos: &[Foto]) -> Result<Drawn, AppError> {
        let drawing = Drawing {
            lead: presupuesto.lead,
            empresa: presupuesto.empresa,
            number: Some(presupuesto.number),
            version: presupuesto.version,
            validity: presupuesto.validity,
            document: presupuesto.document.clone(),
            page_url: self.page_url(presupuesto.id),
            accepted: None,
        };
        self.draw_one(drawing, fotos).await
    }

    /// Draws what a client accepted: the ticked options are lines, and the PDF says when it was accepted.
    pub(crate) async fn draw_accepted(
        self,
        presupuesto: &Presupuesto,
        acceptance: &Acceptance,
        fotos: &[Foto],
    ) -> Result<Drawn, AppError> {
        let note = AcceptedNote {
            day: words::day(day_in_spain(acceptance.at)),
            options: acceptance.options.iter().map(|option| option.concepto.clone()).collect(),
            declared: acceptance.declared,
            early_start: acceptance.early_start,
        };
        let drawing = Drawing {
            lead: presupuesto.lead,
            empresa: presupuesto.empresa,
            number: Some(presupuesto.number),
            version: presupuesto.version,
            validity: presupuesto.validity,
            document: presupuesto.document.accepted(acceptance),
            page_url: self.page_url(presupuesto.id),
            accepted: Some(note),
        };
        self.draw_one(drawing, fotos).await
    }

    /// Draws what a draft would say if it was sent now: without a number, and never stored. Only one at a time for each
    /// person.
    pub async fn draw_draft(
        self,
        by: UserId,
        record: &LeadRecord,
        document: Document,
    ) -> Result<Bytes, AppError> {
        let drawing = Drawing {
            lead: record.lead.id,
            empresa: record.lead.empresa.id,
            number: None,
            version: 1,
            validity: Validity::new(self.app.today(), document.valid_days),
            document,
            page_url: None,
            accepted: None,
        };
        let _turn = self.app.attempts.turn(by).await.ok_or(AppError::Busy)?;
        Ok(self.draw_one(drawing, &record.fotos).await?.pdf)
    }

    async fn draw_one(self, drawing: Drawing, fotos: &[Foto]) -> Result<Drawn, AppError> {
        let Drawing { lead, empresa, number, version, validity, document, page_url, accepted } = drawing;
        let expected = self.app.outbound.template.is_none().then(|| {
            let renderer = self.app.outbound.renderer.clone();
            tokio::task::spawn_blocking(move || renderer.expect_one())
        });
        let printed: HashSet<FotoId> = document.fotos.iter().map(|f| f.id).collect();
        let own: Vec<Foto> = fotos.iter().filter(|f| printed.contains(&f.id)).cloned().collect();
        let renditions = self.app.photos().renditions(lead, &own).await?;
        let not_shown = number.and_then(|number| left_out(number, fotos, &renditions));
        let logo = match document.empresa.logo {
            Some(_) => self.app.store.logo(empresa).await?,
            None => None,
        };
        let logo = logo.map(Bytes::from);
        let fotos = self.pictures(lead, renditions).await?;
        let pdf_order = PdfRequest { number, version, validity, document, logo, fotos, page_url, accepted };
        let outbound = self.app.outbound.clone();
        if let Some(expected) = expected {
            // Waits until the renderer's process has started. Otherwise the drawing would not find it and would start
            // another one.
            let _ = expected.await;
        }
        let clock = Instant::now();
        let mut span = OpenSpan::start("draw PDF", Side::Internal);
        let drawn = tokio::task::spawn_blocking(move || {
            let template = outbound.template.as_ref();
            let mut done = outbound.renderer.render(&pdf_order, template)?;
            for (side, calidad) in STEPS {
                if done.pdf.len() <= PDF_MAX_BYTES {
                    break;
                }
                let smaller =
                    PdfRequest { fotos: smaller(&pdf_order.fotos, *side, *calidad), ..pdf_order.clone() };
                done = outbound.renderer.render(&smaller, template)?;
            }
            Ok::<_, embudo_quote::Failure>(done)
        });
        let done = drawn.await;
        let outcome = if matches!(done, Ok(Ok(_))) { "drawn" } else { "failed" };
        PDF_SECONDS.histogram(&[outcome]).record(clock.elapsed());
        span.record(|span| {
            span.set("embudo.pdf.outcome", outcome);
            span.is_error = outcome == "failed";
        });
        drop(span);
        let done = done.map_err(|_| AppError::Drawing("the typesetter panicked".to_owned()))?;
        let done = done.map_err(|failure| AppError::Drawing(failure.to_string()))?;
        let stored = StoredPdf {
            digest: embudo_domain::Digest::of(&done.pdf),
            sha256: Sha256::digest(&done.pdf).into(),
            bytes: done.pdf.len() as u64,
        };
        let failure = done.template == UsedTemplate::OursAfterFailure;
        // The first notice gives the reason; the others may quote a client's text.
        let without_template = done.notices.into_iter().next().filter(|_| failure);
        Ok(Drawn { pdf: done.pdf.into(), stored, without_template, not_shown })
    }

    /// The pictures as they are printed, or the reasons why there are none.
    async fn pictures(
        self,
        lead: LeadId,
        renditions: HashMap<FotoId, Rendition>,
    ) -> Result<HashMap<FotoId, DrawnFoto>, AppError> {
        let mut drawn_ones = HashMap::new();
        for (foto, rendition) in renditions {
            let drawn = match rendition.result {
                RenditionOutcome::Done(d) => DrawnFoto::Image {
                    jpeg: self.app.blobs.get(lead, &d.print).await?,
                    width: d.width,
                    height: d.height,
                },
                RenditionOutcome::Failed(reason) => DrawnFoto::Gap(reason),
            };
            drawn_ones.insert(foto, drawn);
        }
        Ok(drawn_ones)
    }
}

/// The message to the company about the photos that its client's quote leaves out.
fn left_out(
    number: PresupuestoNumber,
    fotos: &[Foto],
    renditions: &HashMap<FotoId, Rendition>,
) -> Option<String> {
    let why = |foto: &Foto| match renditions.get(&foto.id).map(|r| &r.result) {
        Some(RenditionOutcome::Failed(reason)) => Some(reason.as_str()),
        _ => (!foto.image.legible()).then_some(UNREADABLE),
    };
    let which = |(n, foto): (usize, &Foto)| {
        let momento = match foto.momento {
            Momento::Before => "antes",
            Momento::After => "después",
        };
        let zona = foto.zona.heading(foto.zona).to_lowercase();
        why(foto).map(|reason| format!("n.º {} ({zona}, {momento}): {reason}", n + 1))
    };
    let mut names: Vec<String> = fotos.iter().enumerate().filter_map(which).collect();
    let count = names.len();
    if count > MAX_NAMED {
        names.truncate(MAX_NAMED);
        names.push(format!("y {} más", count - MAX_NAMED));
    }
    let fotos = if count == 1 { "Una foto queda" } else { "Varias fotos quedan" };
    (count > 0).then(|| format!("{fotos} fuera del presupuesto {number}: {}.", names.join("; ")))
}

/// The same pictures with fewer bytes. A picture that cannot be made smaller stays unchanged.
fn smaller(fotos: &HashMap<FotoId, DrawnFoto>, side: u32, calidad: u8) -> HashMap<FotoId, DrawnFoto> {
    let smaller = |foto: &DrawnFoto| match foto {
        DrawnFoto::Image { jpeg, .. } => match embudo_fotos::reduce(jpeg, side, calidad) {
            Ok(image) => {
                DrawnFoto::Image { jpeg: image.bytes.into(), width: image.width, height: image.height }
            }
            Err(_) => foto.clone(),
        },
        DrawnFoto::Gap(_) => foto.clone(),
    };
    fotos.iter().map(|(id, foto)| (*id, smaller(foto))).collect()
}
