//! Step 3: contact data. Sending this step creates the lead.

use askama::Template;
use axum::extract::{Path, Request, State};
use embudo_app::{PageSecret, Ticket};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::form_questions::OptionalQuestion;
use embudo_domain::lead::{ContactPatch, NewLead};
use embudo_domain::obra::{Obra, ObraPatch};
use embudo_domain::perfil::{CanalOrigen, Perfil};
use embudo_domain::provincia::Provincia;
use http::Uri;
use jiff::SignedDuration;

use super::answers::FormAnswers;
use super::kind::not_chosen;
use super::metros;
use super::person::{RETURNS, Typed};
use super::step::{Errors, Opened, PageResult, Step, StepView, Visitor};
use super::texts_version;
use crate::WebState;
use crate::parts::{
    ClientAddress, Frame, Refusal, Storefront, fields_of, read_fields, redirect, render_page,
};

const TITLE: &str = "¿A quién le preparamos el presupuesto?";
/// A person needs longer to type three fields. Programs are faster.
const MINIMUM: SignedDuration = SignedDuration::from_millis(1_500);

#[derive(Template)]
#[template(path = "form/contact.html")]
struct ContactPage {
    frame: Frame,
    view: StepView,
    errors: Errors,
    /// Whether the lead already exists, so that this page corrects its contact data.
    corrects: bool,
    /// Whether quotes go out by mail.
    by_mail: bool,
    asks_offers: bool,
    typed: Typed,
    /// Set on a page that creates a lead. Sending the same page again corrects that lead instead of creating another.
    secret: Option<PageSecret>,
    provincias: Vec<Provincia>,
}

impl ContactPage {
    fn why_mail(&self) -> &'static str {
        match self.by_mail {
            true => "Aquí te llegará el presupuesto en PDF.",
            false => "Para contestarte por escrito.",
        }
    }
}

/// `GET /f/:slug/contacto?tipo=…&m2=…`.
pub(crate) async fn new(State(state): State<WebState>, Path(slug): Path<String>, uri: Uri) -> PageResult {
    let storefront = Storefront::of_slug(&state, &slug).await?;
    let fields = read_fields(uri.query().unwrap_or_default().as_bytes());
    if FormAnswers::of_fields(&fields).kind.is_none() {
        return not_chosen(&state, storefront, &uri).await;
    }
    match metros::on_leave(&state, &storefront, &fields).await {
        Ok(answers) => {
            let visitor = Visitor::unknown(&state, storefront, answers);
            show_with(&state, visitor, None, Errors::default()).await
        }
        Err(again) => again,
    }
}

async fn show_with(state: &WebState, visitor: Visitor, typed: Option<Typed>, errors: Errors) -> PageResult {
    let mut view = StepView::new(state, &visitor, Step::Contact).await?;
    if typed.is_some() {
        view = view.personal();
    }
    let typed = typed.unwrap_or_default();
    let own_secret = || typed.secret.clone().unwrap_or_else(PageSecret::random);
    let secret = visitor.lead.is_none().then(own_secret);
    let left_out = state.app.store.settings(visitor.storefront.empresa.id).await?.left_out;
    let page = ContactPage {
        asks_offers: !left_out.contains(&OptionalQuestion::Offers),
        corrects: visitor.lead.is_some(),
        by_mail: state.app.outbound.mail.is_some(),
        typed,
        secret,
        provincias: provincias(),
        frame: visitor.into_frame(errors.title(TITLE)),
        view,
        errors,
    };
    Ok(render_page(page.errors.status(), page.view.visibility, &page.frame, &page))
}

/// All provinces, sorted by name as people look for them.
fn provincias() -> Vec<Provincia> {
    let mut all: Vec<Provincia> = Provincia::all().collect();
    all.sort_by_key(|p| embudo_domain::search::fold(p.nombre()));
    all
}

