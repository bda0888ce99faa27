//! What the templates of all steps share: the position, the way back, the price and the errors.

use axum::response::Response;
use embudo_app::{InvalidPass, Pass};
use embudo_domain::Zona;
use embudo_domain::record::LeadRecord;
use http::Uri;

use super::answers::{FormAnswers, obra_fields};
use super::material::own_notas;
use super::price_range::{self, RangeView};
use crate::WebState;
use crate::parts::{Frame, Refusal, Storefront, Visibility, read_fields};

pub(crate) use super::mistakes::Errors;

/// The query of the links in the letter (step 7). After saving a step that was opened with it, the person returns to
/// the letter.
pub(crate) const FROM_THE_LETTER: &str = "?desde=resumen";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Kind,
    Metros,
    Contact,
    Calidad,
    Vivienda,
    Fotos,
    Summary,
}

impl Step {
    pub const fn number(self) -> u8 {
        match self {
            Self::Kind => 1,
            Self::Metros => 2,
            Self::Contact => 3,
            Self::Calidad => 4,
            Self::Vivienda => 5,
            Self::Fotos => 6,
            Self::Summary => 7,
        }
    }

    /// The name of the step in addresses.
    pub const fn nombre(self) -> &'static str {
        match self {
            Self::Kind => "tipo",
            Self::Metros => "metros",
            Self::Contact => "contacto",
            Self::Calidad => "calidad",
            Self::Vivienda => "vivienda",
            Self::Fotos => "fotos",
            Self::Summary => "resumen",
        }
    }

    const fn previous(self) -> Option<Self> {
        match self {
            Self::Kind => None,
            Self::Metros => Some(Self::Kind),
            Self::Contact => Some(Self::Metros),
            Self::Calidad => Some(Self::Contact),
            Self::Vivienda => Some(Self::Calidad),
            Self::Fotos => Some(Self::Vivienda),
            Self::Summary => Some(Self::Fotos),
        }
    }
}

/// The addresses of a lead's form.
#[derive(Debug, Clone)]
pub(crate) struct LeadForm {
    /// The start of the form's addresses: `/f/:slug/:pase`.
    pub base: String,
    /// Whether the person came from the letter to change one answer.
    returns: bool,
}

impl LeadForm {
    /// The address of a step.
    pub fn path(&self, step: Step) -> String {
        format!("{}/{}", self.base, step.nombre())
    }

    /// The address of a step; it includes the way back to the letter if the person came from there.
    pub fn path_with_return(&self, step: Step) -> String {
        format!("{}{}", self.path(step), if self.returns { FROM_THE_LETTER } else { "" })
    }
}

/// A lead's form, opened with its pass.
pub(crate) struct Opened {
    pub storefront: Storefront,
    /// The lead with everything that belongs to it.
    pub record: LeadRecord,
    pub form: LeadForm,
}

impl Opened {
    /// Opens a form. The pass of another company's lead is refused here.
    pub async fn open(state: &WebState, slug: &str, pass: &str) -> Result<Self, Refusal> {
        let lead = match state.app.rights().open_pass(pass).await?? {
            Pass::Form(lead) => lead,
            _ => return Err(InvalidPass::False.into()),
        };
        let record = state.app.store.record(lead).await?;
        if record.lead.empresa.slug != slug {
            return Err(Refusal::NotFound);
        }
        let storefront = Storefront::of_empresa(state, record.lead.empresa.clone()).await?;
        Ok(Self { storefront, record, form: LeadForm { base: format!("/f/{slug}/{pass}"), returns: false } })
    }

    /// Reads from the address whether the person came from the letter.
    pub fn since(mut self, uri: &Uri) -> Self {
        self.form.returns =
            read_fields(uri.query().unwrap_or_default().as_bytes()).text("desde") == "resumen";
        self
    }

    /// The answers so far.
    pub fn answers(&self) -> FormAnswers {
        FormAnswers::of_lead(&self.record.lead)
    }

    /// Where saving a step leads: to the next step, or back to the letter if the person had already reached it.
    pub fn after_save(&self, next: Step) -> String {
        let done = self.form.returns || self.first_open_step() == Step::Summary;
        self.form.path(if done { Step::Summary } else { next })
    }

    /// The first step with open questions.
    pub fn first_open_step(&self) -> Step {
        let (perfil, obra) = (&self.record.lead.perfil, &self.record.lead.obra);
        if perfil.tipo_reforma.is_none() {
            Step::Kind
        } else if perfil.calidad_global.is_none() && perfil.urgencia.is_none() && perfil.estructural.is_none()
        {
            Step::Calidad
        } else if !self.record.fotos.is_empty() || own_notas(&self.record).next().is_some() {
            // Photos and notes come after the questions about the dwelling. A person who has sent one of them has
            // answered or skipped those questions.
            Step::Summary
        } else if obra.es_vivienda.is_none() && obra.contratante.is_none() && obra.dos_anos.is_none() {
            Step::Vivienda
        } else {
            Step::Fotos
        }
    }
}

