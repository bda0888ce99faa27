//! Step 3: who asks. Sending it makes the lead.

use askama::Template;
use axum::extract::{Path, Request, State};
use embudo_app::Boleto;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::lead::{ContactoPatch, NuevoLead};
use embudo_domain::perfil::{CanalOrigen, Perfil};
use embudo_domain::provincia::Provincia;
use embudo_store::command::UpdateContacto;
use http::Uri;
use jiff::SignedDuration;

use super::VERSION_TEXTOS;
use super::answers::Respuestas;
use super::metros;
use super::person::{Tecleado, VUELVE};
use super::step::{Abierto, Errores, Paso, Respuesta, Visitor, Vista};
use super::tipo::sin_elegir;
use crate::WebState;
use crate::parts::{Cliente, Frame, Storefront, campos_de, leer_campos, pagina, redirigir};

const TITULO: &str = "¿A quién le preparamos el presupuesto?";
/// Nobody types three fields faster; programs do.
const MINIMO: SignedDuration = SignedDuration::from_millis(1_500);

#[derive(Template)]
#[template(path = "form/contact.html")]
struct Pagina {
    frame: Frame,
    vista: Vista,
    errores: Errores,
    /// Whether there is a lead already, and this corrects it.
    corrige: bool,
    /// Whether quotes go out by mail.
    por_correo: bool,
    tecleado: Tecleado,
    provincias: Vec<&'static str>,
}

/// `GET /f/:slug/contacto?tipo=…&m2=…`.
pub(crate) async fn nuevo(State(estado): State<WebState>, Path(slug): Path<String>, uri: Uri) -> Respuesta {
    let storefront = Storefront::de_slug(&estado, &slug).await?;
    let campos = leer_campos(uri.query().unwrap_or_default().as_bytes());
    if Respuestas::de_campos(&campos).tipo.is_none() {
        return sin_elegir(&estado, storefront, &uri).await;
    }
    match metros::al_salir(&estado, &storefront, &campos).await {
        Ok(respuestas) => {
            let visitor = Visitor::unknown(&estado, storefront, respuestas);
            mostrar_con(&estado, visitor, None, Errores::default()).await
        }
        Err(otra_vez) => otra_vez,
    }
}

async fn mostrar_con(
    estado: &WebState,
    visitor: Visitor,
    tecleado: Option<Tecleado>,
    errores: Errores,
) -> Respuesta {
    let mut vista = Vista::new(estado, &visitor, Paso::Contacto).await?;
    if tecleado.is_some() {
        vista = vista.personal();
    }
    let pagina_ = Pagina {
        corrige: visitor.lead.is_some(),
        por_correo: estado.app.outbound.correo.is_some(),
        tecleado: tecleado.unwrap_or_default(),
        provincias: provincias(),
        frame: visitor.into_frame(errores.titulo(TITULO)),
        vista,
        errores,
    };
    Ok(pagina(pagina_.errores.status(), pagina_.vista.visibilidad, &pagina_.frame, &pagina_))
}

/// By name, as people look for them.
fn provincias() -> Vec<&'static str> {
    let mut nombres: Vec<&str> = Provincia::todas().map(Provincia::nombre).collect();
    nombres.sort_by_key(|n| embudo_domain::busqueda::plegar(n));
    nombres
}

