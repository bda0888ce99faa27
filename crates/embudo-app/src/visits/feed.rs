//! A person's visits as a calendar that programs follow, and when that person can go.

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

/// How long a calendar remembers.
const PAST: SignedDuration = SignedDuration::from_hours(60 * 24);

impl Visits<'_> {
    /// Whose calendar a secret opens.
    pub async fn feed_owner(self, secret: &str) -> Result<Option<UserId>> {
        self.app.store.feed_owner(Digest::of(secret.as_bytes())).await
    }

    /// Somebody's calendar; nothing, if they may not sign in any more.
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

    /// The visit in the panel, where the server knows its own address.
    pub(crate) fn panel_url(self, visita: &Visita) -> Option<String> {
        let with = self.app.outbound.links.as_ref()?;
        Some(format!("{}/panel/visitas/{}", with.public_url, visita.id))
    }

    /// A person's working hours.
    pub async fn agenda(self, user: UserId) -> Result<StoredAgenda> {
        let kept = self.app.store.agendas(&[user]).await?.pop();
        Ok(kept.unwrap_or_else(|| StoredAgenda::usual(user)))
    }

    /// Keeps somebody's hours, which they saw with this revision; `false` if they changed since.
    pub async fn save_agenda(self, user: &User, seen: i64, agenda: Agenda, actor: &Actor) -> Result<bool> {
        let before = self.agenda(user.id).await?.agenda;
        let audit = AuditEntry {
            before: Some(audit_text(&before)),
            after: Some(audit_text(&agenda)),
            ..self.app.access().audit(actor, AuditAction::AgendaChanged)
        };
        self.app.store.save_agenda(user.id, seen, agenda, audit).await
    }

    /// A new secret for somebody's calendar; the one before opens nothing any more. It is shown once: only its digest
    /// is kept.
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

/// What every calendar knows of a visit that has a time.
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

/// Hours for the audit log.
fn audit_text(agenda: &Agenda) -> String {
    let days: Vec<String> = (0..7).map(|day| agenda.write_hours(day)).collect();
    let off = agenda.write_days_off().replace('\n', ", ");
    format!("{}; margen {} min; libres: {off}", days.join(" | "), agenda.buffer)
}
