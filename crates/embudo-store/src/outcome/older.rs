//! Keys that older programs stored as the HTTP answer itself. They live for a week after an upgrade; then this file can go.

use std::borrow::Cow;

use embudo_domain::{IntentoId, LeadId, TurnoId};
use serde::Deserialize;

use super::{FinalizarOutcome, Outcome};

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Body {
    /// Of a lead, a turn or an attempt.
    id: Option<LeadId>,
    #[serde(rename = "actualizado")]
    updated: Vec<Cow<'static, str>>,
    #[serde(rename = "senal")]
    signal: bool,
    fotos: usize,
    notas: usize,
    perfil_senalado: bool,
    finalizado: Option<BodyFinalized>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BodyFinalized {
    ok: bool,
    email_enviado: bool,
    #[serde(rename = "messagingSenal")]
    messaging_signal: bool,
}

/// The outcome that the body of an answer was made from. The scope tells what it answers: method and path, or one of ours.
pub(super) fn read(scope: &str, body: &str) -> Option<Outcome> {
    match scope.strip_prefix("formulario ") {
        Some("mensajeria") => return Some(Outcome::MensajeriaStarted { accepted: body == "true" }),
        Some(_) => return Some(Outcome::Done),
        None => {}
    }
    let b: Body = serde_json::from_str(body).ok()?;
    if scope.starts_with("finalizar ") {
        return Some(ingested(&b));
    }
    Some(match scope.rsplit('/').next()? {
        "leads" => Outcome::LeadCreated { id: b.id? },
        "conversacion" => Outcome::TurnoAppended { id: TurnoId(b.id?.0) },
        "intento" => Outcome::IntentoRecorded { id: IntentoId(b.id?.0) },
        "perfil" => Outcome::PerfilUpdated { updated: b.updated },
        "calificacion" => Outcome::Done,
        "mensajeria" => Outcome::MensajeriaStarted { accepted: b.signal },
        "ingesta" => ingested(&b),
        _ => return None,
    })
}

fn ingested(b: &Body) -> Outcome {
    let finalizado = b.finalizado.as_ref().map(|f| FinalizarOutcome {
        presupuesto: f.ok,
        mail_accepted: f.email_enviado,
        pdf_accepted: f.messaging_signal,
    });
    Outcome::Ingested { fotos: b.fotos, notas: b.notas, perfil_accepted: b.perfil_senalado, finalizado }
}
