//! A notice to the company by mail.

use embudo_delivery::Mensaje;
use embudo_domain::trabajo::Trabajo;
use embudo_store::StoreError;

use super::Desenlace;
use super::mail::send_mail;
use crate::App;
use crate::avisos::{self, Aviso};

pub(super) async fn attempt(app: &App, trabajo: &Trabajo) -> Desenlace {
    let Some(correo) = &app.outbound.correo else {
        return Desenlace::luego("SMTP_HOST o EMAIL_FROM ya no están configurados");
    };
    let Ok(aviso) = serde_json::from_str::<Aviso>(&trabajo.carga) else {
        return Desenlace::nunca("el aviso guardado no se puede leer");
    };
    let ficha = match app.store.ficha(trabajo.lead).await {
        Ok(ficha) => ficha,
        Err(StoreError::LeadNotFound) => return Desenlace::nunca("el lead ya no existe"),
        Err(error) => return Desenlace::luego(error.to_string()),
    };
    let Some(to) = ficha.lead.empresa.email_avisos.clone() else {
        return Desenlace::nunca("la empresa ya no tiene correo para avisos");
    };
    let pagina_de = |numero: &str| {
        let suyo = ficha.presupuestos.iter().find(|p| p.numero.to_string() == numero && p.pdf.is_some());
        suyo.and_then(|p| app.quotes().page_url(p.id))
    };
    let escrito = avisos::escribir(&aviso, &ficha, pagina_de);
    let mensaje = Mensaje {
        id: trabajo.id.to_string(),
        fecha: trabajo.creado_en,
        from: correo.from.clone(),
        from_name: correo.from_name.clone().or_else(|| Some("Embudo".to_owned())),
        reply_to: None,
        to,
        asunto: escrito.asunto,
        texto: escrito.texto,
        html: escrito.html,
        logo: None,
        adjunto: None,
    };
    send_mail(app, trabajo, &correo.cliente, &mensaje).await
}
