//! `GET /panel`, and the switches in the frame: company and theme.

use axum::extract::{Request, State};

use super::frame::{Theme, rail};
use super::{Caller, PanelResult, Signed, cookies, holds};
use crate::WebState;
use crate::parts::{Refusal, fields_of, redirect};

/// Redirects to the first page that the person may open, to sign-in, or to the set-up.
pub(super) async fn home(State(state): State<WebState>, signed: Option<Signed>) -> PanelResult {
    let place = match signed {
        Some(signed) => rail(&signed).first().map_or("/panel/cuenta", |entry| entry.path),
        None if state.app.access().awaits_set_up().await? => "/panel/empezar",
        None => "/panel/entrar",
    };
    Ok(redirect(place))
}

/// `POST /panel/cambiar`: switches to another company.
pub(super) async fn empresa(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let slug = fields_of(&state, request).await?.text("empresa");
    let own = signed.empresas.iter().find(|(empresa, _)| empresa.slug == slug);
    let (empresa, _) = own.ok_or(Refusal::NotFound)?;
    match state.app.access().choose_empresa(&signed.open, empresa.id).await? {
        true => Ok(redirect("/panel")),
        false => Err(Refusal::NotFound),
    }
}

/// `POST /panel/tema`: sets the theme to light, dark, or the setting of the system.
pub(super) async fn theme(State(state): State<WebState>, _: Caller, request: Request) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let theme = Theme::parse(&fields.text("tema")).map(Theme::word);
    Ok(cookies::keep_theme(redirect(back(fields.raw("a"))), theme))
}

/// The address to continue to. An address outside the panel is replaced with the panel's start page.
pub(super) fn back(asked: &str) -> &str {
    let path = asked.split(['?', '#']).next().unwrap_or_default();
    let plain = asked.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
    // Browsers resolve these path segments in both spellings, and could leave the panel that way.
    let is_step = |part: &str| matches!(part.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..");
    let stays = !path.split('/').any(is_step) && !path.contains("//");
    if plain && stays && holds(path) { asked } else { "/panel" }
}

#[cfg(test)]
mod tests {
    use super::back;

    #[test]
    fn nobody_is_led_away() {
        for good in ["/panel", "/panel/leads/1?x=%20y", "/panel?a"] {
            assert_eq!(back(good), good);
        }
        for bad in [
            "",
            "/",
            "//malo.es",
            "https://malo.es",
            "/panelx",
            "/panel.malo.es",
            "/panel/\\malo.es",
            "/panel/a b",
            "/panel/\r\nSet-Cookie: a=b",
            "/api/leads",
            "/panel/ñ",
            "/panel/../api/leads",
            "/panel/..//malo.es",
            "/panel/%2E%2e/salir",
            "/panel/.%2e",
            "/panel//malo.es",
            "///malo.es/panel/",
            "javascript:alert(1)//panel/",
        ] {
            assert_eq!(back(bad), "/panel", "{bad}");
        }
    }
}
