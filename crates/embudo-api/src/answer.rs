//! Successful answers of the API. Only this module turns the outcome of a call into status, `Location` and body. A
//! replayed call gets the same answer as the first one.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use embudo_app::CallEnd;
use embudo_store::Outcome;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;

use crate::views::done::{Done, DoneWithId, Ingested, MensajeriaStarted, PerfilUpdated};

const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The answer to a call.
pub(crate) fn of_call(end: &CallEnd) -> Response {
    let mut response = ok_written(body(&end.outcome));
    if let Outcome::LeadCreated { id } = end.outcome {
        *response.status_mut() = StatusCode::CREATED;
        let location = HeaderValue::try_from(format!("/api/leads/{id}")).expect("an id is plain ASCII");
        response.headers_mut().insert(LOCATION, location);
    }
    if end.is_replay {
        response.headers_mut().insert(IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

fn body(outcome: &Outcome) -> String {
    match outcome {
        Outcome::LeadCreated { id } => write(&DoneWithId { id }),
        Outcome::TurnoAppended { id } => write(&DoneWithId { id }),
        Outcome::IntentoRecorded { id } => write(&DoneWithId { id }),
        Outcome::PerfilUpdated { updated } => write(&PerfilUpdated { updated }),
        &Outcome::MensajeriaStarted { accepted } => write(&MensajeriaStarted { accepted }),
        Outcome::Done => write(&Done {}),
        &Outcome::Ingested { fotos, notas, perfil_accepted, finalizado } => {
            write(&Ingested { fotos, notas, perfil_accepted, finalizado })
        }
    }
}

/// A JSON answer with personal data: never cached.
pub(crate) fn ok(body: &impl Serialize) -> Response {
    ok_written(write(body))
}

/// Like `ok`, with a body that is JSON already.
pub(crate) fn ok_written(body: impl Into<Body>) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, body.into()).into_response()
}

pub(crate) fn write(body: &impl Serialize) -> String {
    serde_json::to_string(body).expect("answers are plain data")
}

#[cfg(test)]
mod tests {
    use embudo_domain::{IntentoId, LeadId, TurnoId};
    use embudo_store::FinalizarOutcome;

    use super::*;

    const ID: &str = "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b";

    /// An outcome that is stored under an idempotency key gives the same answer again, byte for byte.
    #[test]
    fn outcomes_are_answered_alike_the_first_time_and_again() {
        let id = LeadId::parse(ID).expect("an id");
        let with_id = format!(r#"{{"ok":true,"id":"{ID}"}}"#);
        let finalized = FinalizarOutcome { presupuesto: true, mail_accepted: false, pdf_accepted: true };
        let rows = [
            (Outcome::LeadCreated { id }, 201, with_id.as_str()),
            (Outcome::TurnoAppended { id: TurnoId(id.0) }, 200, &with_id),
            (Outcome::IntentoRecorded { id: IntentoId(id.0) }, 200, &with_id),
            (
                Outcome::PerfilUpdated { updated: vec!["viable".into(), "tipoReforma".into()] },
                200,
                r#"{"ok":true,"actualizado":["viable","tipoReforma"]}"#,
            ),
            (Outcome::Done, 200, r#"{"ok":true}"#),
            (Outcome::MensajeriaStarted { accepted: true }, 200, r#"{"ok":true,"senal":true}"#),
            (
                Outcome::Ingested { fotos: 0, notas: 3, perfil_accepted: false, finalizado: None },
                200,
                r#"{"ok":true,"fotos":0,"notas":3,"perfilSenalado":false,"finalizado":null}"#,
            ),
            (
                Outcome::Ingested { fotos: 2, notas: 1, perfil_accepted: true, finalizado: Some(finalized) },
                200,
                r#"{"ok":true,"fotos":2,"notas":1,"perfilSenalado":true,"finalizado":{"ok":true,"emailEnviado":false,"messagingSenal":true}}"#,
            ),
        ];
        for (outcome, status, expected) in rows {
            let stored = Outcome::read("POST", &outcome.write()).expect("an outcome");
            assert_eq!((body(&outcome), body(&stored)), (expected.to_owned(), expected.to_owned()));
            for is_replay in [false, true] {
                let response = of_call(&CallEnd { outcome: stored.clone(), is_replay });
                assert_eq!(response.status().as_u16(), status, "{expected}");
                let location = response.headers().get(LOCATION).map(|l| l.to_str().expect("text").to_owned());
                assert_eq!(location, (status == 201).then(|| format!("/api/leads/{ID}")));
            }
        }
    }
}
