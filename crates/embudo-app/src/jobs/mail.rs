//! How mails are handed over.

use embudo_delivery::{Correo, Mensaje};
use embudo_domain::trabajo::Trabajo;

use super::Desenlace;
use crate::App;

/// Hands a mail over. Right before its last line it is noted that its fate is in doubt until the answer is written down; a notice
/// is sent again anyway and needs no note.
pub(super) async fn send_mail(app: &App, trabajo: &Trabajo, correo: &Correo, mensaje: &Mensaje) -> Desenlace {
    let note = async {
        if trabajo.tipo.es_aviso() {
            return Ok(());
        }
        match app.store.begin_send(trabajo.id, app.outbound.proceso).await {
            Ok(true) => Ok(()),
            Ok(false) => Err("otro proceso se ha hecho cargo de este correo".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    };
    correo.send(mensaje, note).await.into()
}
