//! What calls answer when all is well.

use std::borrow::Cow;

use embudo_domain::Body;
use embudo_domain::perfil::PerfilPatch;
use embudo_store::outcome::FinalizarOutcome;
use serde_json::{Value, json};

use super::shape::{AnyId, True};

view! {
    Done {} = "Hecho", "Hecho.", |v| {
        "ok": True,
    }
}

view! {
    DoneWithId<'a> { id: &'a dyn std::fmt::Display } = "HechoConId", "Hecho, con el identificador asignado.", |v| {
        "ok": True,
        "id": AnyId(v.id),
    }
}

view! {
    Ingested { fotos: usize, notas: usize, perfil_accepted: bool, finalizado: Option<FinalizarOutcome> }
    = "IngestaHecha", "Lo que se guardó y lo que se avisó.", |v| {
        "ok": True,
        "fotos" ("Fotos guardadas."): v.fotos,
        "notas" ("Notas guardadas."): v.notas,
        "perfilSenalado" ("true solo si perfilCompleto disparó el aviso y el destino respondió bien."): v.perfil_accepted,
        "finalizado" ("null si no se pidió finalizar."): v.finalizado.map(|finalizado| Finalized { finalizado }),
    }
}

view! {
    Finalized { finalizado: FinalizarOutcome } = "Finalizado", "Cómo fue el cierre.", |v| {
        "ok" ("Si el PDF se hizo y se guardó."): v.finalizado.presupuesto,
        "emailEnviado" ("Si el servidor de correo aceptó el mensaje."): v.finalizado.mail_accepted,
        "messagingSenal" ("Si el destino de mensajería respondió 2xx."): v.finalizado.pdf_accepted,
    }
}

view! {
    PerfilUpdated<'a> { updated: &'a Vec<Cow<'static, str>> } = "PerfilHecho", "Los campos escritos.", |v| {
        "ok": True,
        "actualizado" (as names_of_perfil()): v.updated,
    }
}

view! {
    MensajeriaStarted { accepted: bool } = "MensajeriaHecha", "Si la señal llegó.", |v| {
        "ok": True,
        "senal" ("true solo si la señal salió y el destino respondió bien."): v.accepted,
    }
}

fn names_of_perfil() -> Value {
    let names: Vec<&str> = PerfilPatch::FIELD_TABLE.iter().map(|c| c.nombre).collect();
    json!({
        "type": "array",
        "items": { "type": "string", "enum": names },
        "minItems": 1,
        "uniqueItems": true,
        "description": "Los nombres de los campos escritos, en el orden de la tabla.",
    })
}
