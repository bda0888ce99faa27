//! The pages that clients of a company see (the form, the quote, the visit), and the panel in which the company works.
//!
//! The pages are rendered on the server. They contain nothing inline and nothing from third parties, and set no cookie
//! outside the panel. A page of a client is made with `parts::Frame` and answered with `parts::render_page`; the panel
//! has its own frames and answers with `parts::private_page`. Every refusal is a `parts::Refusal`, which the middleware
//! `parts::layer` turns into a page in the company's look. A handler extracts its input, calls the application and
//! fills a template; business rules stay in the domain.

mod files;
mod form;
mod installation;
mod panel;
mod parts;
mod quote;
mod state;
mod visit;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::response::Response;

pub use installation::{
    Backups, BlobPlace, Check, CheckResult, InstallationState, Logged, LookAtInstallation,
};
pub use panel::{LoginQuota, Needs, Of, ROUTES as PANEL_ROUTES, Route as PanelRoute};
pub use parts::Quota;
use parts::{Refusal, layer};
pub use state::{WebSettings, WebState};

/// Every page of the router below, as its method and its address. The router serves only pages in these tables.
pub fn routes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let open = [form::ROUTES, form::reminders::ROUTES, files::ROUTES, quote::ROUTES, visit::ROUTES];
    let panel = PANEL_ROUTES.iter().map(|route| (route.method, route.path));
    open.into_iter().flatten().copied().chain(panel)
}

/// Every page, with the layer that all of them share. `elsewhere` answers an address outside those of the pages.
pub fn router(state: WebState, elsewhere: fn() -> Response) -> Router {
    let pages = clients(&state).merge(panel::routes(&state));
    with_layer(pages, state, elsewhere)
}

/// The router without the panel.
pub fn client_router(state: WebState, elsewhere: fn() -> Response) -> Router {
    with_layer(clients(&state), state, elsewhere)
}

fn clients(state: &WebState) -> Router<WebState> {
    form::routes()
        .route_layer(from_fn_with_state(state.clone(), form::own_pages_only))
        // Mail programs post to these addresses from their own servers (RFC 8058), so the same-origin check does not
        // apply.
        .merge(form::reminders::routes())
        .merge(files::routes())
        .merge(quote::routes())
        .merge(visit::routes())
}

fn with_layer(pages: Router<WebState>, state: WebState, elsewhere: fn() -> Response) -> Router {
    pages
        .method_not_allowed_fallback(async || Refusal::NotFound)
        .layer(from_fn_with_state(state.clone(), layer::layer))
        .fallback(async move |state, request| layer::unknown(state, request, elsewhere).await)
        .with_state(state)
}
