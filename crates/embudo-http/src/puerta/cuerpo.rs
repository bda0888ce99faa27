//! Reading a request body whole, within its limit, its pace and the shared budget.
//!
//! Refuses as early as it can: by encoding and declared length before the first byte is read. The
//! part of a refused body that is still on its way is swallowed by the body itself when dropped
//! here. It must not parse what it reads, nor word the refusal: that is the API's.

use std::future::{Future as _, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use http_body::Body as _;
use tokio::time::{Instant, Sleep, sleep};

use super::presupuesto::{Permiso, Presupuesto};

/// Seconds after which a client refused for want of budget may come back (`Retry-After`).
pub const SIN_SITIO_RETRY_AFTER_S: u64 = 5;

/// Memory is set aside for a declared length up to this much at once; more is grown into, so that
/// a declared length alone costs nothing.
const PREALLOCATE_BYTES: u64 = 64 * 1024 * 1024;

/// A body in memory, with its share of the budget.
#[derive(Debug, Default)]
pub struct CuerpoLeido {
    /// The bytes, as sent.
    pub bytes: Bytes,
    /// To be kept as long as the bytes are.
    pub permiso: Permiso,
}

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RechazoCuerpo {
    /// 415: a `Content-Encoding` other than identity.
    Codificado,
    /// 413: longer than the limit, declared or in fact.
    Grande {
        /// The limit of this endpoint.
        limite_bytes: usize,
    },
    /// 408: the client sends too slowly. The door adds `connection: close`.
    Lento,
    /// 503: too many bytes in memory already.
    SinSitio {
        /// For the `Retry-After` header.
        retry_after_s: u64,
    },
    /// The client went away or broke the framing. Whatever is answered (400), nobody may read it.
    Cortado,
}

/// Reads `body` to its end.
///
/// Bodies of at most [`libre_bytes`](super::AjustesCuerpo::libre_bytes) are free. A larger declared
/// length waits for its share before anything is read; a body without a declared length reserves
/// the whole limit once it has outgrown the free part, and gives back what it did not need.
///
/// # Errors
/// See [`RechazoCuerpo`].
pub async fn read_body(
    headers: &HeaderMap,
    body: Body,
    limite_bytes: usize,
    presupuesto: &Presupuesto,
) -> Result<CuerpoLeido, RechazoCuerpo> {
    if !is_identity(headers) {
        return Err(RechazoCuerpo::Codificado);
    }
    // hyper derives this from the framing it will really apply, which makes it better than the header.
    let declared = body.size_hint().exact();
    if declared.is_some_and(|length| length > limite_bytes as u64) {
        return Err(RechazoCuerpo::Grande { limite_bytes });
    }
    if body.is_end_stream() {
        return Ok(CuerpoLeido::default());
    }
    let mut lectura =
        Lectura { declared, limite_bytes, presupuesto, permiso: Permiso::default(), reserved: false };
    if let Some(length) = declared {
        lectura.reserve_beyond_free(length, length).await?;
    }
    let bytes = lectura.read(body).await?;
    let mut permiso = lectura.permiso;
    permiso.shrink_to(bytes.len() as u64);
    Ok(CuerpoLeido { bytes, permiso })
}

fn is_identity(headers: &HeaderMap) -> bool {
    headers.get_all(CONTENT_ENCODING).iter().all(|value| {
        value.as_bytes().split(|byte| *byte == b',').all(|coding| {
            let coding = coding.trim_ascii();
            coding.is_empty() || coding.eq_ignore_ascii_case(b"identity")
        })
    })
}

/// One body on its way in.
struct Lectura<'a> {
    declared: Option<u64>,
    limite_bytes: usize,
    presupuesto: &'a Presupuesto,
    permiso: Permiso,
    reserved: bool,
}

