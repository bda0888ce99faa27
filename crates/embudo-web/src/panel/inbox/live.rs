//! `GET /panel/vivo`: tells a page that something it may show has changed. What changed the page asks for itself.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::IntoResponse as _;
use axum::response::sse::{Event, Sse};
use embudo_app::{ChangeStream, Changed};
use embudo_store::inbox::Viewer;
use futures_util::stream;
use http::HeaderValue;
use http::header::CACHE_CONTROL;

use super::viewer;
use crate::WebState;
use crate::panel::streams::Seat;
use crate::panel::{PanelResult, Signed, Visit};
use crate::parts::Refusal;

/// How often a silent stream says that it lives, and looks whether its session still does.
const BEAT: Duration = Duration::from_secs(20);
/// After how long a browser comes back.
const RETRY: Duration = Duration::from_secs(2);

struct Watching {
    state: WebState,
    viewer: Viewer,
    token: String,
    changes: ChangeStream,
    seat: Seat,
    has_begun: bool,
}

/// Every stream begins with `hola`, upon which the page asks for its content anew: whatever happened in between is in it.
pub(in crate::panel) async fn stream(
    State(state): State<WebState>,
    signed: Signed,
    visit: Visit,
) -> PanelResult {
    let seat = state.streams.take(signed.open.user.id).ok_or(Refusal::Unavailable)?;
    let watching = Watching {
        viewer: viewer(&signed)?,
        token: visit.token.unwrap_or_default(),
        changes: state.app.changes().subscribe(),
        state,
        seat,
        has_begun: false,
    };
    let events = stream::unfold(watching, async |mut watching| {
        let event = watching.next().await?;
        Some((Ok::<_, Infallible>(event), watching))
    });
    let mut response = Sse::new(events).into_response();
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

impl Watching {
    /// What the page is told next; `None` ends the stream.
    async fn next(&mut self) -> Option<Event> {
        if !self.has_begun {
            self.has_begun = true;
            return Some(Event::default().event("hola").retry(RETRY).data(""));
        }
        loop {
            let change = tokio::select! {
                () = self.seat.ended() => return None,
                change = self.changes.next() => change?,
                () = tokio::time::sleep(BEAT) => {
                    // Looked at without being used: a page left open is no activity.
                    let lives = self.state.app.access().lives(&self.token).await;
                    return lives.unwrap_or(true).then(|| Event::default().comment(""));
                }
            };
            match change {
                Changed::Everything => return Some(Event::default().event("todo").data("")),
                Changed::Lead(change) if self.viewer.may_see(change.empresa) => {
                    return Some(Event::default().event("lead").data(change.lead.to_string()));
                }
                Changed::Lead(_) => {}
            }
        }
    }
}