/// `POST /f/:slug/contacto`: creates the lead. Sending the same page again does not create a second lead.
pub(crate) async fn signup(
    State(state): State<WebState>,
    Path(slug): Path<String>,
    ClientAddress(ip): ClientAddress,
    request: Request,
) -> PageResult {
    let storefront = Storefront::of_slug(&state, &slug).await?;
    let fields = fields_of(&state, request).await?;
    if fields.has("web") {
        // People do not see this field, so only a program fills it in. The answer is the same as for everybody.
        return Ok(redirect(&format!("/f/{slug}/gracias")));
    }
    if fields.has(RETURNS) {
        return match metros::on_leave(&state, &storefront, &fields).await {
            Ok(answers) => {
                let visitor = Visitor::unknown(&state, storefront, answers);
                show_with(&state, visitor, Some(Typed::of(&fields)), Errors::default()).await
            }
            Err(again) => again,
        };
    }
    let (answers, typed) = (FormAnswers::of_fields(&fields), Typed::of(&fields));
    let read = typed.read(&fields).and_then(|read| Ok((read, ticket(&state, &storefront, &answers)?)));
    let (read, ticket) = match read {
        Ok(read) => read,
        Err(errors) => {
            let visitor = Visitor::unknown(&state, storefront, answers);
            return show_with(&state, visitor, Some(typed), errors).await;
        }
    };
    state.quotas.lead(ip, storefront.empresa.id).await?;
    let perfil = Perfil {
        canal_origen: Some(CanalOrigen::WebForm),
        tipo_reforma: answers.kind,
        m2_suelo: answers.m2,
        ..Perfil::default()
    };
    let privacy = state.app.store.settings(storefront.empresa.id).await?.privacy;
    let new = NewLead {
        nombre: read.nombre,
        telefono: read.telefono,
        email: read.email,
        provincia: read.provincia,
        obra: Obra {
            codigo_postal: read.codigo_postal,
            direccion: read.direccion,
            m2_estimado: answers.m2,
            ..Obra::default()
        },
        empresa: Some(storefront.empresa.id),
        perfil,
        utm: answers.utm,
        consentimientos: consentimientos(typed.comercial, &texts_version(&privacy)),
    };
    // The secret identifies the page. A form that repeats a ticket and a secret corrects the lead that it created.
    // Without a secret it always creates a new lead, because a random secret is used.
    let (app, secret) = (state.app.clone(), typed.secret.unwrap_or_else(PageSecret::random));
    // Signing up has several steps. The spawned task finishes them even if the client disconnects.
    let job = embudo_trace::spawn(async move { app.forms().sign_up(ticket, &secret, new).await });
    let lead = job.await.expect("the task is not cancelled; a panic in it is this request's panic")?;
    let lead = lead.ok_or(Refusal::Expired)?;
    Ok(redirect(&format!("/f/{slug}/{}/{}", state.app.form_passes().to_form(lead), Step::Calidad.nombre())))
}

/// The ticket in the form of this company, if it is valid and the form was not filled in faster than people type.
fn ticket(state: &WebState, storefront: &Storefront, answers: &FormAnswers) -> Result<Ticket, Errors> {
    let text = answers.ticket.as_deref().unwrap_or_default();
    let mensaje = match state.app.form_passes().read_ticket(text, storefront.empresa.id) {
        Ok(ticket) if state.app.now().duration_since(ticket.shown_at) >= MINIMUM => return Ok(ticket),
        Ok(_) => "Ha sido muy rápido. Comprueba tus datos y pulsa otra vez, por favor.",
        Err(_) => {
            "Esta página llevaba mucho tiempo abierta. Comprueba tus datos y pulsa otra vez, por favor."
        }
    };
    let mut errors = Errors::default();
    errors.note_down("enviar", mensaje);
    Err(errors)
}

/// The consents to record: the privacy notice was shown, and whether the person wants offers.
fn consentimientos(comercial: bool, version: &str) -> Vec<Consentimiento> {
    let note_down = |purpose: &str, channel: Option<&str>, granted| Consentimiento {
        purpose: purpose.to_owned(),
        channel: channel.map(str::to_owned),
        texto_version: version.to_owned(),
        source: Some(CanalOrigen::WebForm.to_string()),
        granted,
        otorgado_en: None,
    };
    vec![note_down("informacion_privacidad", None, true), note_down("comercial", Some("email"), comercial)]
}

/// `GET /f/:slug/:pase/contacto`.
pub(crate) async fn show(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    uri: Uri,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?.since(&uri);
    let lead = &open.record.lead;
    let typed = Typed {
        secret: None,
        // A name that came through the API may be longer than the form accepts, so the box gets the shortened name.
        nombre: lead.name(),
        telefono: lead.telefono.clone(),
        email: lead.email.clone(),
        direccion: lead.obra.direccion.as_ref().map(|d| d.as_str().to_owned()).unwrap_or_default(),
        codigo_postal: lead.obra.codigo_postal.as_ref().map(|c| c.as_str().to_owned()).unwrap_or_default(),
        provincia: lead.place().unwrap_or_default(),
        comercial: false,
    };
    show_with(&state, Visitor::from(open), Some(typed), Errors::default()).await
}

/// `POST /f/:slug/:pase/contacto`: a correction.
pub(crate) async fn correct(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    request: Request,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?.since(request.uri());
    let fields = fields_of(&state, request).await?;
    let typed = Typed::of(&fields);
    let read = match typed.read(&fields) {
        Ok(read) => read,
        Err(errors) => {
            return show_with(&state, Visitor::from(open), Some(typed), errors).await;
        }
    };
    let patch = ContactPatch {
        nombre: Some(read.nombre),
        telefono: Some(read.telefono),
        email: Some(read.email),
        provincia: read.provincia,
    };
    let empty = [("codigoPostal", read.codigo_postal.is_none()), ("direccion", read.direccion.is_none())];
    let cleared = empty.into_iter().filter(|(_, is_empty)| *is_empty).map(|(name, _)| name).collect();
    let obra = Obra { codigo_postal: read.codigo_postal, direccion: read.direccion, ..Obra::default() };
    let obra = ObraPatch { obra, cleared };
    state.app.forms().correct_contact(open.record.lead.id, patch, obra, &pass).await?;
    Ok(redirect(&open.after_save(Step::Calidad)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provinces_in_the_order_of_the_alphabet() {
        let names = provincias();
        assert_eq!(names.len(), 52);
        let position = |n: &str| names.iter().position(|p| p.nombre().contains(n));
        assert!(position("Ávila") < position("Badajoz"));
    }
}
