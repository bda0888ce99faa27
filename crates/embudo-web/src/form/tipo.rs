//! Step 1: what to renovate.

use askama::Template;
use axum::extract::{Path, Request, State};
use embudo_domain::Zona;
use embudo_domain::perfil::Perfil;
use embudo_store::command::{Answer, ClearPerfil, UpdatePerfil};
use http::Uri;

use super::answers::Respuestas;
use super::step::{Abierto, Errores, Paso, Respuesta, Visitor, Vista};
use super::words::{PalabrasZona, ZONAS};
use crate::WebState;
use crate::parts::{Frame, Refusal, Storefront, campos_de, leer_campos, pagina, redirigir};

const TITULO: &str = "¿Qué quieres reformar?";
const ELIGE: &str = "Elige una de las opciones para seguir.";

#[derive(Template)]
#[template(path = "form/tipo.html")]
struct Pagina {
    frame: Frame,
    vista: Vista,
    errores: Errores,
    elegido: Option<Zona>,
    zonas: &'static [PalabrasZona],
}

impl Pagina {
    fn es_elegida(&self, una: &PalabrasZona) -> bool {
        self.elegido == Some(una.zona)
    }
}

/// `GET /`: the form of the default company.
pub(crate) async fn inicio(State(estado): State<WebState>, uri: Uri) -> Respuesta {
    let storefront = Storefront::por_defecto(&estado).await?;
    mostrar_con(&estado, visitor(&estado, storefront, &uri), Errores::default()).await
}

/// `GET /f/:slug`.
pub(crate) async fn nueva(State(estado): State<WebState>, Path(slug): Path<String>, uri: Uri) -> Respuesta {
    let storefront = Storefront::de_slug(&estado, &slug).await?;
    mostrar_con(&estado, visitor(&estado, storefront, &uri), Errores::default()).await
}

/// The page again for whoever went on without choosing.
pub(super) async fn sin_elegir(estado: &WebState, storefront: Storefront, uri: &Uri) -> Respuesta {
    mostrar_con(estado, visitor(estado, storefront, uri), falta()).await
}

fn visitor(estado: &WebState, storefront: Storefront, uri: &Uri) -> Visitor {
    let campos = leer_campos(uri.query().unwrap_or_default().as_bytes());
    Visitor::unknown(estado, storefront, Respuestas::de_campos(&campos))
}

fn falta() -> Errores {
    let mut errores = Errores::default();
    errores.falta("tipo", ELIGE);
    errores
}

/// `GET /f/:slug/:pase/tipo`.
pub(crate) async fn mostrar(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
    uri: Uri,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?.desde(&uri);
    mostrar_con(&estado, Visitor::from(abierto), Errores::default()).await
}

async fn mostrar_con(estado: &WebState, visitor: Visitor, errores: Errores) -> Respuesta {
    let vista = Vista::new(estado, &visitor, Paso::Tipo).await?;
    let elegido = visitor.answers.tipo;
    let frame = visitor.into_frame(errores.titulo(TITULO));
    let pagina_ = Pagina { frame, vista, errores, elegido, zonas: &ZONAS };
    Ok(pagina(pagina_.errores.status(), pagina_.vista.visibilidad, &pagina_.frame, &pagina_))
}

/// `POST /f/:slug/:pase/tipo`.
pub(crate) async fn guardar(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
    request: Request,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?.desde(request.uri());
    let campos = campos_de(&estado, request).await?;
    let Some(tipo) = Zona::parse(&campos.texto("tipo")) else {
        return mostrar_con(&estado, Visitor::from(abierto), falta()).await;
    };
    if abierto.respuestas().tipo == Some(tipo) {
        return Ok(redirigir(&abierto.tras_guardar(Paso::Metros)));
    }
    // The size was that of something else, and is asked for again.
    take_back(&estado, &abierto, &[Answer::M2Suelo]).await?;
    let perfil = Perfil { tipo_reforma: Some(tipo), ..Perfil::default() };
    actualizar(&estado, &abierto, perfil).await?;
    Ok(redirigir(&abierto.form.ruta_con_vuelta(Paso::Metros)))
}

/// Takes back answers that the lead has and the person no longer gives.
pub(super) async fn take_back(
    estado: &WebState,
    abierto: &Abierto,
    answers: &[Answer],
) -> Result<(), Refusal> {
    let perfil = &abierto.ficha.lead.perfil;
    let given = |answer: &Answer| match answer {
        Answer::M2Suelo => perfil.m2_suelo.is_some(),
        Answer::Estructural => perfil.estructural.is_some(),
        Answer::Presupuesto => {
            perfil.presupuesto_declarado.is_some() || perfil.presupuesto_target_cents.is_some()
        }
        Answer::TasteText => perfil.taste_text.is_some(),
    };
    let answers: Vec<Answer> = answers.iter().copied().filter(given).collect();
    if answers.is_empty() {
        return Ok(());
    }
    let (lead, en) = (abierto.ficha.lead.id, estado.app.ahora());
    Ok(estado.app.store.clear_perfil(ClearPerfil { lead, answers, en }).await?)
}

/// Writes what a step brought.
pub(super) async fn actualizar(estado: &WebState, abierto: &Abierto, perfil: Perfil) -> Result<(), Refusal> {
    if perfil == Perfil::default() {
        return Ok(());
    }
    let (lead, en) = (abierto.ficha.lead.id, estado.app.ahora());
    estado.app.store.update_perfil(UpdatePerfil { lead, perfil, en, idempotencia: None }).await?;
    Ok(())
}
