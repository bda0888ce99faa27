//! Step 2: how large.

use askama::Template;
use axum::extract::{Path, Request, State};
use embudo_domain::Zona;
use embudo_domain::decimal::Cantidad;
use embudo_domain::perfil::Perfil;
use embudo_domain::tarifa::Tarifa;
use embudo_store::command::Answer;
use http::Uri;

use super::answers::{Respuestas, escribir_m2, leer_m2};
use super::mistakes::Duda;
use super::person::{Tecleado, VUELVE};
use super::step::{Abierto, Errores, Paso, Respuesta, Visitor, Vista};
use super::tipo::{actualizar, sin_elegir, take_back};
use super::words::{self, metros};
use crate::WebState;
use crate::parts::{Campos, Frame, Storefront, campos_de, leer_campos, pagina, redirigir};

#[derive(Template)]
#[template(path = "form/metros.html")]
struct Pagina {
    frame: Frame,
    vista: Vista,
    errores: Errores,
    titulo: &'static str,
    /// What stands in the box.
    valor: String,
    escala: Escala,
}

/// The slider and the usual sizes.
struct Escala {
    minimo: String,
    maximo: String,
    paso: &'static str,
    /// Where the slider stands.
    marca: String,
    /// Name, value for the form, value for people.
    tallas: Vec<(&'static str, String, String)>,
}

impl Escala {
    /// From the smallest to the largest that the slider shows, which is what people usually have.
    fn limites(tarifa: &Tarifa, zona: Zona) -> (f64, f64) {
        let tipo = tarifa.tipo(zona);
        (en_m2(tipo.m2_minimo), (en_m2(tipo.m2_alto) * 2.5).min(en_m2(tipo.m2_maximo)).ceil())
    }

