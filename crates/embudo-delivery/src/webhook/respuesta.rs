//! An answer, read as far as it is worth it.

use std::time::Duration;

use embudo_domain::Timestamp;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use tokio::time::timeout;

use super::{Clase, Intento, Opciones};
use crate::texto::lossy;

/// Reads an answer. Its status decides; a body that is slow, cut or endless changes nothing.
pub(super) async fn leer(
    answer: Response,
    ahora: Timestamp,
    tiempo: Duration,
    opciones: &Opciones,
) -> Intento {
    let status = answer.status();
    let ok = status.is_success();
    let clase = match status {
        s if s.is_success() => Clase::Ok,
        StatusCode::GONE => Clase::Fin,
        _ => Clase::Reintentar,
    };
    let retry_after = retry_after(answer.headers(), ahora).map(|espera| espera.min(opciones.retry_after_max));
    let cuerpo = leer_cuerpo(answer, opciones.answer_max_bytes, tiempo).await;
    Intento {
        ok,
        status: Some(status.as_u16()),
        retry_after: if ok { None } else { retry_after },
        respuesta: lossy(&cuerpo),
        error: error_of(status),
        duracion: Duration::ZERO,
        body_bytes: 0,
        clase,
    }
}

async fn leer_cuerpo(mut answer: Response, max: usize, tiempo: Duration) -> Vec<u8> {
    let mut leido = Vec::new();
    // The bytes outlive the time-out: what came is kept.
    let _ = timeout(tiempo, async {
        while let Ok(Some(trozo)) = answer.chunk().await {
            let cabe = max - leido.len();
            leido.extend_from_slice(&trozo[..trozo.len().min(cabe)]);
            if leido.len() == max {
                break;
            }
        }
    })
    .await;
    leido
}

fn error_of(status: StatusCode) -> Option<String> {
    let codigo = status.as_u16();
    match status {
        s if s.is_success() => None,
        s if s.is_redirection() => {
            Some(format!("El receptor redirige ({codigo}) y las redirecciones no se siguen."))
        }
        StatusCode::GONE => Some("El receptor no quiere más avisos (410).".to_owned()),
        _ => Some(format!("El receptor contestó {codigo}.")),
    }
}

/// Seconds or an HTTP date; a date that has passed is no wait at all.
fn retry_after(headers: &HeaderMap, ahora: Timestamp) -> Option<Duration> {
    let valor = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !valor.is_empty() && valor.bytes().all(|b| b.is_ascii_digit()) {
        // More digits than fit are a long time, not a mistake.
        return Some(Duration::from_secs(valor.parse().unwrap_or(u64::from(u32::MAX))));
    }
    let fecha = httpdate::parse_http_date(valor).ok()?;
    let fecha = Timestamp::try_from(fecha).ok()?;
    Some(Duration::try_from(fecha.duration_since(ahora)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn wait(valor: &str) -> Option<u64> {
        let ahora = "1994-11-06T08:49:07Z".parse().expect("an instant");
        let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_str(valor).expect("a value"))]);
        retry_after(&headers, ahora).map(|d| d.as_secs())
    }

    #[test]
    fn retry_after_in_every_spelling() {
        assert_eq!(wait("120"), Some(120));
        assert_eq!(wait(" 0 "), Some(0));
        assert_eq!(wait("99999999999999999999999"), Some(u64::from(u32::MAX)));
        for fecha in
            ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        {
            assert_eq!(wait(fecha), Some(30), "{fecha}");
        }
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:00 GMT"), Some(0));
        for malo in ["", "-1", "1.5", "pronto", "1 h"] {
            assert_eq!(wait(malo), None, "{malo}");
        }
    }
}
