//! Step 6: what was told, as a letter, and how to go on: by messaging or by telephone.

use askama::Template;
use axum::extract::{Path, State};
use embudo_domain::Zona;
use embudo_domain::dinero::Cents;
use http::StatusCode;

use super::VERSION_TEXTOS;
use super::fotos::{notas_propias, propias};
use super::step::{Abierto, DESDE_LA_CARTA, Paso, Respuesta, Visitor, Vista};
use super::words;
use crate::WebState;
use crate::parts::{Frame, pagina, redirigir};

#[derive(Template)]
#[template(path = "form/summary.html")]
struct Pagina {
    frame: Frame,
    vista: Vista,
    base: String,
    carta: Carta,
    /// Whether a conversation can be started from here.
    mensajeria: bool,
    /// Whether quotes go out by mail.
    por_correo: bool,
}

impl Pagina {
    fn cambiar(&self, paso: &str) -> String {
        format!("{}/{paso}{DESDE_LA_CARTA}", self.base)
    }
}

/// What the letter says; what is not known is left out.
struct Carta {
    nombre: String,
    que: &'static str,
    metros: Option<String>,
    calidad: Option<&'static str>,
    estructural: Option<bool>,
    plazo: Option<&'static str>,
    presupuesto: Option<String>,
    gustos: Option<String>,
    adjuntos: Option<String>,
    email: String,
    telefono: String,
}

impl Carta {
    fn de(abierto: &Abierto) -> Self {
        let (lead, perfil) = (&abierto.ficha.lead, &abierto.ficha.lead.perfil);
        Self {
            nombre: words::nombre_de_pila(&lead.nombre).to_owned(),
            que: words::zona(Zona::supuesta(perfil.tipo_reforma)).tuya,
            metros: perfil.m2_suelo.map(words::metros),
            calidad: perfil.calidad_global.map(words::calidad),
            estructural: perfil.estructural,
            plazo: perfil.urgencia.map(words::urgencia),
            presupuesto: perfil.presupuesto_target_cents.map(|c| Cents(c).corto()),
            gustos: perfil.taste_text.clone(),
            adjuntos: adjuntos(propias(&abierto.ficha).count(), notas_propias(&abierto.ficha).count()),
            email: lead.email.clone(),
            telefono: words::telefono(&lead.telefono_e164),
        }
    }
}

/// «3 fotos y una nota».
fn adjuntos(fotos: usize, notas: usize) -> Option<String> {
    let contar = |n: usize, una: &str, varias: &str| match n {
        0 => None,
        1 => Some(una.to_owned()),
        n => Some(format!("{n} {varias}")),
    };
    match (contar(fotos, "una foto", "fotos"), contar(notas, "una nota", "notas")) {
        (Some(f), Some(n)) => Some(format!("{f} y {n}")),
        (f, n) => f.or(n),
    }
}

/// `GET /f/:slug/:pase/resumen`.
pub(crate) async fn mostrar(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    let (base, carta) = (abierto.form.base.clone(), Carta::de(&abierto));
    let visitor = Visitor::from(abierto);
    let vista = Vista::new(&estado, &visitor, Paso::Resumen).await?;
    let frame = visitor.into_frame("Tu resumen".to_owned());
    let outbound = &estado.app.outbound;
    let (mensajeria, por_correo) = (outbound.mensajeria.is_some(), outbound.correo.is_some());
    let pagina_ = Pagina { frame, vista, base, carta, mensajeria, por_correo };
    Ok(pagina(StatusCode::OK, pagina_.vista.visibilidad, &pagina_.frame, &pagina_))
}

/// `POST /f/:slug/:pase/mensajeria`: the lead goes on by messaging; pressing twice is one wish.
pub(crate) async fn mensajeria(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    // The work has steps, so it goes on without its client.
    let (app, lead) = (estado.app.clone(), abierto.ficha.lead.id);
    let trabajo = tokio::spawn(async move { app.forms().go_on_by_mensajeria(lead, VERSION_TEXTOS).await });
    trabajo.await.expect("the task is not cancelled; a panic in it is this request's panic")?;
    Ok(redirigir(&format!("{}/gracias?por=mensajeria", abierto.form.base)))
}

/// `POST /f/:slug/:pase/llamada`: the lead would rather be called.
pub(crate) async fn llamada(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    estado.app.forms().ask_for_call(abierto.ficha.lead.id, VERSION_TEXTOS).await?;
    Ok(redirigir(&format!("{}/gracias?por=llamada", abierto.form.base)))
}

#[cfg(test)]
mod tests {
    use super::adjuntos;

    #[test]
    fn counted_in_words() {
        assert_eq!(adjuntos(0, 0), None);
        assert_eq!(adjuntos(1, 0).as_deref(), Some("una foto"));
        assert_eq!(adjuntos(3, 1).as_deref(), Some("3 fotos y una nota"));
        assert_eq!(adjuntos(0, 2).as_deref(), Some("2 notas"));
    }
}
