//! What a client does with a visit, through the pass in their mail.

use embudo_delivery::Pass;
use embudo_domain::visita::{MAX_FREE, Visita, VisitaError, VisitaState, is_on_offer, overlapping};
use embudo_domain::{LeadId, Timestamp};
use embudo_store::Result;
use embudo_store::visits::{Claim, VisitaChange};
use jiff::SignedDuration;

use super::{Tell, Visits, buffer};

/// The maximum number of a lead's visits in which the open one is searched.
const LOOKED_AT: u32 = 20;

/// A client who moves a visit may choose among at most this number of days with free slots.
pub const DAYS_TO_MOVE: usize = 12;

/// How long a client's pass to their visit is valid.
const PASS_LIFE: SignedDuration = SignedDuration::from_hours(400 * 24);

/// The result of a change by a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientChange {
    Done(Visita),
    /// The slot is taken by another visit.
    Taken,
    /// The visit changed meanwhile; this is its present state.
    Stale(Visita),
    Refused(VisitaError),
    /// A person who should go no longer works for the company, so the company must choose another one.
    Unattended,
}

impl Visits<'_> {
    /// The path of the page where the client chooses, moves or cancels the visit.
    pub fn page_path(self, visita: &Visita) -> String {
        let ends = visita.creada_en.saturating_add(PASS_LIFE).unwrap_or(Timestamp::MAX);
        let generation = self.app.generation(visita.id.0);
        format!("/v/{}", self.app.outbound.passes.write_nth(Pass::Visita(visita.id), Some(ends), generation))
    }

    /// The address of that page, if the server knows its own address.
    pub fn page_url(self, visita: &Visita) -> Option<String> {
        let with = self.app.outbound.links.as_ref()?;
        Some(format!("{}{}", with.public_url, self.page_path(visita)))
    }

    /// The proposed slots that are still free. Empty if a person who should go no longer works for the company.
    pub async fn open_slots(self, visita: &Visita) -> Result<Vec<Timestamp>> {
        let open: Vec<Timestamp> = visita.open_slots(self.app.now()).collect();
        let (Some(first), Some(last)) = (open.first(), open.last()) else { return Ok(open) };
        if !self.gone(visita).await?.is_empty() {
            return Ok(Vec::new());
        }
        let (length, buffer) = (visita.length(), buffer(&self.agendas(&visita.people).await?));
        let busy = self.busy_around(visita, *first, *last, buffer).await?;
        let is_free = |slot: &Timestamp| overlapping(*slot, *slot + length, buffer, &busy).is_empty();
        Ok(open.into_iter().filter(is_free).collect())
    }

    /// The slots to which a client may move their visit: some slots of each of the next `DAYS_TO_MOVE` days with free
    /// time. Empty if a person who should go no longer works for the company.
    pub async fn slots_to_move(self, visita: &Visita) -> Result<Vec<Timestamp>> {
        if !self.gone(visita).await?.is_empty() {
            return Ok(Vec::new());
        }
        let (settings, zone) = self.settings(visita.empresa).await?;
        let (minutes, own) = (visita.minutes, Some(visita.id));
        let free = self
            .free_slots(visita.empresa, (&settings, zone), &visita.people, minutes, own, MAX_FREE)
            .await?;
        let mut days: Vec<_> = free.iter().map(|slot| zone.day(*slot)).collect();
        days.dedup();
        days.truncate(DAYS_TO_MOVE);
        let is_near = |slot: &Timestamp| days.contains(&zone.day(*slot)) && Some(*slot) != visita.start;
        Ok(free.into_iter().filter(is_near).collect())
    }

    /// Why a client cannot move their visit to this slot; `None` if they can. The slot may still be taken before it is
    /// saved.
    pub async fn why_not_move(self, visita: &Visita, slot: Timestamp) -> Result<Option<ClientChange>> {
        let (settings, zone) = self.settings(visita.empresa).await?;
        let now = self.app.now();
        if let Err(error) = visita.may_client_change(now, settings.client_limit()) {
            return Ok(Some(ClientChange::Refused(error)));
        }
        if !self.gone(visita).await?.is_empty() {
            return Ok(Some(ClientChange::Unattended));
        }
        let agendas = self.agendas(&visita.people).await?;
        let hours = self.hours(visita.empresa, &visita.people).await?;
        let moved = match is_on_offer(&self.search((&settings, zone), visita.minutes), &hours, slot) {
            true => visita.clone().move_by_client(slot, now, settings.notice()),
            false => Err(VisitaError::NotProposed),
        };
        if let Err(error) = moved {
            return Ok(Some(ClientChange::Refused(error)));
        }
        let busy = self.busy_around(visita, slot, slot, buffer(&agendas)).await?;
        let is_free = overlapping(slot, slot + visita.length(), buffer(&agendas), &busy).is_empty();
        Ok((!is_free).then_some(ClientChange::Taken))
    }

    /// The visit that concerns a client: the next agreed one, otherwise one with a slot left to choose. Only visits of
    /// exactly this lead count: people of the company may have united other leads with it, but the holder of a pass has
    /// not proved to be the person of those leads.
    pub async fn open_visit(self, lead: LeadId) -> Result<Option<Visita>> {
        let now = self.app.now();
        let mut found = self.app.store.visitas_of(lead, LOOKED_AT).await?;
        let next = found.iter().filter(|visita| visita.is_ahead(now)).min_by_key(|visita| visita.start);
        if let Some(next) = next {
            return Ok(Some(next.clone()));
        }
        found.retain(|visita| visita.state == VisitaState::Propuesta);
        found.sort_by_key(|visita| std::cmp::Reverse(visita.cambiada_en));
        for visita in found {
            if !self.open_slots(&visita).await?.is_empty() {
                return Ok(Some(visita));
            }
        }
        Ok(None)
    }

    /// The client chooses one of the slots, or moves an agreed visit to a time when all its people are free. `seen` is
    /// the agreed time that the client's page showed: if it is another one by now, nothing is moved.
    pub async fn client_picks(
        self,
        visita: &Visita,
        slot: Timestamp,
        seen: Option<Timestamp>,
    ) -> Result<ClientChange> {
        if let (VisitaState::Confirmada, Some(agreed)) = (visita.state, visita.start) {
            if agreed == slot {
                return Ok(ClientChange::Done(visita.clone()));
            }
            if seen.is_some_and(|seen| seen.as_second() != agreed.as_second()) {
                return Ok(ClientChange::Stale(visita.clone()));
            }
        }
        let (settings, zone) = self.settings(visita.empresa).await?;
        let now = self.app.now();
        let picked = match visita.state {
            VisitaState::Propuesta if self.gone(visita).await?.is_empty() => visita.clone().pick(slot, now),
            VisitaState::Propuesta => return Ok(ClientChange::Unattended),
            _ => match self.why_not_move(visita, slot).await? {
                Some(refused) => return Ok(refused),
                None => visita.clone().move_by_client(slot, now, settings.notice()),
            },
        };
        let after = match picked {
            Ok(after) => after,
            Err(error) => return Ok(ClientChange::Refused(error)),
        };
        let claim = self.if_free(&after.people).await?;
        let change = self.save(Some(visita), after, claim, Tell::Everybody, zone, None).await?;
        Ok(ended(change, |current| current.start == Some(slot) && current.state == VisitaState::Confirmada))
    }

    pub async fn client_cancels(self, visita: &Visita) -> Result<ClientChange> {
        if visita.state == VisitaState::Cancelada {
            return Ok(ClientChange::Done(visita.clone()));
        }
        let (settings, zone) = self.settings(visita.empresa).await?;
        let now = self.app.now();
        if let Err(error) = visita.may_client_change(now, settings.client_limit()) {
            return Ok(ClientChange::Refused(error));
        }
        let after = match visita.clone().cancel(None, now) {
            Ok(after) => after,
            Err(error) => return Ok(ClientChange::Refused(error)),
        };
        let change = self.save(Some(visita), after, Claim::Anyway, Tell::Everybody, zone, None).await?;
        Ok(ended(change, |current| current.state == VisitaState::Cancelada))
    }
}

/// A repeated click counts as one: if the visit is already in the wanted state, the change is done.
fn ended(change: VisitaChange, is_wanted: impl Fn(&Visita) -> bool) -> ClientChange {
    match change {
        VisitaChange::Saved(visita) => ClientChange::Done(visita),
        VisitaChange::Stale(visita) if is_wanted(&visita) => ClientChange::Done(visita),
        VisitaChange::Stale(visita) => ClientChange::Stale(visita),
        VisitaChange::Taken(_) | VisitaChange::Gone => ClientChange::Taken,
    }
}