/// The person who fills in the form, with the answers so far.
pub(crate) struct Visitor {
    pub storefront: Storefront,
    pub answers: FormAnswers,
    /// `None` while the person is unknown. The answers then travel in addresses and hidden fields.
    pub lead: Option<LeadForm>,
}

impl From<Opened> for Visitor {
    fn from(open: Opened) -> Self {
        let answers = open.answers();
        Self { storefront: open.storefront, answers, lead: Some(open.form) }
    }
}

impl Visitor {
    /// An unknown person, with a ticket that allows the answers to be sent.
    pub fn unknown(state: &WebState, storefront: Storefront, mut answers: FormAnswers) -> Self {
        let (passes, empresa) = (state.app.form_passes(), storefront.empresa.id);
        answers.ticket = Some(passes.ticket_in_force(answers.ticket.as_deref(), empresa));
        Self { storefront, answers, lead: None }
    }

    /// The frame of a step, with the form's style sheet and module.
    pub fn into_frame(self, title: String) -> Frame {
        Frame::new(self.storefront, title).with(&["formulario.css"], &["formulario.js"])
    }

    fn back(&self, step: Step) -> Option<String> {
        if let Some(form) = &self.lead {
            let before = if form.returns { Some(Step::Summary) } else { step.previous() };
            return before.map(|p| form.path(p));
        }
        let start = format!("/f/{}", self.storefront.empresa.slug);
        step.previous().map(|p| match p {
            Step::Kind => format!("{start}{}", self.answers.query()),
            p => format!("{start}/{}{}", p.nombre(), self.answers.query()),
        })
    }
}

/// What the template of every step needs in addition to its own fields.
pub(crate) struct StepView {
    pub number: u8,
    /// The address of the previous step, or of the letter if the person came from there. `None` on the first step.
    pub back: Option<String>,
    /// The zone whose drawing is shown.
    pub drawing: Zona,
    /// The price so far.
    pub range: Option<RangeView>,
    /// The address that refreshes the price.
    pub range_path: String,
    /// The answers that the refreshed price needs but the form of this step does not contain.
    pub known: String,
    /// The address, the method and the hidden fields of the form.
    pub action: String,
    pub method: &'static str,
    pub hidden: Vec<(String, String)>,
    /// Who may cache and index the page.
    pub visibility: Visibility,
}

impl StepView {
    pub async fn new(state: &WebState, visitor: &Visitor, step: Step) -> Result<Self, Refusal> {
        let (slug, r) = (&visitor.storefront.empresa.slug, &visitor.answers);
        let (action, method, hidden, visibility) = match &visitor.lead {
            Some(form) => (form.path_with_return(step), "post", Vec::new(), Visibility::Personal),
            None => {
                // The form of a step asks anew for its own answer and for the answers that depend on it, so it does not
                // carry them.
                let (a, method, travelling, visibility) = match step {
                    Step::Kind => {
                        let travelling = FormAnswers { kind: None, m2: None, ..r.clone() };
                        (Step::Metros, "get", travelling, Visibility::Public)
                    }
                    Step::Metros => {
                        let travelling = FormAnswers { m2: None, ..r.clone() };
                        (Step::Contact, "get", travelling, Visibility::Public)
                    }
                    // Sending the contact data creates the lead, so the later steps belong to a lead.
                    _ => (Step::Contact, "post", r.clone(), Visibility::Anonymous),
                };
                (format!("/f/{slug}/{}", a.nombre()), method, travelling.fields(), visibility)
            }
        };
        Ok(Self {
            number: step.number(),
            back: visitor.back(step),
            drawing: Zona::assumed(r.kind),
            range: price_range::of(state, &visitor.storefront, r).await?,
            range_path: format!("/f/{slug}/rango"),
            known: known(r),
            action,
            method,
            hidden,
            visibility,
        })
    }

    /// The view for a page that contains typed personal data. Such a page is not cached, and its data travels only in
    /// request bodies.
    pub fn personal(self) -> Self {
        Self { method: "post", visibility: Visibility::Personal, ..self }
    }
}

fn known(r: &FormAnswers) -> String {
    let mut pairs = r.fields();
    pairs.retain(|(nombre, _)| nombre == "tipo" || nombre == "m2");
    let mut note_down = |nombre: &str, value: Option<String>| {
        pairs.extend(value.map(|v| (nombre.to_owned(), v)));
    };
    note_down("calidad", r.calidad.map(|c| c.to_string()));
    note_down("urgencia", r.urgencia.map(|u| u.to_string()));
    note_down("estructural", r.estructural.map(|e| if e { "si" } else { "no" }.to_owned()));
    note_down("provincia", r.provincia.clone());
    for (name, value) in obra_fields(&r.obra) {
        note_down(name, Some(value));
    }
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// The result of the form's handlers.
pub(crate) type PageResult = Result<Response, Refusal>;
