//! The rules of a lead and of a chat turn, the same that Embudo checks: unknown keys are ignored, an explicit null is
//! refused, U+0000 is refused because PostgreSQL cannot hold it.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};

use crate::problem;

/// A request body that passed all checks.
pub(crate) struct Checked<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Checked<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let bytes = Bytes::from_request(request, state).await.map_err(IntoResponse::into_response)?;
        let body = serde_json::from_slice(&bytes);
        body.map(Self).map_err(|error| problem(StatusCode::UNPROCESSABLE_ENTITY, &error.to_string()))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Turno {
    pub(crate) rol: Rol,
    #[serde(deserialize_with = "said")]
    pub(crate) mensaje: String,
    #[serde(default, deserialize_with = "optional")]
    pub(crate) media_type: Option<String>,
    #[serde(default, deserialize_with = "optional")]
    pub(crate) media_url: Option<String>,
    #[serde(default, deserialize_with = "optional")]
    pub(crate) transcripcion_audio: Option<String>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) estado_wa: Option<EstadoWa>,
    #[serde(default, deserialize_with = "optional")]
    pub(crate) bot_step: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Lead {
    #[serde(deserialize_with = "said")]
    pub(crate) nombre: String,
    #[serde(deserialize_with = "said")]
    pub(crate) telefono: String,
    #[serde(deserialize_with = "address")]
    pub(crate) email: String,
}

macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        #[derive(Clone, Copy, Deserialize)]
        pub(crate) enum $name { $(#[serde(rename = $word)] $variant),+ }

        impl $name {
            pub(crate) fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

words!(Rol { User = "user", Assistant = "assistant", System = "system" });
words!(EstadoWa {
    SinEnviar = "sin_enviar",
    Enviado = "enviado",
    Entregado = "entregado",
    Leido = "leido",
    Fallido = "fallido",
});

fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if text.contains('\0') { Err(D::Error::custom("U+0000 is not allowed")) } else { Ok(text) }
}

fn said<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = text(from)?;
    if text.is_empty() { Err(D::Error::custom("must not be empty")) } else { Ok(text) }
}

fn address<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = text(from)?;
    if text.len() >= 3 && text.contains('@') { Ok(text) } else { Err(D::Error::custom("not an address")) }
}

/// Deserializes the value directly and not as an `Option`, so that an explicit null is an error.
fn optional<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    text(from).map(Some)
}

fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}
