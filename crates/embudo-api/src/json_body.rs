//! The one way from a request's body to a type of the business.

use axum::extract::{FromRequest, Request};
use embudo_domain::body::Body;
use embudo_store::CallKey;
use jiff::SignedDuration;
use sha2::{Digest as _, Sha256};

use crate::HttpState;
use crate::extract::idempotency_key;
use crate::problem::Problem;
use embudo_server::{BodyPermit, ReadBody, read_body};

/// Parsing more than this is work for a thread of its own.
const PARSE_INLINE_BYTES: usize = 256 * 1024;
/// How long a key is remembered (contract §2.6).
const KEY_LIFE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A body that was read and found right. `MAX` chooses the endpoint's size limit.
pub(crate) struct JsonBody<T, const MAX: u8 = BOT> {
    pub value: T,
    /// The call's key, if it brought one.
    pub key: Option<CallKey>,
    /// SHA-256 of its bytes, where they alone may tell that it came before.
    pub repeatable: Option<[u8; 32]>,
    /// Its share of the memory for bodies; kept until the work is done.
    pub permission: BodyPermit,
}

/// Size limit of the bot endpoints and ours.
pub(crate) const BOT: u8 = 0;
/// Size limit of ingestion.
pub(crate) const INGESTA: u8 = 1;

impl<T, const MAX: u8> FromRequest<HttpState> for JsonBody<T, MAX>
where
    T: Body + Send + 'static,
{
    type Rejection = Problem;

    async fn from_request(request: Request, state: &HttpState) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let key = idempotency_key(&parts.headers)?;
        let limit =
            if MAX == INGESTA { state.settings.max_ingesta_bytes } else { state.settings.max_bot_bytes };
        let read = read_body(&parts.headers, body, limit, &state.settings.body_budget, None).await?;
        let key = key.map(|key| CallKey {
            scope: format!("{} {}", parts.method, parts.uri.path()),
            key,
            cuerpo_sha256: Sha256::digest(&read.bytes).into(),
            life: KEY_LIFE,
        });
        let (value, repeatable, permission) = parse(read).await?;
        Ok(Self { value, key, repeatable, permission })
    }
}

/// The bytes are let go here: past this point only what they said is in memory.
async fn parse<T: Body + Send + 'static>(
    read: ReadBody,
) -> Result<(T, Option<[u8; 32]>, BodyPermit), Problem> {
    let ReadBody { bytes, permit: permission } = read;
    let big = bytes.len() > PARSE_INLINE_BYTES;
    let read = move || {
        let value = T::read(&bytes)?;
        let repeatable = value.is_repeatable().then(|| Sha256::digest(&bytes).into());
        Ok::<_, embudo_domain::Invalid>((value, repeatable))
    };
    let (value, repeatable) = if big {
        tokio::task::spawn_blocking(read).await.expect("parsing does not panic and is not cancelled")?
    } else {
        read()?
    };
    Ok((value, repeatable, permission))
}
