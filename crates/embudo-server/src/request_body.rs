//! Reading a request body, whole or piece by piece, within its limit, its minimum rate and the shared budget.
//!
//! Refuses as early as it can: by encoding and declared length before the first byte is read. When a
//! refused body is dropped here, the body itself discards its rest (see `incoming`). This module neither parses what
//! it reads nor words the refusal: the API does both.

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

/// `Retry-After`, in seconds, for a client that is refused because the budget is used up.
pub const NO_ROOM_RETRY_AFTER_S: u64 = 5;

/// A body that has brought this much gets memory for its declared length in one piece, so that it is not copied again.
/// Not earlier, because the system may back the first byte of a large allocation with megabytes.
pub const EARNEST_BYTES: usize = 1024 * 1024;

/// The declared length is trusted up to this size; beyond it memory grows as bytes arrive.
const PREALLOCATE_BYTES: u64 = 64 * 1024 * 1024;

/// How much more memory a body gets at a time while it grows step by step.
const STEP_BYTES: u64 = 256 * 1024;

/// A body in memory, with its share of the budget.
#[derive(Debug, Default)]
pub struct ReadBody {
    /// The bytes, as sent.
    pub bytes: Bytes,
    /// Must be kept as long as the bytes are.
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
    /// The client went away or broke the framing. The answer (400) may never be read.
    BrokenOff,
}

/// A consumer of a body, piece by piece.
pub trait Intake: Send {
    /// Why a body was not taken in.
    type Refusal: From<BodyRefusal>;

    /// Takes the next piece. Asks for memory in `room` before it keeps anything.
    fn take(
        &mut self,
        piece: Bytes,
        room: &mut Room<'_>,
    ) -> impl Future<Output = Result<(), Self::Refusal>> + Send;

    /// How many bytes it holds in memory.
    fn held_bytes(&self) -> u64;
}

/// Reads `body` to its end. `who` is the client's address. It is given where one address may use only a share of
/// the budget.
///
/// A body whose encoding or declared length is reason to refuse it is refused before its first byte is read. Memory is
/// taken as bytes arrive (see [`BodyBudget`]).
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
    let mut whole = Whole::default();
    let permit = read_body_into(headers, body, limit_bytes, budget, who, &mut whole).await?;
    Ok(ReadBody { bytes: whole.finish(), permit })
}

/// Hands the whole `body` to `intake`, piece by piece, under the same rules.
///
/// # Errors
/// See [`BodyRefusal`]; or the refusal of the intake.
pub async fn read_body_into<I: Intake>(
    headers: &HeaderMap,
    body: Body,
    limit_bytes: usize,
    budget: &BodyBudget,
    who: Option<IpAddr>,
    intake: &mut I,
) -> Result<BodyPermit, I::Refusal> {
    if !is_identity(headers) {
        return Err(BodyRefusal::Encoded.into());
    }
    // hyper derives the length from the framing that it applies, so it is more reliable than the header.
    let declared = body.size_hint().exact();
    if declared.is_some_and(|length| length > limit_bytes as u64) {
        return Err(BodyRefusal::TooLarge { limit_bytes }.into());
    }
    if body.is_end_stream() {
        return Ok(BodyPermit::default());
    }
    let permit = budget.begin(who, declared);
    let mut room = Room { declared, limit_bytes, budget, permit, arrived: 0, dawdles: false };
    read_pieces(body, &mut room, intake).await?;
    room.permit.shrink_to(intake.held_bytes());
    Ok(room.permit)
}

fn is_identity(headers: &HeaderMap) -> bool {
    headers.get_all(CONTENT_ENCODING).iter().all(|value| {
        value.as_bytes().split(|byte| *byte == b',').all(|coding| {
            let coding = coding.trim_ascii();
            coding.is_empty() || coding.eq_ignore_ascii_case(b"identity")
        })
    })
}

async fn read_pieces<I: Intake>(body: Body, room: &mut Room<'_>, intake: &mut I) -> Result<(), I::Refusal> {
    let mut body = pin!(body);
    let mut pace = pin!(Pace::new(room.budget));
    loop {
        let piece = match next_step(body.as_mut(), pace.as_mut()).await? {
            Step::Data(piece) => piece,
            Step::End => break,
            Step::Dawdles => {
                room.dawdles = true;
                room.permit.shrink_to(intake.held_bytes());
                continue;
            }
        };
        room.arrived += piece.len() as u64;
        if room.arrived > room.limit_bytes as u64 {
            return Err(BodyRefusal::TooLarge { limit_bytes: room.limit_bytes }.into());
        }
        // The whole body came in one piece, as small ones do: its end need not be awaited.
        let is_whole = room.declared == Some(piece.len() as u64);
        let waited = Instant::now();
        intake.take(piece, room).await?;
        pace.as_mut().forgive(waited.elapsed());
        if is_whole {
            return Ok(());
        }
    }
    if room.declared.is_some_and(|length| length != room.arrived) {
        return Err(BodyRefusal::BrokenOff.into());
    }
    Ok(())
}

