//! Step 2: how large.

use askama::Template;
use axum::extract::{Path, Request, State};
use embudo_domain::Zona;
use embudo_domain::perfil::Perfil;
use embudo_domain::tarifa::Tarifa;
use http::Uri;

use super::datos::{Respuestas, leer_m2};
use super::palabras::{self, metros};
use super::tipo::{actualizar, sin_elegir};
use super::vista::{Abierto, Errores, Paso, Respuesta, Vista, marco};
use crate::Estado;
use crate::web::piezas::{
    Campos, Casa, Fallo, Marco, Visibilidad, campos_de, leer_campos, pagina, redirigir,
};

const CON_NUMEROS: &str = "Escribe los metros con números, por ejemplo 12 o 7,5.";

#[derive(Template)]
#[template(path = "formulario/metros.html")]
struct Pagina {
    marco: Marco,
    vista: Vista,
    errores: Errores,
    titulo: &'static str,
    accion: String,
    metodo: &'static str,
    ocultos: Vec<(String, String)>,
    /// What stands in the box.
    valor: String,
    escala: Escala,
    /// On without an answer.
    no_se: String,
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
    fn de(tarifa: &Tarifa, zona: Zona, elegidos: Option<f64>) -> Self {
        let tipo = tarifa.tipo(zona);
        let m2 = |c: embudo_domain::decimal::Cantidad| {
            // A checked table keeps areas below a million.
            #[allow(clippy::cast_precision_loss)]
            let m2 = c.0 as f64 / 100.0;
            m2
        };
        let maximo = (m2(tipo.m2_alto) * 2.5).min(m2(tipo.m2_maximo)).ceil();
        let tallas = [tipo.m2_bajo, tipo.m2_supuesto, tipo.m2_alto].map(m2);
        let nombres = palabras::zona(zona).tallas;
        Self {
            minimo: m2(tipo.m2_minimo).ceil().to_string(),
            maximo: maximo.to_string(),
            paso: if maximo <= 40.0 { "0.5" } else { "1" },
            marca: elegidos.unwrap_or_else(|| m2(tipo.m2_supuesto)).to_string(),
            tallas: nombres.into_iter().zip(tallas).map(|(n, t)| (n, t.to_string(), metros(t))).collect(),
        }
    }
}

/// What the form says: a preset button counts before the box.
fn leido(campos: &Campos) -> (String, Option<f64>) {
    let preset = campos.texto("talla");
    let texto = if preset.is_empty() { campos.texto("m2") } else { preset };
    let m2 = leer_m2(&texto);
    (texto, m2)
}

/// `GET /f/:slug/metros?tipo=…`.
pub(crate) async fn nueva(State(estado): State<Estado>, Path(slug): Path<String>, uri: Uri) -> Respuesta {
    let casa = Casa::de_slug(&estado, &slug).await?;
    let campos = leer_campos(uri.query().unwrap_or_default().as_bytes());
    let respuestas = Respuestas::de_campos(&campos);
    if respuestas.tipo.is_none() {
        return sin_elegir(&estado, casa, &uri).await;
    }
    sin_lead(&estado, casa, respuestas, None).await
}

/// The page before there is a lead; with what was typed if that was no number.
pub(super) async fn sin_lead(
    estado: &Estado,
    casa: Casa,
    respuestas: Respuestas,
    mal: Option<String>,
) -> Respuesta {
    let mut errores = Errores::default();
    if mal.is_some() {
        errores.anotar("m2", CON_NUMEROS);
    }
    let zona = Zona::supuesta(respuestas.tipo);
    let titulo = palabras::zona(zona).pregunta_m2;
    let vista = Vista::sin_lead(estado, &casa, Paso::Metros, &respuestas).await?;
    let sin_m2 = Respuestas { m2: None, ..respuestas.clone() };
    let destino = format!("/f/{}/contacto", casa.empresa.slug);
    let tarifa = casa.tarifa(estado).await?;
    let pagina_ = Pagina {
        escala: Escala::de(tarifa.as_ref(), zona, respuestas.m2),
        no_se: format!("{destino}{}", sin_m2.consulta()),
        accion: destino,
        metodo: "get",
        ocultos: sin_m2.campos(),
        valor: mal.unwrap_or_else(|| respuestas.m2.map(metros).unwrap_or_default()),
        marco: marco(casa, errores.titulo(titulo)),
        vista,
        errores,
        titulo,
    };
    Ok(pagina(pagina_.errores.status(), Visibilidad::Publica, &pagina_.marco, &pagina_))
}

/// What was sent from here to the next step: the answers, or the page again with what was typed.
pub(super) async fn al_salir(estado: &Estado, casa: &Casa, campos: &Campos) -> Result<Respuestas, Respuesta> {
    let (texto, m2) = leido(campos);
    let respuestas = Respuestas { m2, ..Respuestas::de_campos(campos) };
    if !texto.is_empty() && m2.is_none() {
        return Err(sin_lead(estado, casa.clone(), respuestas, Some(texto)).await);
    }
    Ok(respuestas)
}

/// `GET /f/:slug/:pase/metros`.
pub(crate) async fn mostrar(
    State(estado): State<Estado>,
    Path((slug, pase)): Path<(String, String)>,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    con_lead(&estado, abierto, None).await
}

async fn con_lead(
    estado: &Estado,
    abierto: Abierto,
    mal: Option<String>,
) -> Result<axum::response::Response, Fallo> {
    let mut errores = Errores::default();
    if mal.is_some() {
        errores.anotar("m2", CON_NUMEROS);
    }
    let respuestas = abierto.respuestas();
    let zona = Zona::supuesta(respuestas.tipo);
    let titulo = palabras::zona(zona).pregunta_m2;
    let vista = Vista::con_lead(estado, &abierto, Paso::Metros, &respuestas).await?;
    let tarifa = abierto.casa.tarifa(estado).await?;
    let pagina_ = Pagina {
        escala: Escala::de(tarifa.as_ref(), zona, respuestas.m2),
        no_se: abierto.ruta(Paso::Calidad),
        accion: abierto.ruta(Paso::Metros),
        metodo: "post",
        ocultos: Vec::new(),
        valor: mal.unwrap_or_else(|| respuestas.m2.map(metros).unwrap_or_default()),
        marco: marco(abierto.casa, errores.titulo(titulo)),
        vista,
        errores,
        titulo,
    };
    Ok(pagina(pagina_.errores.status(), Visibilidad::Personal, &pagina_.marco, &pagina_))
}

/// `POST /f/:slug/:pase/metros`.
pub(crate) async fn guardar(
    State(estado): State<Estado>,
    Path((slug, pase)): Path<(String, String)>,
    request: Request,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    let (texto, m2) = leido(&campos_de(&estado, request).await?);
    if !texto.is_empty() && m2.is_none() {
        return con_lead(&estado, abierto, Some(texto)).await;
    }
    actualizar(&estado, &abierto, Perfil { m2_suelo: m2, ..Perfil::default() }).await?;
    Ok(redirigir(&abierto.tras_guardar(Paso::Calidad)))
}
