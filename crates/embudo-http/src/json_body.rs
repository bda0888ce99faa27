//! The one way from a request's body to a type of the business.

use axum::extract::{FromRequest, Request};
use embudo_domain::cuerpo::Cuerpo as DelDominio;
use embudo_store::CallKey;
use jiff::SignedDuration;
use sha2::{Digest as _, Sha256};

use crate::HttpState;
use crate::extraer::idempotency_key;
use crate::problema::Problema;
use embudo_door::{BodyPermit, ReadBody, read_body};

/// Parsing more than this is work for a thread of its own.
const PARSE_INLINE_BYTES: usize = 256 * 1024;
/// How long a key is remembered (contract §2.6).
const KEY_LIFE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A body that was read and found right. `MAX` chooses the endpoint's size limit.
pub(crate) struct JsonBody<T, const MAX: u8 = BOT> {
    /// What it says.
    pub valor: T,
    /// The call's key, if it brought one.
    pub clave: Option<CallKey>,
    /// SHA-256 of its bytes, where they alone may tell that it came before.
    pub repetible: Option<[u8; 32]>,
    /// Its share of the memory for bodies; kept until the work is done.
    pub permiso: BodyPermit,
}

/// Size limit of the bot endpoints and ours.
pub(crate) const BOT: u8 = 0;
/// Size limit of ingestion.
pub(crate) const INGESTA: u8 = 1;

impl<T, const MAX: u8> FromRequest<HttpState> for JsonBody<T, MAX>
where
    T: DelDominio + Send + 'static,
{
    type Rejection = Problema;

    async fn from_request(request: Request, estado: &HttpState) -> Result<Self, Problema> {
        let (parts, body) = request.into_parts();
        let clave = idempotency_key(&parts.headers)?;
        let limite =
            if MAX == INGESTA { estado.ajustes.max_ingesta_bytes } else { estado.ajustes.max_bot_bytes };
        let leido = read_body(&parts.headers, body, limite, &estado.ajustes.body_budget, None).await?;
        let clave = clave.map(|clave| CallKey {
            ambito: format!("{} {}", parts.method, parts.uri.path()),
            clave,
            cuerpo_sha256: Sha256::digest(&leido.bytes).into(),
            life: KEY_LIFE,
        });
        let (valor, repetible, permiso) = parsear(leido).await?;
        Ok(Self { valor, clave, repetible, permiso })
    }
}

/// The bytes are let go here: past this point only what they said is in memory.
async fn parsear<T: DelDominio + Send + 'static>(
    leido: ReadBody,
) -> Result<(T, Option<[u8; 32]>, BodyPermit), Problema> {
    let ReadBody { bytes, permit: permiso } = leido;
    let grande = bytes.len() > PARSE_INLINE_BYTES;
    let leer = move || {
        let valor = T::read(&bytes)?;
        let repetible = valor.es_repetible().then(|| Sha256::digest(&bytes).into());
        Ok::<_, embudo_domain::Invalido>((valor, repetible))
    };
    let (valor, repetible) = if grande {
        tokio::task::spawn_blocking(leer).await.expect("parsing does not panic and is not cancelled")?
    } else {
        leer()?
    };
    Ok((valor, repetible, permiso))
}
