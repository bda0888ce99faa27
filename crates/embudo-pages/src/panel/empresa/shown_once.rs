//! A page with a value that is shown only once: a key or a secret.

use askama::Template;
use http::StatusCode;

use super::frame;
use crate::WebState;
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::private_page;

#[derive(Template)]
#[template(path = "panel/empresa/shown_once.html")]
struct SecretPage {
    frame: PanelFrame,
    title: String,
    text: &'static str,
    label: &'static str,
    secret: String,
}

pub(super) async fn page(
    state: &WebState,
    signed: &Signed,
    title: String,
    text: &'static str,
    label: &'static str,
    secret: String,
) -> PanelResult {
    let frame = frame(state, signed, &title).await?;
    Ok(private_page(StatusCode::OK, &SecretPage { frame, title, text, label, secret }))
}
