//! Successful answers of the API. What came of a call becomes status, `Location` and body here and nowhere else, in the same
//! way the first time and when it is told again.

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

/// The same with a body that is JSON already.
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
    use super::*;

    const ID: &str = "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b";

    /// A key that an older program stored as an answer gives the same answer, byte for byte.
    #[test]
    fn answers_of_older_programs_come_again_as_they_were() {
        let lead = format!("POST /api/leads/{ID}");
        let with_id = format!(r#"{{"ok":true,"id":"{ID}"}}"#);
        let finalized = r#"{"ok":true,"fotos":2,"notas":1,"perfilSenalado":true,"finalizado":{"ok":true,"emailEnviado":false,"messagingSenal":true}}"#;
        let ingested = r#"{"ok":true,"fotos":0,"notas":3,"perfilSenalado":false,"finalizado":null}"#;
        let rows = [
            ("POST /api/leads".to_owned(), 201, with_id.as_str()),
            (format!("{lead}/conversacion"), 200, &with_id),
            (format!("{lead}/intento"), 200, &with_id),
            (format!("{lead}/perfil"), 200, r#"{"ok":true,"actualizado":["viable","tipoReforma"]}"#),
            (format!("{lead}/calificacion"), 200, r#"{"ok":true}"#),
            (format!("{lead}/mensajeria"), 200, r#"{"ok":true,"senal":true}"#),
            (format!("{lead}/ingesta"), 200, ingested),
            (format!("{lead}/ingesta"), 200, finalized),
            (format!("finalizar {ID}"), 200, finalized),
        ];
        for (scope, status, expected_body) in rows {
            let outcome = Outcome::read(&scope, i32::from(status), expected_body).expect("an outcome");
            assert_eq!(body(&outcome), expected_body, "{scope}");
            let response = of_call(&CallEnd { outcome, is_replay: true });
            assert_eq!(response.status().as_u16(), status, "{scope}");
            let location = response.headers().get(LOCATION).map(|l| l.to_str().expect("text").to_owned());
            assert_eq!(location, (status == 201).then(|| format!("/api/leads/{ID}")));
        }
    }
}
