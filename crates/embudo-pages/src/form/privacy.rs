//! `GET /f/:slug/privacidad`: the company's privacy policy, either its own text or the text shipped with Embudo.

use askama::Template;
use axum::extract::{Path, State};
use http::StatusCode;

use super::step::PageResult;
use super::texts_version;
use crate::WebState;
use crate::parts::{Frame, Storefront, Visibility, render_page};

#[derive(Template)]
#[template(path = "form/privacy.html")]
struct PrivacyPage {
    frame: Frame,
    /// The paragraphs of the company's own text.
    own: Option<Vec<String>>,
    /// The recipients of data, each with its purpose.
    recipients: Vec<(&'static str, String)>,
    version: String,
}

impl PrivacyPage {
    fn controller(&self) -> &str {
        let storefront = &self.frame.storefront;
        storefront.brand.razon_social.as_deref().unwrap_or(&storefront.empresa.nombre)
    }
}

pub(crate) async fn show(State(state): State<WebState>, Path(slug): Path<String>) -> PageResult {
    let storefront = Storefront::of_slug(&state, &slug).await?;
    let own = storefront.brand.policy.as_deref().map(paragraphs);
    let privacy = state.app.store.settings(storefront.empresa.id).await?.privacy;
    let recipients = privacy.named().into_iter().map(|(what, who)| (what, who.to_owned())).collect();
    let page = PrivacyPage {
        frame: Frame::new(storefront, "Política de privacidad").with(&["formulario.css"], &[]),
        own,
        recipients,
        version: texts_version(&privacy),
    };
    Ok(render_page(StatusCode::OK, Visibility::Public, &page.frame, &page))
}

/// Splits the text at empty lines.
fn paragraphs(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n");
    text.split("\n\n").map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect()
}
