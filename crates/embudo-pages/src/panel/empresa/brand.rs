//! `/panel/empresa/marca`: the company's colour and logo, with a preview of pages and quotes.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use embudo_domain::color::{Color, MIN_CONTRAST};
use embudo_domain::identity::Identity;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Uri};

use super::edit::{self, of_company};
use super::{Tabs, company, frame};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::form::{Form, Group, Kind, Returned};
use crate::panel::kit::papers::unkept_pdf;
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{FormFields, Refusal, fields_of, private_page, read_fields, redirect, shades};

pub(super) const PATH: &str = "/panel/empresa/marca";

const FORM: Form<Identity> = Form::new(
    PATH,
    "Guardar el color",
    &[Group::new("", "", &[of_company("color", "Color", Kind::Line("color"))])],
);

#[derive(Template)]
#[template(path = "panel/empresa/brand.html")]
struct BrandPage {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    done: Option<&'static str>,
    version: String,
    /// The previewed colour, the saved colour, and the text typed beside the colour picker.
    color: Color,
    saved: Color,
    typed: String,
    is_stale: bool,
    logo: Option<String>,
    /// The version of the logo that the form was loaded with.
    logo_version: String,
    nombre: String,
    telefono: Option<String>,
    contrasts: Vec<String>,
}

impl BrandPage {
    fn logo_label(&self) -> &'static str {
        if self.logo.is_some() { "Cambiarlo por otro" } else { "Subir un logo" }
    }

    /// The colour without its `#`, as addresses contain it.
    fn digits(&self) -> String {
        self.color.to_string().trim_start_matches('#').to_owned()
    }
}

/// `GET /panel/empresa/marca?color=…`: previews a colour without saving it.
pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let done = match query.raw("hecho") {
        "color" => Some("Color guardado. Ya se ve en el formulario y en los presupuestos nuevos."),
        "logo" => Some("Logo guardado. Ya se ve en el formulario y en los presupuestos nuevos."),
        "sin-logo" => Some("Logo quitado. En su lugar sale el nombre de la empresa."),
        _ => None,
    };
    let mut returned = Returned::default();
    let tried = chosen(&query);
    if !tried.is_empty() {
        match Color::parse(&tried) {
            Some(_) => returned.typed = FormFields(vec![("color".to_owned(), tried)]),
            None => return refuse(&state, &signed, tried).await,
        }
    }
    page(&state, &signed, done, returned).await
}

/// `POST /panel/empresa/marca`: saves the colour.
pub(crate) async fn save(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let mut fields = fields_of(&state, request).await?;
    let color = chosen(&fields);
    if !color.is_empty() {
        if Color::parse(&color).is_none() {
            return refuse(&state, &signed, color).await;
        }
        fields.0.push(("color".to_owned(), color.to_lowercase()));
    }
    match edit::save(&state, &signed, &fields, &FORM).await? {
        None => Ok(redirect(&format!("{PATH}?hecho=color"))),
        Some(returned) => page(&state, &signed, None, returned).await,
    }
}

/// Shows the page again for a text that is not a colour.
async fn refuse(state: &WebState, signed: &Signed, code: String) -> PanelResult {
    let (empresa, stored) = company(state, signed).await?;
    let wrong = Identity::of(&empresa, &stored.brand).write("color", &code).err().unwrap_or_default();
    let typed = FormFields(vec![("codigo".to_owned(), code)]);
    let returned = Returned::wrong(FormState::wrong("codigo", wrong), typed);
    page(state, signed, None, returned).await
}

/// The typed code, or else the picked colour.
fn chosen(fields: &FormFields) -> String {
    let typed = fields.text("codigo");
    let text = if typed.is_empty() { fields.text("color") } else { typed };
    let is_bare = text.len() == 6 && text.bytes().all(|b| b.is_ascii_hexdigit());
    if is_bare { format!("#{text}") } else { text }
}

