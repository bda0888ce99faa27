//! Step 4: quality, structure, time and budget.

use askama::Template;
use axum::extract::{Path, Request, State};
use embudo_domain::dinero::Cents;
use embudo_domain::perfil::Perfil;
use embudo_domain::perfil::{Calidad, Urgencia};
use embudo_store::command::Answer;
use http::Uri;

use super::answers::leer_euros;
use super::mistakes::Duda;
use super::step::{Abierto, Errores, Paso, Respuesta, Visitor, Vista};
use super::tipo::{actualizar, take_back};
use super::words::{CALIDADES, Opcion, URGENCIAS};
use crate::WebState;
use crate::parts::{Campos, Frame, campos_de, pagina, redirigir};

const TITULO: &str = "¿Cómo te gustaría que quedara?";
/// Nobody renovates anything for less: a slip, or thousands meant.
const POCO: Cents = Cents::euros(100);
/// The longest text of preferences.
const MAX_GUSTOS: usize = 4_000;

#[derive(Template)]
#[template(path = "form/calidad.html")]
struct Pagina {
    frame: Frame,
    vista: Vista,
    errores: Errores,
    elegidas: Elegidas,
    calidades: &'static [Opcion],
    urgencias: &'static [Opcion],
}

/// What stands in the form.
struct Elegidas {
    calidad: String,
    estructural: String,
    urgencia: String,
    presupuesto: String,
    gustos: String,
}

impl Elegidas {
    fn de_campos(campos: &Campos) -> Self {
        let [calidad, estructural, urgencia, presupuesto, gustos] =
            ["calidad", "estructural", "urgencia", "presupuesto", "gustos"].map(|n| campos.texto(n));
        Self { calidad, estructural, urgencia, presupuesto, gustos }
    }

    fn de_perfil(perfil: &Perfil) -> Self {
        let presupuesto = perfil
            .presupuesto_declarado
            .clone()
            .or_else(|| perfil.presupuesto_target_cents.map(|c| Cents(c).corto()));
        Self {
            calidad: perfil.calidad_global.map_or("", Calidad::as_str).to_owned(),
            estructural: perfil.estructural.map_or("", |e| if e { "si" } else { "no" }).to_owned(),
            urgencia: perfil.urgencia.map_or("", Urgencia::as_str).to_owned(),
            presupuesto: presupuesto.unwrap_or_default(),
            gustos: perfil.taste_text.clone().unwrap_or_default(),
        }
    }
}

/// `GET /f/:slug/:pase/calidad`.
pub(crate) async fn mostrar(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
    uri: Uri,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?.desde(&uri);
    let elegidas = Elegidas::de_perfil(&abierto.ficha.lead.perfil);
    mostrar_con(&estado, abierto.into(), elegidas, Errores::default()).await
}

async fn mostrar_con(estado: &WebState, visitor: Visitor, elegidas: Elegidas, errores: Errores) -> Respuesta {
    let vista = Vista::new(estado, &visitor, Paso::Calidad).await?;
    let pagina_ = Pagina {
        frame: visitor.into_frame(errores.titulo(TITULO)),
        vista,
        errores,
        elegidas,
        calidades: &CALIDADES,
        urgencias: &URGENCIAS,
    };
    Ok(pagina(pagina_.errores.status(), pagina_.vista.visibilidad, &pagina_.frame, &pagina_))
}

/// `POST /f/:slug/:pase/calidad`.
pub(crate) async fn guardar(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
    request: Request,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?.desde(request.uri());
    let campos = campos_de(&estado, request).await?;
    let elegidas = Elegidas::de_campos(&campos);
    let respuestas = abierto.respuestas().con(&campos);
    let mut errores = Errores::default();
    let presupuesto = leer_euros(&elegidas.presupuesto);
    if !elegidas.presupuesto.is_empty() && presupuesto.is_none() {
        errores.anotar(
            "presupuesto",
            "Escribe una cantidad en euros, por ejemplo 6.000. Si no lo sabes, déjalo vacío.",
        );
    }
    if let Some(poco) = presupuesto.filter(|c| *c < POCO) {
        errores.dudar(&campos, "presupuesto", &poco.0.to_string(), dudar_de(poco));
    }
    if elegidas.gustos.chars().count() > MAX_GUSTOS {
        errores
            .anotar("gustos", "Es un poco largo: resúmelo en 4.000 letras; luego hablamos de los detalles.");
    }
    if errores.hay() {
        // Priced with what was just said, kept or not.
        let visitor = Visitor { answers: respuestas, ..abierto.into() };
        return mostrar_con(&estado, visitor, elegidas, errores).await;
    }
    take_back(&estado, &abierto, &retiradas(&elegidas)).await?;
    let no_vacio = |texto: String| Some(texto).filter(|t| !t.is_empty());
    let perfil = Perfil {
        calidad_global: Calidad::parse(&elegidas.calidad),
        estructural: respuestas.estructural.filter(|_| campos.tiene("estructural")),
        urgencia: Urgencia::parse(&elegidas.urgencia),
        presupuesto_target_cents: presupuesto.map(|c| c.0),
        presupuesto_declarado: no_vacio(elegidas.presupuesto),
        taste_text: no_vacio(elegidas.gustos),
        ..Perfil::default()
    };
    actualizar(&estado, &abierto, perfil).await?;
    Ok(redirigir(&abierto.tras_guardar(Paso::Fotos)))
}

fn dudar_de(poco: Cents) -> Duda {
    let mensaje = format!(
        "¿Seguro que son {}? Si no tienes una cifra, déjalo vacío; si son miles, escríbelo entero: 6.000. Para dejarlo \
         así, pulsa «Continuar» otra vez.",
        poco.corto()
    );
    Duda { mensaje, sugerencia: None }
}

/// What stands empty now is no longer said, whatever was said before.
fn retiradas(elegidas: &Elegidas) -> Vec<Answer> {
    let vacias = [
        (Answer::Estructural, &elegidas.estructural),
        (Answer::Presupuesto, &elegidas.presupuesto),
        (Answer::TasteText, &elegidas.gustos),
    ];
    vacias.into_iter().filter(|(_, texto)| texto.is_empty()).map(|(answer, _)| answer).collect()
}
