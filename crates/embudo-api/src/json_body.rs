//! The only way from a request's body to a type of the business.

use axum::body::Body as HttpBody;
use axum::extract::{FromRequest, Request};
use embudo_app::Aside;
use embudo_domain::body::Body;
use embudo_store::CallKey;
use http::HeaderMap;
use jiff::SignedDuration;
use sha2::{Digest as _, Sha256};

use crate::HttpState;
use crate::extract::idempotency_key;
use crate::photo_intake::{PhotoIntake, TakenBody, TakenIn};
use crate::problem::Problem;
use embudo_server::{BodyPermit, ReadBody, read_body, read_body_into};

/// Parsing more than this is work for a thread of its own.
const PARSE_INLINE_BYTES: usize = 256 * 1024;
/// How long a key is remembered (contract §2.6).
const KEY_LIFE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A body that was read and found right. `MAX` chooses the endpoint's size limit.
pub(crate) struct JsonBody<T, const MAX: u8 = BOT> {
    pub value: T,
    /// The call's `Idempotency-Key`, if it has one.
    pub key: Option<CallKey>,
    /// The hash of [`TakenBody::sha256`], if an equal hash alone shows that the same call came before.
    pub repeatable: Option<[u8; 32]>,
    /// The photos that were staged in the blobs while the body arrived.
    pub aside: Aside,
    /// The body's share of the memory for bodies; kept until the work is done.
    pub permission: BodyPermit,
}

/// Selects the size limit of the bot endpoints and of our own endpoints.
pub(crate) const BOT: u8 = 0;
/// Selects the size limit of ingestion.
pub(crate) const INGESTA: u8 = 1;

impl<T, const MAX: u8> FromRequest<HttpState> for JsonBody<T, MAX>
where
    T: Body + Send + 'static,
{
    type Rejection = Problem;

    async fn from_request(request: Request, state: &HttpState) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let key = idempotency_key(&parts.headers)?;
        let (taken, permission) = take_in::<MAX>(&parts.headers, body, key.is_some(), state).await?;
        let TakenIn { body, aside, sha256 } = taken;
        let key = key.zip(sha256).map(|(key, cuerpo_sha256)| CallKey {
            scope: format!("{} {}", parts.method, parts.uri.path()),
            key,
            cuerpo_sha256,
            life: KEY_LIFE,
        });
        let (value, repeatable) = parse(body).await?;
        Ok(Self { value, key, repeatable, aside, permission })
    }
}

/// Reads a body, and computes its SHA-256 where that is needed.
async fn take_in<const MAX: u8>(
    headers: &HeaderMap,
    body: HttpBody,
    with_sha256: bool,
    state: &HttpState,
) -> Result<(TakenIn, BodyPermit), Problem> {
    let (settings, budget) = (&state.settings, &state.settings.body_budget);
    if MAX == INGESTA {
        let mut intake = PhotoIntake::new(&state.app.blobs, with_sha256);
        let limit = settings.max_ingesta_bytes;
        let permit = read_body_into(headers, body, limit, budget, None, &mut intake).await?;
        return Ok((intake.finish(), permit));
    }
    let ReadBody { bytes, permit } = read_body(headers, body, settings.max_bot_bytes, budget, None).await?;
    let sha256 = with_sha256.then(|| Sha256::digest(&bytes).into());
    Ok((TakenIn { body: TakenBody::Whole(bytes), aside: Aside::new(), sha256 }, permit))
}

/// Parses a body and frees its bytes: afterwards only the parsed value is in memory.
async fn parse<T: Body + Send + 'static>(body: TakenBody) -> Result<(T, Option<[u8; 32]>), Problem> {
    let big = body.bytes().len() > PARSE_INLINE_BYTES;
    let read = move || {
        let value = match &body {
            TakenBody::Whole(bytes) => T::read(bytes),
            TakenBody::Sifted(rest) => T::read_rest(rest),
        }?;
        let repeatable = value.is_repeatable().then(|| body.sha256());
        Ok::<_, embudo_domain::Invalid>((value, repeatable))
    };
    Ok(if big {
        tokio::task::spawn_blocking(read).await.expect("parsing does not panic and is not cancelled")?
    } else {
        read()?
    })
}
