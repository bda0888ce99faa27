//! One message to a browser's push service, through the guard, because the browser chose its address.

use std::time::{Duration, Instant};

use embudo_domain::Timestamp;
use reqwest::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use tokio::time::timeout;

use super::failure::{Failure, describe};
use super::{WebhookAttempt, Webhooks, answer, finished};
use crate::fetch::{FetchFailure, Fetcher};
use crate::push::{OutgoingPush, seal};

/// Time for a whole attempt. It is short because a push service answers at once or is down.
const TOTAL: Duration = Duration::from_secs(15);

impl Webhooks {
    /// Makes one attempt. Whatever happens, failures included, is in the [`WebhookAttempt`]. A status of 404 or 410
    /// means that the browser wants no more messages.
    pub async fn push(
        &self,
        guard: &Fetcher,
        sending: OutgoingPush<'_>,
        timestamp: Timestamp,
    ) -> WebhookAttempt {
        let start = Instant::now();
        let mut body_bytes = 0;
        let attempt = self.attempt_push(guard, sending, timestamp, &mut body_bytes);
        let ended = timeout(TOTAL, attempt).await.unwrap_or(Err(Failure::Time(TOTAL)));
        finished(ended, start, body_bytes)
    }

    async fn attempt_push(
        &self,
        guard: &Fetcher,
        sending: OutgoingPush<'_>,
        timestamp: Timestamp,
        body_bytes: &mut u64,
    ) -> Result<WebhookAttempt, Failure> {
        let (client, url) = guard.receiver(&sending.target.endpoint).await.map_err(Failure::Refused)?;
        if url.scheme() != "https" {
            return Err(Failure::Refused(FetchFailure::Plain));
        }
        let sealed = seal(sending.target, sending.content).ok_or(Failure::Unreadable)?;
        *body_bytes = sealed.0.len() as u64;
        let request = client
            .post(url.clone())
            .header(AUTHORIZATION, sending.key.authorization(&url, sending.contact, timestamp))
            .header(CONTENT_ENCODING, "aes128gcm")
            .header(CONTENT_TYPE, "application/octet-stream")
            .header("ttl", sending.ttl_seconds)
            .header("urgency", sending.urgency.word())
            .body(sealed.0);
        let answer = request.send().await.map_err(|e| Failure::Network(describe(&e)))?;
        Ok(answer::read(answer, timestamp, self.options.answer_timeout, &self.options).await)
    }
}
