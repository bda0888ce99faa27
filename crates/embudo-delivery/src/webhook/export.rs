//! Sends one message with spans to the operator's collector.

use std::error::Error as _;
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use tokio::time::timeout;
use url::Url;

use super::Webhooks;
use super::failure::root_cause;

/// How much of an answer is read, so that its connection can be used again.
const ANSWER_MAX_BYTES: usize = 64 * 1024;

impl Webhooks {
    /// Posts JSON to an address from the operator's settings, which may be a private one, and waits this long for the
    /// answer. The error is for the log: English, without the address.
    pub async fn export(&self, url: &Url, body: String, time: Duration) -> Result<(), String> {
        let posting = async {
            let request = self.client().post(url.clone()).header(CONTENT_TYPE, "application/json").body(body);
            let mut answer = request.send().await.map_err(|error| reason(&error))?;
            let status = answer.status();
            let mut read = 0;
            while read < ANSWER_MAX_BYTES
                && let Ok(Some(chunk)) = answer.chunk().await
            {
                read += chunk.len();
            }
            if status.is_success() { Ok(()) } else { Err(format!("it answered {}", status.as_u16())) }
        };
        timeout(time, posting).await.unwrap_or_else(|_| Err(format!("no answer in {} s", time.as_secs_f32())))
    }
}

fn reason(error: &reqwest::Error) -> String {
    if error.source().is_some() { root_cause(error) } else { "the connection failed".to_owned() }
}