pub(super) async fn page(
    state: &WebState,
    signed: &Signed,
    done: Option<&'static str>,
    returned: Returned,
) -> PanelResult {
    let (empresa, stored) = company(state, signed).await?;
    let identity = Identity::of(&empresa, &stored.brand);
    let saved = stored.brand.color;
    let color = Color::parse(&returned.typed.text("color")).unwrap_or(saved);
    let digest = stored.logo.map(|digest| digest.to_string()).unwrap_or_default();
    let short: String = digest.chars().take(12).collect();
    let page = BrandPage {
        frame: frame(state, signed, "Marca").await?.with(&["empresa.css"], &["empresa.js"]),
        tabs: Tabs { here: PATH },
        done,
        version: FORM.version(&identity),
        color,
        saved,
        typed: returned.typed.text("codigo"),
        is_stale: returned.conflicts.contains(&"color"),
        logo: stored.logo.map(|_| format!("/f/{}/logo.png?v={short}", empresa.slug)),
        logo_version: digest,
        contrasts: contrasts(color),
        telefono: stored.brand.telefono,
        nombre: empresa.nombre,
        form: returned.form,
    };
    Ok(private_page(returned.status, &page))
}

/// The contrast of the colour with the text and backgrounds beside it, in words.
fn contrasts(color: Color) -> Vec<String> {
    let palette = color.palette();
    let ratio = |a: Color, b: Color| format!("{:.1}", a.contrast(b)).replace('.', ",");
    let least = format!("{MIN_CONTRAST:.1}").replace('.', ",");
    let letters = if palette.over == Color::WHITE { "blancas" } else { "negras" };
    let on = format!(
        "Sobre tu color van letras {letters}: contraste {} (lo mínimo es {least}).",
        ratio(palette.over, color)
    );
    let beside = match palette.strong == color {
        true => format!("Sobre papel blanco se lee tal cual: contraste {}.", ratio(color, Color::WHITE)),
        false => format!(
            "Es claro para leerse sobre blanco, así que las letras van en {}: contraste {}.",
            palette.strong,
            ratio(palette.strong, Color::WHITE)
        ),
    };
    vec![on, beside, "De noche se aclara lo justo para que se siga leyendo.".to_owned()]
}

/// `GET /panel/empresa/marca/muestra.css?color=…`: the shades of a previewed colour.
pub(crate) async fn sample_css(signed: Signed, uri: Uri) -> Result<Response, Refusal> {
    signed.empresa()?;
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let color = Color::parse(&chosen(&query)).unwrap_or(Color::DEFAULT);
    let mut response = shades::sample(color).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/css; charset=utf-8"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// `GET /panel/empresa/marca/muestra.pdf?color=…`: a sample quote without a lead, possibly in a previewed colour.
pub(crate) async fn sample_pdf(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let (empresa, stored) = company(&state, &signed).await?;
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let color = Color::parse(&chosen(&query)).unwrap_or(stored.brand.color);
    // The task goes on even if the client disconnects, so that it always gives back its place in the limit of
    // concurrent drawings.
    let by = signed.open.user.id;
    let task = embudo_trace::spawn(async move { state.app.quotes().draw_sample(by, empresa, color).await });
    let pdf = task.await.map_err(|_| Refusal::Internal)??;
    Ok(unkept_pdf("inline; filename=\"muestra.pdf\"", pdf))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrasts_are_told_for_dark_and_light_colours() {
        let dark = contrasts(Color::DEFAULT);
        assert!(dark[0].contains("letras blancas: contraste 7,") && dark[1].contains("tal cual"), "{dark:?}");
        let light = contrasts(Color([0xff, 0xd0, 0x00]));
        assert!(light[0].contains("letras negras") && light[1].contains("las letras van en #"), "{light:?}");
    }

    #[test]
    fn a_code_goes_before_the_picker() {
        let of = |pairs: &[(&str, &str)]| {
            chosen(&FormFields(pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()))
        };
        assert_eq!(of(&[("color", "#112233"), ("codigo", "")]), "#112233");
        assert_eq!(of(&[("color", "#112233"), ("codigo", " AABBCC ")]), "#AABBCC");
        assert_eq!(of(&[("color", "445566")]), "#445566");
        assert_eq!(of(&[]), "");
    }
}
