//! `GET /panel/vivo`: the event stream that tells a page that something it may show has changed. The page then requests
//! the new content itself.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::IntoResponse as _;
use axum::response::sse::{Event, Sse};
use embudo_app::{ChangeStream, Changed};
use embudo_domain::role::Permission;
use embudo_domain::{LeadId, Timestamp, UserId};
use embudo_store::StoreError;
use embudo_store::inbox::Viewer;
use futures_util::stream;
use http::HeaderValue;
use http::header::CACHE_CONTROL;
use jiff::SignedDuration;

use super::viewer;
use crate::WebState;
use crate::panel::streams::Seat;
use crate::panel::{Caller, Needs, PanelResult, Signed};
use crate::parts::Refusal;

/// How often a stream checks its session and the person's rights again. If nothing happened until then, it also sends a
/// comment to keep the connection open.
const CHECK_INTERVAL: SignedDuration = SignedDuration::from_secs(15);
/// The minimum time between two checks when everything may have changed.
const MIN_CHECK_GAP: SignedDuration = SignedDuration::from_secs(1);
/// The timeout of a check. If storage did not answer, also the time until the next check.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time after which a browser reconnects.
const RETRY: Duration = Duration::from_secs(2);

struct Watching {
    state: WebState,
    caller: Caller,
    who: UserId,
    viewer: Viewer,
    /// Whether the person may see all leads. Otherwise the stream only reports leads in whose work the person takes
    /// part.
    sees_leads: bool,
    checked_at: Timestamp,
    /// Whether a change was not reported, because storage did not answer whether the person may see it.
    missed: bool,
    changes: ChangeStream,
    seat: Seat,
    has_begun: bool,
}

/// Every stream begins with the event `hola`. The page then requests its content again, so that changes between loading
/// the page and opening the stream are not missed.
pub(in crate::panel) async fn stream(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
) -> PanelResult {
    let who = signed.open.user.id;
    let seat = state.streams.take(who).ok_or(Refusal::Unavailable)?;
    let watching = Watching {
        viewer: viewer(&signed)?,
        sees_leads: signed.may(Permission::SeeLeads),
        who,
        // An open page is not activity of the person, whatever its browser sends.
        caller: Caller { is_by_itself: true, ..caller },
        changes: state.app.changes().subscribe(),
        checked_at: state.app.now(),
        missed: false,
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

/// Whether a stream may continue.
enum Standing {
    May,
    Over,
    /// Storage does not answer.
    Unknown,
}

impl Watching {
    /// The next event for the page. `None` ends the stream.
    async fn next(&mut self) -> Option<Event> {
        if !self.has_begun {
            self.has_begun = true;
            return Some(Event::default().event("hola").retry(RETRY).data(""));
        }
        loop {
            let until_check = self.until_check();
            let change = tokio::select! {
                () = self.seat.ended() => return None,
                change = self.changes.next() => Some(change?),
                () = tokio::time::sleep(until_check) => None,
            };
            let looks = match change {
                Some(Changed::Person(person)) => person == self.who,
                Some(Changed::Everything) => self.since_check() >= MIN_CHECK_GAP,
                Some(Changed::Lead(_)) => self.since_check() >= CHECK_INTERVAL,
                None => true,
            };
            if looks || self.missed {
                match self.check().await {
                    Standing::May => {}
                    Standing::Over => return None,
                    Standing::Unknown => {
                        self.missed = true;
                        return Some(Event::default().comment(""));
                    }
                }
            }
            if std::mem::take(&mut self.missed) {
                return Some(Event::default().event("todo").data(""));
            }
            match change {
                Some(Changed::Everything) => return Some(Event::default().event("todo").data("")),
                Some(Changed::Lead(change)) if self.viewer.may_see(change.empresa) => {
                    match self.may_hear(change.lead).await {
                        Ok(true) => {
                            return Some(Event::default().event("lead").data(change.lead.to_string()));
                        }
                        Ok(false) => {}
                        Err(_) => {
                            self.missed = true;
                            return Some(Event::default().comment(""));
                        }
                    }
                }
                Some(Changed::Lead(_) | Changed::Person(_)) => {}
                None => return Some(Event::default().comment("")),
            }
        }
    }

    async fn may_hear(&self, lead: LeadId) -> Result<bool, StoreError> {
        Ok(self.sees_leads || self.state.app.visits().takes_part(self.who, lead).await?)
    }

    /// The time since the last check. If the clock was set back, a check is due.
    fn since_check(&self) -> SignedDuration {
        let gone = self.state.app.now().duration_since(self.checked_at);
        if gone.is_negative() { CHECK_INTERVAL } else { gone }
    }

    fn until_check(&self) -> Duration {
        if self.missed {
            PATIENCE
        } else {
            (CHECK_INTERVAL - self.since_check()).try_into().unwrap_or_default()
        }
    }

    /// Checks session and rights like the gate, and uses the new rights from now on.
    async fn check(&mut self) -> Standing {
        // The time of the check is its beginning, so that a change during the check causes another one.
        let asked_at = self.state.app.now();
        let token = self.caller.token.as_deref().unwrap_or_default();
        let needs = Needs::May(Permission::SeeOwnVisits);
        let looking = Signed::open(&self.state, token, &self.caller, needs);
        let Ok(Ok(signed)) = tokio::time::timeout(PATIENCE, looking).await else { return Standing::Unknown };
        let Some(signed) = signed else { return Standing::Over };
        match signed.empresa().and_then(|_| viewer(&signed)) {
            Ok(viewer) => {
                (self.viewer, self.checked_at) = (viewer, asked_at);
                self.sees_leads = signed.may(Permission::SeeLeads);
                Standing::May
            }
            Err(_) => Standing::Over,
        }
    }
}
