//! The quote by mail, to the client.

use embudo_delivery::Mensaje;
use embudo_delivery::correo::Adjunto;
use embudo_domain::trabajo::Trabajo;
use embudo_store::StoreError;
use serde::{Deserialize, Serialize};

use super::mail::send_mail;
use super::pdf::pdf_bytes;
use super::{Desenlace, WhichPdf};
use crate::App;
use crate::carta::CartaPresupuesto;

/// What the job keeps.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CargaCorreo {
    /// The quote's number.
    pub numero: String,
    /// What it is for («reforma de baño»).
    pub titulo: String,
    /// The PDF's file name.
    pub filename: String,
    /// Which PDF.
    #[serde(flatten)]
    pub pdf: WhichPdf,
    /// The quote's page, where the server knows its own address.
    pub pagina: Option<String>,
}

pub(super) async fn attempt(app: &App, trabajo: &Trabajo) -> Desenlace {
    let Some(correo) = &app.outbound.correo else {
        return Desenlace::luego("SMTP_HOST o EMAIL_FROM ya no están configurados");
    };
    let Ok(carga) = serde_json::from_str::<CargaCorreo>(&trabajo.carga) else {
        return Desenlace::nunca("el correo guardado no se puede leer");
    };
    let lead = match app.store.ficha(trabajo.lead).await {
        Ok(ficha) => ficha.lead,
        Err(StoreError::LeadNotFound) => return Desenlace::nunca("el lead ya no existe"),
        Err(error) => return Desenlace::luego(error.to_string()),
    };
    let marca = match app.store.marca(lead.empresa.id).await {
        Ok(guardada) => guardada.marca,
        Err(error) => return Desenlace::luego(error.to_string()),
    };
    // A mail is complete without either.
    let logo = app.store.logo(lead.empresa.id).await.ok().flatten().map(bytes::Bytes::from);
    let todos = app.store.presupuestos(lead.id).await.unwrap_or_default();
    let bytes = match pdf_bytes(app, trabajo, &carga.pdf).await {
        Ok(bytes) => bytes,
        Err(desenlace) => return desenlace,
    };
    let carta = CartaPresupuesto {
        lead: &lead,
        marca: &marca,
        con_logo: logo.is_some(),
        numero: &carga.numero,
        titulo: &carga.titulo,
        presupuesto: todos.iter().find(|p| p.numero.to_string() == carga.numero),
        enlace: carga.pagina.as_deref(),
    };
    let escrito = carta.escribir();
    let mensaje = Mensaje {
        id: trabajo.id.to_string(),
        fecha: trabajo.creado_en,
        from: correo.from.clone(),
        from_name: correo.from_name.clone().or_else(|| Some(lead.empresa.nombre.clone())),
        reply_to: marca.email.or(lead.empresa.email_avisos),
        to: lead.email,
        asunto: escrito.asunto,
        texto: escrito.texto,
        html: escrito.html,
        logo,
        adjunto: Some(Adjunto { filename: carga.filename, bytes }),
    };
    send_mail(app, trabajo, &correo.cliente, &mensaje).await
}
