//! `GET /p/:pase`: the quote's page.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use embudo_app::Pass;
use embudo_domain::presupuesto::PresupuestoState;
use http::header::REFERRER_POLICY;
use http::{HeaderValue, StatusCode, Uri};

use super::access::Opened;
use super::bridge;
use super::pictures::Album;
use super::standing::Standing;
use super::view::{FormPost, Page};
use crate::WebState;
use crate::parts::{Frame, Refusal, Storefront, Visibility, read_fields, render_page};

/// The page as it is now.
pub(super) async fn display(
    State(state): State<WebState>,
    open: Opened,
    uri: Uri,
) -> Result<Response, Refusal> {
    let asked = read_fields(uri.query().unwrap_or_default().as_bytes()).text("dudas") == "enviadas";
    display_with(&state, open, StatusCode::OK, FormPost { asked, ..FormPost::default() }).await
}

/// The page with what became of a form.
pub(super) async fn display_with(
    state: &WebState,
    open: Opened,
    status: StatusCode,
    sending: FormPost,
) -> Result<Response, Refusal> {
    let Opened { base, presupuesto: p, storefront } = open;
    let actual = match p.state {
        PresupuestoState::Superseded => bridge::actual(state, p.lead).await?.map(|other| {
            // Whoever holds a pass to one quote of a lead is its client, and may see the next.
            let pass = state.app.outbound.passes.write(Pass::Presupuesto(other.id), None);
            (other.number.to_string(), format!("/p/{pass}"))
        }),
        _ => None,
    };
    let renditions = bridge::renditions(state, p.lead).await?;
    let album = Album::new(&base, renditions, p.pdf.is_some());
    let standing = Standing::of(&p, bridge::today(state), actual);
    let template = Page::new(storefront, base, &p, &album, standing, sending);
    Ok(personal(status, &template.frame, &template))
}

#[derive(Template)]
#[template(path = "quote/foreign.html")]
struct Foreign {
    frame: Frame,
}

/// The page for a form that another site sent.
pub(super) fn foreign(storefront: Storefront) -> Response {
    let template = Foreign { frame: Frame::new(storefront, "No hemos guardado nada") };
    personal(StatusCode::FORBIDDEN, &template.frame, &template)
}

/// A page of somebody's own. Its address, which holds the pass, goes to nobody else; but its own forms may say where they come
/// from, by which older browsers' forms are told from those of other sites.
fn personal(status: StatusCode, frame: &Frame, template: &impl Template) -> Response {
    let mut response = render_page(status, Visibility::Personal, frame, template);
    response.headers_mut().insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}