impl Lectura<'_> {
    /// Once `length` is past the free part, waits for a share of `wanted` bytes.
    async fn reserve_beyond_free(&mut self, length: u64, wanted: u64) -> Result<(), RechazoCuerpo> {
        if self.reserved || length <= self.presupuesto.ajustes().libre_bytes {
            return Ok(());
        }
        let refused = RechazoCuerpo::SinSitio { retry_after_s: SIN_SITIO_RETRY_AFTER_S };
        self.permiso = self.presupuesto.reserve(wanted).await.ok_or(refused)?;
        self.reserved = true;
        Ok(())
    }

    async fn read(&mut self, body: Body) -> Result<Bytes, RechazoCuerpo> {
        let mut body = pin!(body);
        let mut ritmo = pin!(Ritmo::new(self.presupuesto));
        let mut all = BytesMut::new();
        while let Some(data) = next_data(body.as_mut(), ritmo.as_mut()).await? {
            let length = all.len() + data.len();
            if length > self.limite_bytes {
                return Err(RechazoCuerpo::Grande { limite_bytes: self.limite_bytes });
            }
            if all.is_empty() {
                if self.declared == Some(length as u64) {
                    // The whole body in one piece, as small ones come: nothing to copy.
                    return Ok(data);
                }
                let expected = self.declared.unwrap_or(0).min(PREALLOCATE_BYTES);
                all.reserve(usize::try_from(expected).unwrap_or(0));
            }
            if self.declared.is_none() {
                let waited = Instant::now();
                self.reserve_beyond_free(length as u64, self.limite_bytes as u64).await?;
                ritmo.as_mut().forgive(waited.elapsed());
            }
            all.extend_from_slice(&data);
        }
        if self.declared.is_some_and(|length| length != all.len() as u64) {
            return Err(RechazoCuerpo::Cortado);
        }
        Ok(all.freeze())
    }
}

pin_project_lite::pin_project! {
    /// The pace of a body. Its timer is made only when a read has to wait, and moved once a window.
    struct Ritmo<'a> {
        presupuesto: &'a Presupuesto,
        window_bytes: u64,
        #[pin]
        timer: Option<Sleep>,
    }
}

impl<'a> Ritmo<'a> {
    fn new(presupuesto: &'a Presupuesto) -> Self {
        Self { presupuesto, window_bytes: 0, timer: None }
    }

    /// Time spent waiting for our own budget is not the client's.
    fn forgive(self: Pin<&mut Self>, waited: std::time::Duration) {
        if let Some(timer) = self.project().timer.as_pin_mut() {
            let later = timer.deadline() + waited;
            timer.reset(later);
        }
    }

    /// `Ready` when a window has passed without enough bytes.
    fn poll_too_slow(self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<()> {
        let mut this = self.project();
        let ajustes = this.presupuesto.ajustes();
        if this.timer.is_none() {
            this.timer.set(Some(sleep(ajustes.ventana)));
        }
        let mut timer = this.timer.as_pin_mut().expect("set just above");
        while timer.as_mut().poll(cx).is_ready() {
            if *this.window_bytes < ajustes.ventana_minimo_bytes {
                return Poll::Ready(());
            }
            *this.window_bytes = 0;
            timer.as_mut().reset(Instant::now() + ajustes.ventana);
        }
        Poll::Pending
    }
}

/// The next piece of data that is not empty, or `None` at the end. Trailers are passed over.
async fn next_data(
    mut body: Pin<&mut Body>,
    mut ritmo: Pin<&mut Ritmo<'_>>,
) -> Result<Option<Bytes>, RechazoCuerpo> {
    poll_fn(|cx| {
        loop {
            match body.as_mut().poll_frame(cx) {
                Poll::Ready(None) => return Poll::Ready(Ok(None)),
                Poll::Ready(Some(Err(_))) => return Poll::Ready(Err(RechazoCuerpo::Cortado)),
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) if !data.is_empty() => {
                        *ritmo.as_mut().project().window_bytes += data.len() as u64;
                        return Poll::Ready(Ok(Some(data)));
                    }
                    _ => {}
                },
                Poll::Pending => {
                    return match ritmo.as_mut().poll_too_slow(cx) {
                        Poll::Ready(()) => Poll::Ready(Err(RechazoCuerpo::Lento)),
                        Poll::Pending => Poll::Pending,
                    };
                }
            }
        }
    })
    .await
}
