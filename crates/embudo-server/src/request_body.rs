//! Reading a request body whole, within its limit, its pace and the shared budget.
//!
//! Refuses as early as it can: by encoding and declared length before the first byte is read. The
//! part of a refused body that is still on its way is swallowed by the body itself when dropped
//! here. It must not parse what it reads, nor word the refusal: that is the API's.

use std::future::{Future as _, poll_fn};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use http_body::Body as _;
use tokio::time::{Instant, Sleep, sleep};

use crate::body_budget::{BodyBudget, BodyPermit};

/// Seconds after which a client refused for want of budget may come back (`Retry-After`).
pub const NO_ROOM_RETRY_AFTER_S: u64 = 5;

/// A body that has brought this much gets room for its declared length in one piece, so that it is copied no more. Not
/// before: the system may back the first byte of a large room with megabytes.
const EARNEST_BYTES: usize = 1024 * 1024;

/// The declared length is believed up to this much; more is grown into.
const PREALLOCATE_BYTES: u64 = 64 * 1024 * 1024;

/// What a body that grows step by step is given at a time.
const STEP_BYTES: u64 = 256 * 1024;

/// A body in memory, with its share of the budget.
#[derive(Debug, Default)]
pub struct ReadBody {
    /// The bytes, as sent.
    pub bytes: Bytes,
    /// To be kept as long as the bytes are.
    pub permit: BodyPermit,
}

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyRefusal {
    /// 415: a `Content-Encoding` other than identity.
    Encoded,
    /// 413: longer than the limit, declared or in fact.
    TooLarge {
        /// The limit of this endpoint.
        limit_bytes: usize,
    },
    /// 408: the client sends too slowly. The server adds `connection: close`.
    TooSlow,
    /// 503: too many bytes in memory already.
    NoRoom {
        /// For the `Retry-After` header.
        retry_after_s: u64,
    },
    /// The client went away or broke the framing. Whatever is answered (400), nobody may read it.
    BrokenOff,
}

/// Reads `body` to its end. `who` is given where one address may not take it all.
///
/// What is refused by its head alone is refused before the first byte is read; memory is taken as bytes arrive (see
/// [`BodyBudget`]).
///
/// # Errors
/// See [`BodyRefusal`].
pub async fn read_body(
    headers: &HeaderMap,
    body: Body,
    limit_bytes: usize,
    budget: &BodyBudget,
    who: Option<IpAddr>,
) -> Result<ReadBody, BodyRefusal> {
    if !is_identity(headers) {
        return Err(BodyRefusal::Encoded);
    }
    // hyper derives this from the framing it will really apply, which makes it better than the header.
    let declared = body.size_hint().exact();
    if declared.is_some_and(|length| length > limit_bytes as u64) {
        return Err(BodyRefusal::TooLarge { limit_bytes });
    }
    if body.is_end_stream() {
        return Ok(ReadBody::default());
    }
    let permit = budget.begin(who, declared);
    Reading { declared, limit_bytes, budget, permit, dawdles: false }.read(body).await
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
struct Reading<'a> {
    declared: Option<u64>,
    limit_bytes: usize,
    budget: &'a BodyBudget,
    permit: BodyPermit,
    /// It was given memory for the whole of it and did not fill it briskly.
    dawdles: bool,
}

impl Reading<'_> {
    async fn read(mut self, body: Body) -> Result<ReadBody, BodyRefusal> {
        let mut body = pin!(body);
        let mut pace = pin!(Pace::new(self.budget));
        let mut all = BytesMut::new();
        loop {
            let data = match next_step(body.as_mut(), pace.as_mut()).await? {
                Step::Data(data) => data,
                Step::End => break,
                Step::Dawdles => {
                    self.dawdles = true;
                    self.permit.shrink_to(all.len() as u64);
                    continue;
                }
            };
            let length = all.len() + data.len();
            if length > self.limit_bytes {
                return Err(BodyRefusal::TooLarge { limit_bytes: self.limit_bytes });
            }
            let waited = Instant::now();
            self.make_room(length as u64).await?;
            pace.as_mut().forgive(waited.elapsed());
            if all.is_empty() && self.declared == Some(length as u64) {
                // The whole body in one piece, as small ones come: nothing to copy.
                return Ok(ReadBody { bytes: data, permit: self.permit });
            }
            if length > EARNEST_BYTES && all.capacity() < length {
                let expected = self.declared.unwrap_or(0).min(PREALLOCATE_BYTES);
                all.reserve(usize::try_from(expected).unwrap_or(0).saturating_sub(all.len()));
            }
            all.extend_from_slice(&data);
        }
        if self.declared.is_some_and(|length| length != all.len() as u64) {
            return Err(BodyRefusal::BrokenOff);
        }
        self.permit.shrink_to(all.len() as u64);
        Ok(ReadBody { bytes: all.freeze(), permit: self.permit })
    }

    /// Room for the first `length` bytes. A body that says how long it is and comes briskly is given room for the whole
    /// of it, so that those that are read at the same time can all finish; any other grows step by step.
    async fn make_room(&mut self, length: u64) -> Result<(), BodyRefusal> {
        let expected = match self.declared {
            Some(declared) if !self.dawdles => declared,
            _ => (length + STEP_BYTES).min(self.declared.unwrap_or(self.limit_bytes as u64)),
        };
        if self.permit.make_room(self.budget, length, expected).await {
            return Ok(());
        }
        Err(BodyRefusal::NoRoom { retry_after_s: NO_ROOM_RETRY_AFTER_S })
    }
}