    fn de(tarifa: &Tarifa, zona: Zona, elegidos: Option<f64>) -> Self {
        let tipo = tarifa.tipo(zona);
        let (minimo, maximo) = Self::limites(tarifa, zona);
        let tallas = [tipo.m2_bajo, tipo.m2_supuesto, tipo.m2_alto].map(en_m2);
        let nombres = words::zona(zona).tallas;
        Self {
            minimo: minimo.ceil().to_string(),
            maximo: maximo.to_string(),
            paso: if maximo <= 40.0 { "0.5" } else { "1" },
            marca: elegidos.unwrap_or_else(|| en_m2(tipo.m2_supuesto)).to_string(),
            tallas: nombres.into_iter().zip(tallas).map(|(n, t)| (n, escribir_m2(t), metros(t))).collect(),
        }
    }
}

fn en_m2(cantidad: Cantidad) -> f64 {
    // A checked table keeps areas below a million.
    #[allow(clippy::cast_precision_loss)]
    let m2 = cantidad.0 as f64 / 100.0;
    m2
}

/// What was sent from here.
enum Salida {
    /// The area, or none: it is not known.
    Sigue(Option<f64>),
    /// The page again, with what was typed.
    OtraVez(String, Errores),
}

impl Salida {
    /// «No lo sé» counts before everything, a preset button before the box.
    fn de(campos: &Campos, tarifa: &Tarifa, zona: Zona) -> Self {
        if campos.tiene("no-se") {
            return Self::Sigue(None);
        }
        let preset = campos.texto("talla");
        let texto = if preset.is_empty() { campos.texto("m2") } else { preset };
        let mut errores = Errores::default();
        match leer_m2(&texto) {
            Ok(None) => return Self::Sigue(None),
            Err(mensaje) => errores.anotar("m2", mensaje),
            Ok(Some(m2)) => {
                if let Some(duda) = rareza(tarifa, zona, m2) {
                    errores.dudar(campos, "m2", &escribir_m2(m2), duda);
                }
                if !errores.hay() {
                    return Self::Sigue(Some(m2));
                }
            }
        }
        Self::OtraVez(texto, errores)
    }
}

/// What is asked about an area beyond the slider: a slip more often than a ballroom.
fn rareza(tarifa: &Tarifa, zona: Zona, m2: f64) -> Option<Duda> {
    let (minimo, maximo) = Escala::limites(tarifa, zona);
    let cuanto = match m2 {
        _ if m2 > maximo => "mucho",
        _ if m2 < minimo => "muy poco",
        _ => return None,
    };
    let mensaje = format!(
        "¿Seguro que son {} m²? Es {cuanto} para {}. Si está bien, pulsa «Continuar» otra vez; si no, corrígelo.",
        metros(m2),
        words::zona(zona).una
    );
    Some(Duda { mensaje, sugerencia: None })
}

/// `GET /f/:slug/metros?tipo=…`.
pub(crate) async fn nueva(State(estado): State<WebState>, Path(slug): Path<String>, uri: Uri) -> Respuesta {
    let storefront = Storefront::de_slug(&estado, &slug).await?;
    let campos = leer_campos(uri.query().unwrap_or_default().as_bytes());
    let respuestas = Respuestas::de_campos(&campos);
    if respuestas.tipo.is_none() {
        return sin_elegir(&estado, storefront, &uri).await;
    }
    mostrar_con(&estado, Visitor::unknown(&estado, storefront, respuestas), None, None).await
}

/// `POST /f/:slug/metros`: back from step 3 without a module. What was typed there comes along in bodies, never in an address.
pub(crate) async fn volver(
    State(estado): State<WebState>,
    Path(slug): Path<String>,
    request: Request,
) -> Respuesta {
    let storefront = Storefront::de_slug(&estado, &slug).await?;
    let campos = campos_de(&estado, request).await?;
    let visitor = Visitor::unknown(&estado, storefront, Respuestas::de_campos(&campos));
    mostrar_con(&estado, visitor, Some(Tecleado::de(&campos)), None).await
}

/// What was typed in the step after this one, by somebody who came back from it.
type Luego = Option<Tecleado>;

/// What was typed here and cannot be taken as it is, with what to look at again.
type Mal = Option<(String, Errores)>;

async fn mostrar_con(estado: &WebState, visitor: Visitor, luego: Luego, mal: Mal) -> Respuesta {
    let Respuestas { tipo, m2, .. } = visitor.answers;
    let mut vista = Vista::new(estado, &visitor, Paso::Metros).await?;
    if let Some(tecleado) = luego {
        vista = vista.personal();
        vista.ocultos.extend(tecleado.campos());
    }
    let tarifa = visitor.storefront.tarifa(estado).await?;
    let zona = Zona::supuesta(tipo);
    let titulo = words::zona(zona).pregunta_m2;
    let (valor, errores) = mal.unwrap_or_else(|| (m2.map(metros).unwrap_or_default(), Errores::default()));
    let pagina_ = Pagina {
        escala: Escala::de(&tarifa, zona, m2),
        valor,
        frame: visitor.into_frame(errores.titulo(titulo)),
        vista,
        errores,
        titulo,
    };
    Ok(pagina(pagina_.errores.status(), pagina_.vista.visibilidad, &pagina_.frame, &pagina_))
}

/// What was sent from here to the next step: the answers, or the page again with what was typed.
pub(super) async fn al_salir(
    estado: &WebState,
    storefront: &Storefront,
    campos: &Campos,
) -> Result<Respuestas, Respuesta> {
    let respuestas = Respuestas { m2: None, ..Respuestas::de_campos(campos) };
    let tarifa = match storefront.tarifa(estado).await {
        Ok(tarifa) => tarifa,
        Err(refusal) => return Err(Err(refusal)),
    };
    match Salida::de(campos, &tarifa, Zona::supuesta(respuestas.tipo)) {
        Salida::Sigue(m2) => Ok(Respuestas { m2, ..respuestas }),
        Salida::OtraVez(texto, errores) => {
            let luego = campos.tiene(VUELVE).then(|| Tecleado::de(campos));
            let visitor = Visitor::unknown(estado, storefront.clone(), respuestas);
            Err(mostrar_con(estado, visitor, luego, Some((texto, errores))).await)
        }
    }
}

/// `GET /f/:slug/:pase/metros`.
pub(crate) async fn mostrar(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
    uri: Uri,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?.desde(&uri);
    mostrar_con(&estado, Visitor::from(abierto), None, None).await
}

/// `POST /f/:slug/:pase/metros`.
pub(crate) async fn guardar(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
    request: Request,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?.desde(request.uri());
    let campos = campos_de(&estado, request).await?;
    let tarifa = abierto.storefront.tarifa(&estado).await?;
    let m2 = match Salida::de(&campos, &tarifa, Zona::supuesta(abierto.respuestas().tipo)) {
        Salida::Sigue(m2) => m2,
        Salida::OtraVez(texto, errores) => {
            return mostrar_con(&estado, Visitor::from(abierto), None, Some((texto, errores))).await;
        }
    };
    if m2.is_none() {
        take_back(&estado, &abierto, &[Answer::M2Suelo]).await?;
    }
    actualizar(&estado, &abierto, Perfil { m2_suelo: m2, ..Perfil::default() }).await?;
    Ok(redirigir(&abierto.tras_guardar(Paso::Calidad)))
}
