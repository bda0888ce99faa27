//! A person's visits as a calendar to which programs subscribe, and the hours at which that person can go.

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::user::User;
use embudo_domain::visita::{Agenda, IcsEvent, IcsStatus, Visita, VisitaState, calendar};
use embudo_domain::{Digest, Timestamp, UserId, words};
use embudo_store::Result;
use embudo_store::visits::{ListedVisita, StoredAgenda};
use jiff::SignedDuration;

use super::Visits;
use crate::Actor;
use crate::access::new_token;

/// For how long past visits stay in the calendar.
const PAST: SignedDuration = SignedDuration::from_hours(60 * 24);

impl Visits<'_> {
    /// The person whose calendar this secret belongs to.
    pub async fn feed_owner(self, secret: &str) -> Result<Option<UserId>> {
        self.app.store.feed_owner(Digest::of(secret.as_bytes())).await
    }

    /// A person's calendar; `None` if they may no longer sign in.
    pub async fn feed(self, owner: UserId) -> Result<Option<String>> {
        let Some(user) = self.app.store.user(owner).await?.filter(|user| user.is_active) else {
            return Ok(None);
        };
        let from = self.app.now().saturating_sub(PAST).unwrap_or(Timestamp::MIN);
        let mut listed = self.app.store.calendar_of(user.id, from).await?;
        listed.retain(|one| user.goes_in(one.visita.empresa));
        let events: Vec<IcsEvent> = listed.iter().filter_map(|one| self.event(one)).collect();
        Ok(Some(calendar(None, Some("Visitas"), &events)))
    }

    fn event(self, ListedVisita { visita, nombre }: &ListedVisita) -> Option<IcsEvent> {
        let url = self.panel_url(visita);
        Some(IcsEvent {
            summary: format!("Visita a {}", words::name(nombre)),
            description: [Some(visita.notes.clone()), url.clone()]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join("\n"),
            url,
            ..ics_event(visita)?
        })
    }

    /// The address of the visit in the panel, if the server knows its own address.
    pub(crate) fn panel_url(self, visita: &Visita) -> Option<String> {
        let with = self.app.outbound.links.as_ref()?;
        Some(format!("{}/panel/visitas/{}", with.public_url, visita.id))
    }

    /// The hours at which a person is available for visits; the usual hours if they stored none.
    pub async fn agenda(self, user: UserId) -> Result<StoredAgenda> {
        let kept = self.app.store.agendas(&[user]).await?.pop();
        Ok(kept.unwrap_or_else(|| StoredAgenda::usual(user)))
    }

    /// Stores a person's hours. `seen` is the revision that they saw; `false` if the hours have changed since.
    pub async fn save_agenda(self, user: &User, seen: i64, agenda: Agenda, actor: &Actor) -> Result<bool> {
        let before = self.agenda(user.id).await?.agenda;
        let audit = AuditEntry {
            before: Some(audit_text(&before)),
            after: Some(audit_text(&agenda)),
            ..self.app.access().audit(actor, AuditAction::AgendaChanged)
        };
        self.app.store.save_agenda(user.id, seen, agenda, audit).await
    }

    /// Creates a new secret for a person's calendar; the previous secret is no longer valid. The secret is shown once,
    /// and only its digest is stored.
    pub async fn renew_feed(self, user: &User, actor: &Actor) -> Result<String> {
        let secret = new_token();
        let digest = Digest::of(secret.as_bytes());
        let audit = self.app.access().audit(actor, AuditAction::FeedChanged);
        self.app.store.set_feed(user.id, Some(digest), self.app.now(), audit).await?;
        Ok(secret)
    }

    pub async fn stop_feed(self, user: &User, actor: &Actor) -> Result<()> {
        let audit = self.app.access().audit(actor, AuditAction::FeedChanged);
        self.app.store.set_feed(user.id, None, self.app.now(), audit).await
    }
}

/// What every calendar shows of a visit that has a time.
pub(crate) fn ics_event(visita: &Visita) -> Option<IcsEvent> {
    Some(IcsEvent {
        uid: format!("{}@embudo", visita.id),
        sequence: visita.sequence,
        stamp: visita.cambiada_en,
        start: visita.start?,
        end: visita.end()?,
        summary: "Visita".to_owned(),
        location: visita.address.clone(),
        description: String::new(),
        url: None,
        organizer: None,
        attendee: None,
        status: match visita.state {
            VisitaState::Cancelada => IcsStatus::Cancelled,
            _ => IcsStatus::Confirmed,
        },
    })
}

/// The hours as a text for the audit log.
fn audit_text(agenda: &Agenda) -> String {
    let days: Vec<String> = (0..7).map(|day| agenda.write_hours(day)).collect();
    let off = agenda.write_days_off().replace('\n', ", ");
    format!("{}; margen {} min; libres: {off}", days.join(" | "), agenda.buffer)
}