pin_project_lite::pin_project! {
    /// The pace of a body. Its timer is made only when a read has to wait, and moved once a window.
    struct Pace<'a> {
        budget: &'a BodyBudget,
        began: Instant,
        all_bytes: u64,
        window_bytes: u64,
        #[pin]
        timer: Option<Sleep>,
    }
}

/// What a window of a body was like.
enum Window {
    TooSlow,
    Dawdling,
}

impl<'a> Pace<'a> {
    fn new(budget: &'a BodyBudget) -> Self {
        Self { budget, began: Instant::now(), all_bytes: 0, window_bytes: 0, timer: None }
    }

    fn count(self: Pin<&mut Self>, bytes: usize) {
        let this = self.project();
        *this.all_bytes += bytes as u64;
        *this.window_bytes += bytes as u64;
    }

    /// Time spent waiting for our own budget is not the client's.
    fn forgive(self: Pin<&mut Self>, waited: Duration) {
        let this = self.project();
        *this.began += waited;
        if let Some(timer) = this.timer.as_pin_mut() {
            let later = timer.deadline() + waited;
            timer.reset(later);
        }
    }

    /// `Ready` when a window has passed without enough bytes, or the body as a whole is behind its pace.
    fn poll_window(self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Window> {
        let mut this = self.project();
        let settings = this.budget.settings();
        if this.timer.is_none() {
            this.timer.set(Some(sleep(settings.window)));
        }
        let mut timer = this.timer.as_pin_mut().expect("set just above");
        while timer.as_mut().poll(cx).is_ready() {
            let counted = this.began.elapsed().saturating_sub(settings.pace_grace);
            let behind = (*this.all_bytes as f64) < counted.as_secs_f64() * settings.pace_bytes as f64;
            if behind || *this.window_bytes < settings.window_least_bytes {
                return Poll::Ready(Window::TooSlow);
            }
            let brought = std::mem::take(this.window_bytes);
            timer.as_mut().reset(Instant::now() + settings.window);
            if brought < settings.brisk_bytes {
                // Looked at once more, so that the timer knows whom to wake.
                let _ = timer.as_mut().poll(cx);
                return Poll::Ready(Window::Dawdling);
            }
        }
        Poll::Pending
    }
}

/// What comes next on a body.
enum Step {
    /// A piece that is not empty.
    Data(Bytes),
    /// The end. Trailers are passed over.
    End,
    /// Nothing yet, and the last window brought little.
    Dawdles,
}

async fn next_step(mut body: Pin<&mut Body>, mut pace: Pin<&mut Pace<'_>>) -> Result<Step, BodyRefusal> {
    poll_fn(|cx| {
        loop {
            match body.as_mut().poll_frame(cx) {
                Poll::Ready(None) => return Poll::Ready(Ok(Step::End)),
                Poll::Ready(Some(Err(_))) => return Poll::Ready(Err(BodyRefusal::BrokenOff)),
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) if !data.is_empty() => {
                        pace.as_mut().count(data.len());
                        return Poll::Ready(Ok(Step::Data(data)));
                    }
                    _ => {}
                },
                Poll::Pending => {
                    return pace.as_mut().poll_window(cx).map(|window| match window {
                        Window::TooSlow => Err(BodyRefusal::TooSlow),
                        Window::Dawdling => Ok(Step::Dawdles),
                    });
                }
            }
        }
    })
    .await
}
