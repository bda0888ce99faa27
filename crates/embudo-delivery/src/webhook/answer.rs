//! Reads an answer, but not more of it than is useful.

use std::time::Duration;

use embudo_domain::Timestamp;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use tokio::time::timeout;

use super::{AttemptClass, Options, WebhookAttempt};
use crate::text::lossy;

/// Reads an answer. Its status decides; a body that is slow, cut or endless changes nothing.
pub(super) async fn read(
    answer: Response,
    now: Timestamp,
    time: Duration,
    options: &Options,
) -> WebhookAttempt {
    let status = answer.status();
    let ok = status.is_success();
    let class = match status {
        s if s.is_success() => AttemptClass::Ok,
        StatusCode::GONE => AttemptClass::End,
        _ => AttemptClass::Retry,
    };
    let retry_after = retry_after(answer.headers(), now).map(|wait| wait.min(options.retry_after_max));
    let body = read_body(answer, options.answer_max_bytes, time).await;
    WebhookAttempt {
        ok,
        status: Some(status.as_u16()),
        retry_after: if ok { None } else { retry_after },
        answer: lossy(&body),
        error: error_of(status),
        duration: Duration::ZERO,
        body_bytes: 0,
        class,
    }
}

async fn read_body(mut answer: Response, max: usize, time: Duration) -> Vec<u8> {
    let mut read = Vec::new();
    // `read` lives outside of the future that may time out, so a time-out does not lose the bytes that came before.
    let _ = timeout(time, async {
        while let Ok(Some(chunk)) = answer.chunk().await {
            let fits = max - read.len();
            read.extend_from_slice(&chunk[..chunk.len().min(fits)]);
            if read.len() == max {
                break;
            }
        }
    })
    .await;
    read
}

fn error_of(status: StatusCode) -> Option<String> {
    let code = status.as_u16();
    match status {
        s if s.is_success() => None,
        s if s.is_redirection() => {
            Some(format!("El receptor redirige ({code}) y las redirecciones no se siguen."))
        }
        StatusCode::GONE => Some("El receptor no quiere más avisos (410).".to_owned()),
        _ => Some(format!("El receptor contestó {code}.")),
    }
}

/// Reads `Retry-After`: seconds or an HTTP date. A date in the past means no wait; `None`: no legible header.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) {
        // A number with too many digits is a long time, not a mistake.
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::from(u32::MAX))));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    let date = Timestamp::try_from(date).ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn wait(value: &str) -> Option<u64> {
        let now = "1994-11-06T08:49:07Z".parse().expect("an instant");
        let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_str(value).expect("a value"))]);
        retry_after(&headers, now).map(|d| d.as_secs())
    }

    #[test]
    fn retry_after_in_every_spelling() {
        assert_eq!(wait("120"), Some(120));
        assert_eq!(wait(" 0 "), Some(0));
        assert_eq!(wait("99999999999999999999999"), Some(u64::from(u32::MAX)));
        for date in
            ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        {
            assert_eq!(wait(date), Some(30), "{date}");
        }
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:00 GMT"), Some(0));
        for bad in ["", "-1", "1.5", "pronto", "1 h"] {
            assert_eq!(wait(bad), None, "{bad}");
        }
    }
}