/// `POST /f/:slug/contacto`: the lead is made here, once per form shown, however often it is sent.
pub(crate) async fn alta(
    State(estado): State<WebState>,
    Path(slug): Path<String>,
    Cliente(ip): Cliente,
    request: Request,
) -> Respuesta {
    let storefront = Storefront::de_slug(&estado, &slug).await?;
    let campos = campos_de(&estado, request).await?;
    if campos.tiene("web") {
        // Only a program fills a field that nobody sees. It is told what everybody is told.
        return Ok(redirigir(&format!("/f/{slug}/gracias")));
    }
    if campos.tiene(VUELVE) {
        return match metros::al_salir(&estado, &storefront, &campos).await {
            Ok(respuestas) => {
                let visitor = Visitor::unknown(&estado, storefront, respuestas);
                mostrar_con(&estado, visitor, Some(Tecleado::de(&campos)), Errores::default()).await
            }
            Err(otra_vez) => otra_vez,
        };
    }
    let (respuestas, tecleado) = (Respuestas::de_campos(&campos), Tecleado::de(&campos));
    let leido = tecleado.leer(&campos).and_then(|leido| Ok((leido, boleto(&estado, &respuestas)?)));
    let (leido, boleto) = match leido {
        Ok(leido) => leido,
        Err(errores) => {
            let visitor = Visitor::unknown(&estado, storefront, respuestas);
            return mostrar_con(&estado, visitor, Some(tecleado), errores).await;
        }
    };
    estado.quotas.lead(ip, storefront.empresa.id, estado.app.ahora())?;
    let perfil = Perfil {
        canal_origen: Some(CanalOrigen::FormularioWeb),
        tipo_reforma: respuestas.tipo,
        m2_suelo: respuestas.m2,
        ..Perfil::default()
    };
    let nuevo = NuevoLead {
        nombre: leido.nombre,
        telefono: leido.telefono,
        email: leido.email,
        provincia: leido.provincia,
        empresa: Some(storefront.empresa.id),
        perfil,
        utm: respuestas.utm,
        consentimientos: consentimientos(tecleado.comercial),
    };
    let (app, lead) = (estado.app.clone(), boleto.lead);
    // A correction has steps, so it goes on without its client.
    let trabajo = tokio::spawn(async move { app.forms().sign_up(lead, nuevo).await });
    let lead = trabajo.await.expect("the task is not cancelled; a panic in it is this request's panic")?;
    Ok(redirigir(&format!("/f/{slug}/{}/{}", estado.app.form_passes().to_form(lead), Paso::Calidad.nombre())))
}

/// The ticket that the form came with, if it is good and was not filled in faster than people type.
fn boleto(estado: &WebState, respuestas: &Respuestas) -> Result<Boleto, Errores> {
    let mensaje = match estado.app.form_passes().read_ticket(respuestas.boleto.as_deref().unwrap_or_default())
    {
        Ok(boleto) if estado.app.ahora().duration_since(boleto.mostrado_en) >= MINIMO => return Ok(boleto),
        Ok(_) => "Ha sido muy rápido. Comprueba tus datos y pulsa otra vez, por favor.",
        Err(_) => {
            "Esta página llevaba mucho tiempo abierta. Comprueba tus datos y pulsa otra vez, por favor."
        }
    };
    let mut errores = Errores::default();
    errores.anotar("enviar", mensaje);
    Err(errores)
}

/// What the ledger says: the notice was shown, and whether offers are wanted.
fn consentimientos(comercial: bool) -> Vec<Consentimiento> {
    let anotar = |finalidad: &str, canal: Option<&str>, otorgado| Consentimiento {
        finalidad: finalidad.to_owned(),
        canal: canal.map(str::to_owned),
        texto_version: VERSION_TEXTOS.to_owned(),
        fuente: Some(CanalOrigen::FormularioWeb.to_string()),
        otorgado,
        otorgado_en: None,
    };
    vec![anotar("informacion_privacidad", None, true), anotar("comercial", Some("email"), comercial)]
}

/// `GET /f/:slug/:pase/contacto`.
pub(crate) async fn mostrar(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
    uri: Uri,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?.desde(&uri);
    let lead = &abierto.ficha.lead;
    let tecleado = Tecleado {
        nombre: lead.nombre.clone(),
        telefono: lead.telefono.clone(),
        email: lead.email.clone(),
        provincia: lead.provincia.clone().unwrap_or_default(),
        comercial: false,
    };
    mostrar_con(&estado, Visitor::from(abierto), Some(tecleado), Errores::default()).await
}

/// `POST /f/:slug/:pase/contacto`: a correction.
pub(crate) async fn corregir(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
    request: Request,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?.desde(request.uri());
    let campos = campos_de(&estado, request).await?;
    let tecleado = Tecleado::de(&campos);
    let leido = match tecleado.leer(&campos) {
        Ok(leido) => leido,
        Err(errores) => {
            return mostrar_con(&estado, Visitor::from(abierto), Some(tecleado), errores).await;
        }
    };
    let patch = ContactoPatch {
        nombre: Some(leido.nombre),
        telefono: Some(leido.telefono),
        email: Some(leido.email),
        provincia: leido.provincia,
    };
    let (lead, en) = (abierto.ficha.lead.id, estado.app.ahora());
    estado.app.store.update_contacto(UpdateContacto { lead, patch, en }).await?;
    Ok(redirigir(&abierto.tras_guardar(Paso::Calidad)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provinces_in_the_order_of_the_alphabet() {
        let nombres = provincias();
        assert_eq!(nombres.len(), 52);
        let posicion = |n: &str| nombres.iter().position(|p| p.contains(n));
        assert!(posicion("Ávila") < posicion("Badajoz"));
    }
}
