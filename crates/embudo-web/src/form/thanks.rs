//! The end of the form: what happens next.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use embudo_app::Outbound;
use http::{StatusCode, Uri};

use super::step::{Abierto, Respuesta};
use super::words;
use crate::WebState;
use crate::parts::{Frame, Storefront, Visibilidad, leer_campos, pagina};

/// True however the server is set up.
const RECIBIDO: &str = "Ya tenemos lo que nos has contado.";

#[derive(Template)]
#[template(path = "form/thanks.html")]
struct Pagina {
    frame: Frame,
    titulo: String,
    textos: Vec<String>,
    /// Back to the form, and to what was consented to.
    enlaces: Option<(String, String)>,
}

/// What will happen, as far as this server is set up to make it happen.
struct LoQueSigue<'a> {
    outbound: &'a Outbound,
    storefront: &'a Storefront,
}

impl LoQueSigue<'_> {
    fn mensajeria(&self, nombre: &str, telefono: &str) -> (String, String) {
        let canal = self.storefront.marca.mensajeria();
        if self.outbound.mensajeria.is_none() {
            return (
                format!("¡Hecho, {nombre}! Lo hemos anotado"),
                format!("Hemos anotado que prefieres seguir por {canal}, en el {telefono}."),
            );
        }
        (
            format!("¡Hecho, {nombre}! Seguimos por {canal}"),
            format!(
                "Te escribiremos al {telefono}. Puedes contestar cuando te venga bien y mandar ahí más fotos o dudas."
            ),
        )
    }

    fn llamada(&self, nombre: &str, telefono: &str) -> (String, String) {
        let empresa = &self.storefront.empresa;
        let avisada = self.outbound.correo.is_some() && empresa.wants_notices();
        let titulo = format!("¡Hecho, {nombre}! Lo hemos anotado");
        if avisada {
            let texto =
                format!("Hemos avisado a {} de que prefieres que te llamen al {telefono}.", empresa.nombre);
            return (titulo, texto);
        }
        (titulo, format!("Hemos anotado que prefieres que te llamemos al {telefono}."))
    }

    fn presupuesto(&self, email: &str) -> String {
        if self.outbound.correo.is_some() {
            return format!("Cuando esté listo, el presupuesto te llegará a {email}.");
        }
        if self.outbound.pdf.is_some() {
            return format!(
                "Cuando esté listo, te llegará el presupuesto por {}.",
                self.storefront.marca.mensajeria()
            );
        }
        format!(
            "Tu petición queda en manos de {}, que la verá y se pondrá en contacto contigo.",
            self.storefront.empresa.nombre
        )
    }
}

/// `GET /f/:slug/:pase/gracias?por=…`.
pub(crate) async fn mostrar(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
    uri: Uri,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    let lead = &abierto.ficha.lead;
    let nombre = words::nombre_de_pila(&lead.nombre);
    let telefono = words::telefono(&lead.telefono_e164);
    let por = leer_campos(uri.query().unwrap_or_default().as_bytes()).texto("por");
    let lo_que_sigue = LoQueSigue { outbound: &estado.app.outbound, storefront: &abierto.storefront };
    let (titulo, texto) = match por.as_str() {
        "mensajeria" => lo_que_sigue.mensajeria(nombre, &telefono),
        "llamada" => lo_que_sigue.llamada(nombre, &telefono),
        _ => (format!("¡Gracias, {nombre}!"), RECIBIDO.to_owned()),
    };
    let textos = vec![texto, lo_que_sigue.presupuesto(&lead.email)];
    let retirada = format!("/c/{}", estado.app.form_passes().to_consentimientos(lead.id));
    let enlaces = Some((format!("{}/resumen", abierto.form.base), retirada));
    Ok(page(abierto.storefront, titulo, textos, enlaces))
}

/// `GET /f/:slug/gracias`: the same for nobody in particular. Programs that fill hidden fields end here.
pub(crate) async fn to_nobody(State(estado): State<WebState>, Path(slug): Path<String>) -> Respuesta {
    let storefront = Storefront::de_slug(&estado, &slug).await?;
    Ok(page(storefront, "¡Gracias!".to_owned(), vec![RECIBIDO.to_owned()], None))
}

fn page(
    storefront: Storefront,
    titulo: String,
    textos: Vec<String>,
    enlaces: Option<(String, String)>,
) -> Response {
    let frame = Frame::new(storefront, "Gracias").con(&["formulario.css"], &[]);
    let pagina_ = Pagina { frame, titulo, textos, enlaces };
    pagina(StatusCode::OK, Visibilidad::Personal, &pagina_.frame, &pagina_)
}
