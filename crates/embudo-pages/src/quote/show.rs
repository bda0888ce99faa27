//! `GET /p/:pase`: the quote's page.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use embudo_domain::PresupuestoId;
use embudo_domain::empresa::Empresa;
use embudo_domain::lead::Lead;
use embudo_domain::presupuesto::{Document, Presupuesto, PresupuestoNumber, PresupuestoState, Validity};
use embudo_domain::rights::RightAsked;
use http::{StatusCode, Uri};

use super::access::Opened;
use super::bridge;
use super::pictures::Album;
use super::standing::Standing;
use super::view::{FormPost, QuotePage};
use crate::WebState;
use crate::parts::{
    FormFields, Frame, Refusal, Storefront, Visibility, private_page, read_fields, render_page,
};

/// Shows the current page.
pub(super) async fn display(
    State(state): State<WebState>,
    open: Opened,
    uri: Uri,
) -> Result<Response, Refusal> {
    let fields = read_fields(uri.query().unwrap_or_default().as_bytes());
    let sending = FormPost {
        asked: matches!(fields.raw("dudas"), "enviadas" | "anotadas"),
        waits: fields.raw("dudas") == "anotadas",
        right_asked: RightAsked::parse(fields.raw("datos")),
        options: fields.all("opcion"),
        ..FormPost::default()
    };
    display_with(&state, open, StatusCode::OK, sending).await
}

/// Shows the page with the result of a form.
pub(super) async fn display_with(
    state: &WebState,
    open: Opened,
    status: StatusCode,
    sending: FormPost,
) -> Result<Response, Refusal> {
    let page = page(state, open, sending).await?;
    Ok(personal(status, &page.frame, &page))
}

async fn page(state: &WebState, open: Opened, mut sending: FormPost) -> Result<QuotePage, Refusal> {
    let Opened { base, album, pdf, is_preview, presupuesto: p, storefront } = open;
    let replacement = match p.state {
        PresupuestoState::Superseded => bridge::current(state, p.lead).await?.map(|other| {
            // The holder of a pass to one quote of a lead is the client, who may also see the next quote: all passes of
            // a lead are revoked together.
            let path = match is_preview {
                true => format!("/panel/presupuestos/{}/pagina", other.id),
                false => state.app.quotes().page_path(other.id),
            };
            (other.number.to_string(), path)
        }),
        _ => None,
    };
    let renditions = bridge::renditions(state, p.lead).await?;
    let album = Album::new(&album, renditions, p.pdf.is_some());
    let visit = match p.state {
        PresupuestoState::Preparing => None,
        // People of the company must not get a client's pass.
        _ if is_preview => bridge::visit(state, &p).await?.map(|link| link.leading_to(&p)),
        _ => bridge::visit(state, &p).await?,
    };
    let standing = Standing::of(&p, bridge::today(state), replacement, visit.as_ref());
    // Options in the address are ignored if the quote cannot be accepted.
    if !standing.acceptable {
        sending.options.clear();
    }
    let mut template = QuotePage::new(storefront, base, &p, &album, standing, sending);
    template.pdf = p.pdf.map(|_| pdf);
    template.frame.is_preview = is_preview;
    Ok(template)
}

/// The quote as the client sees it, for people of the company. They cannot answer it.
pub(crate) async fn preview_page(
    state: &WebState,
    empresa: Empresa,
    presupuesto: Presupuesto,
    query: &FormFields,
) -> Result<Response, Refusal> {
    let sending = FormPost { options: query.all("opcion"), ..FormPost::default() };
    let open = Opened::in_panel(state, empresa, presupuesto).await?;
    Ok(private_page(StatusCode::OK, &page(state, open, sending).await?))
}

/// The draft as the client would see it, for people of the company.
pub(crate) async fn draft_page(
    state: &WebState,
    lead: &Lead,
    document: Document,
) -> Result<Response, Refusal> {
    let storefront = Storefront::of_empresa(state, lead.empresa.clone()).await?;
    let today = bridge::today(state);
    let album =
        Album::new(&format!("/panel/leads/{}", lead.id), bridge::renditions(state, lead.id).await?, false);
    let year = u16::try_from(today.year()).unwrap_or(2000);
    let p = Presupuesto {
        id: PresupuestoId(state.app.id()),
        lead: lead.id,
        empresa: lead.empresa.id,
        number: PresupuestoNumber::new(year, 1).ok_or(Refusal::Internal)?,
        version: 1,
        state: PresupuestoState::Preparing,
        content: document.digest(),
        validity: Validity::new(today, document.valid_days),
        document,
        pdf: None,
        accepted_pdf: None,
        creado_en: state.app.now(),
        emitido_en: None,
        answer: None,
        visit: None,
    };
    let standing = Standing::of_draft(&p.document);
    let page = QuotePage::of_draft(storefront, &p, &album, standing);
    Ok(private_page(StatusCode::OK, &page))
}

/// Renders a page with personal data.
fn personal(status: StatusCode, frame: &Frame, template: &impl Template) -> Response {
    render_page(status, Visibility::Personal, frame, template)
}