/// The memory of one body while it arrives.
#[derive(Debug)]
pub struct Room<'a> {
    declared: Option<u64>,
    limit_bytes: usize,
    budget: &'a BodyBudget,
    permit: BodyPermit,
    /// How many bytes of the body have arrived, the current piece included.
    arrived: u64,
    /// Whether the body came too slowly to keep memory that it has not filled.
    dawdles: bool,
}

impl Room<'_> {
    /// The declared length of the body.
    pub fn declared_bytes(&self) -> Option<u64> {
        self.declared
    }

    /// How many bytes are still to come after the current piece, by the declared length.
    pub fn bytes_to_come(&self) -> Option<u64> {
        self.declared.map(|declared| declared.saturating_sub(self.arrived))
    }

    /// A body up to this size is a small one.
    pub fn small_bytes(&self) -> u64 {
        self.budget.settings().small_bytes
    }

    /// Waits for memory for `bytes` in all, for an intake that keeps the rest of the body too. A body with a declared
    /// length that comes fast enough gets memory for all of it, so that the bodies that are read at the same time can
    /// all finish; any other grows step by step.
    pub async fn for_all(&mut self, bytes: u64) -> Result<(), BodyRefusal> {
        match self.bytes_to_come() {
            Some(to_come) if !self.dawdles => self.make(bytes, bytes + to_come).await,
            _ => {
                let most = self.declared.unwrap_or(self.limit_bytes as u64).max(bytes);
                self.make(bytes, (bytes + STEP_BYTES).min(most)).await
            }
        }
    }

    /// Waits for memory for `bytes` in all, for an intake that does not keep most of the rest.
    pub async fn for_some(&mut self, bytes: u64) -> Result<(), BodyRefusal> {
        self.make(bytes, bytes).await
    }

    async fn make(&mut self, bytes: u64, expected: u64) -> Result<(), BodyRefusal> {
        if self.permit.make_room(self.budget, bytes, expected).await {
            return Ok(());
        }
        Err(BodyRefusal::NoRoom { retry_after_s: NO_ROOM_RETRY_AFTER_S })
    }
}

/// An intake that keeps a body whole.
#[derive(Debug, Default)]
pub struct Whole {
    all: BytesMut,
    /// The whole body, if it came in one piece: nothing is copied.
    piece: Option<Bytes>,
}

impl Whole {
    /// The bytes of the body.
    pub fn finish(self) -> Bytes {
        self.piece.unwrap_or_else(|| self.all.freeze())
    }
}

impl Intake for Whole {
    type Refusal = BodyRefusal;

    async fn take(&mut self, piece: Bytes, room: &mut Room<'_>) -> Result<(), BodyRefusal> {
        let length = self.all.len() + piece.len();
        room.for_all(length as u64).await?;
        if self.all.is_empty() && room.declared_bytes() == Some(length as u64) {
            self.piece = Some(piece);
            return Ok(());
        }
        if length > EARNEST_BYTES && self.all.capacity() < length {
            let expected = room.declared_bytes().unwrap_or(0).min(PREALLOCATE_BYTES);
            self.all.reserve(usize::try_from(expected).unwrap_or(0).saturating_sub(self.all.len()));
        }
        self.all.extend_from_slice(&piece);
        Ok(())
    }

    fn held_bytes(&self) -> u64 {
        (self.all.len() + self.piece.as_ref().map_or(0, Bytes::len)) as u64
    }
}

pin_project_lite::pin_project! {
    /// The minimum rate of a body. Its timer is made only when a read has to wait, and moved once a window.
    struct Pace<'a> {
        budget: &'a BodyBudget,
        began: Instant,
        all_bytes: u64,
        window_bytes: u64,
        #[pin]
        timer: Option<Sleep>,
    }
}

/// What is wrong with a body's rate after a window: `Dawdling` costs it only the memory that it has not filled.
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

    /// Time spent waiting for our own budget does not count against the client.
    fn forgive(self: Pin<&mut Self>, waited: Duration) {
        let this = self.project();
        *this.began += waited;
        if let Some(timer) = this.timer.as_pin_mut() {
            let later = timer.deadline() + waited;
            timer.reset(later);
        }
    }

    /// `Ready` when a window has passed without enough bytes, or the body as a whole is below its minimum rate.
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
                // Polled once more, so that the timer knows this task's waker.
                let _ = timer.as_mut().poll(cx);
                return Poll::Ready(Window::Dawdling);
            }
        }
        Poll::Pending
    }
}

/// The next thing that happens on a body.
enum Step {
    /// A piece that is not empty.
    Data(Bytes),
    /// The end. Trailers are ignored.
    End,
    /// Nothing yet, and the last window brought few bytes.
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
