//! A lead's page.

use std::cmp::Reverse;

use async_trait::async_trait;
use embudo_domain::lead::Lead;
use embudo_domain::next_action::Outlook;
use embudo_domain::nota::NotaInterna;
use embudo_domain::presupuesto::PresupuestoDelivery;
use embudo_domain::timeline::{Moment, MomentKind, TimelineCursor};
use embudo_domain::{LeadId, NotaId};

use super::{Reader, first};
use crate::projected_lead::ProjectedLead;
use crate::queries::{desk, lead, projection, quote, timeline};
use crate::sheet::{LeadSheet, MAX_CONSENTS, MAX_FOTOS, TimelineEntry, TimelinePage};
use crate::{Result, StoreError};

/// The maximum of attempts that are shown for a job.
const MAX_ATTEMPTS: usize = 12;

#[async_trait]
pub trait SheetReads: Send + Sync + 'static {
    /// A lead with its obra, without its campaign ids. [`crate::StoreError::LeadNotFound`].
    async fn lead(&self, lead: LeadId) -> Result<Lead>;
    /// [`crate::StoreError::LeadNotFound`].
    async fn sheet(&self, lead: LeadId) -> Result<LeadSheet>;
    /// One page of the timeline of these leads, newest first. Long texts are cut.
    async fn timeline(&self, leads: Vec<LeadId>, page: TimelinePage) -> Result<Vec<TimelineEntry>>;
    /// The next action of united leads, the principal first in `leads`. Derived from the written data, not from the
    /// projected data.
    async fn outlook(&self, leads: Vec<LeadId>) -> Result<Outlook>;
    async fn nota_interna(&self, lead: LeadId, id: NotaId) -> Result<Option<NotaInterna>>;
}

#[async_trait]
impl<R: Reader> SheetReads for R {
    async fn lead(&self, id: LeadId) -> Result<Lead> {
        lead(self, id).await
    }

    async fn sheet(&self, id: LeadId) -> Result<LeadSheet> {
        sheet(self, id).await
    }

    async fn timeline(&self, leads: Vec<LeadId>, page: TimelinePage) -> Result<Vec<TimelineEntry>> {
        timeline(self, &leads, &page).await
    }

    async fn outlook(&self, leads: Vec<LeadId>) -> Result<Outlook> {
        outlook(self, &leads).await
    }

    async fn nota_interna(&self, lead: LeadId, id: NotaId) -> Result<Option<NotaInterna>> {
        first(self, desk::nota(lead, id)).await
    }
}

async fn lead(reader: &impl Reader, id: LeadId) -> Result<Lead> {
    let own = first(reader, lead::get(id)).await?.ok_or(StoreError::LeadNotFound)?;
    Ok(Lead { obra: first(reader, lead::obra(id)).await?.unwrap_or_default(), ..own })
}

async fn sheet(reader: &impl Reader, id: LeadId) -> Result<LeadSheet> {
    let mut own = lead(reader, id).await?;
    own.utm = reader.read(lead::utm(&[id])).await?.into_iter().map(|(_, pair)| pair).collect();
    own.utm.sort();
    let mut presupuestos = reader.read(quote::summaries(id)).await?;
    PresupuestoDelivery::spread(&mut presupuestos, &reader.read(quote::deliveries(id)).await?);
    Ok(LeadSheet {
        lead: own,
        calificacion: first(reader, lead::calificacion(id)).await?,
        fotos: reader.read(lead::some_fotos(id, MAX_FOTOS)).await?,
        presupuestos,
        consentimientos: reader.read(timeline::consents(id, MAX_CONSENTS)).await?,
        last_written: first(reader, lead::last_written(id)).await?,
        last_call: first(reader, lead::last_call(id)).await?.flatten().unwrap_or(0),
    })
}

/// One page: from each lead and kind as many entries as fit on it, of which the newest are taken.
async fn timeline(reader: &impl Reader, leads: &[LeadId], page: &TimelinePage) -> Result<Vec<TimelineEntry>> {
    let mut all: Vec<TimelineEntry> = Vec::new();
    let each = |lead: &LeadId| page.kinds.iter().map(|kind| (*lead, *kind)).collect::<Vec<_>>();
    let parts: Vec<(LeadId, MomentKind)> = leads.iter().flat_map(each).collect();
    for (lead, kind) in parts {
        let moments = reader.read(timeline::page(lead, kind, page.before, page.limit)).await?;
        let mut last = page.before.filter(|place| (place.kind, place.lead) == (kind, lead));
        for moment in moments {
            let at = moment.at();
            let skip = last.filter(|place| place.at == at).map_or(1, |place| place.skip + 1);
            let cursor = TimelineCursor { at, kind, lead, skip };
            last = Some(cursor);
            all.push(TimelineEntry { moment, cursor });
        }
    }
    all.sort_by_key(|entry| {
        let place = entry.cursor;
        (Reverse(place.at), place.kind, place.lead, place.skip)
    });
    all.truncate(page.limit as usize);
    with_attempts(reader, &mut all).await?;
    Ok(all)
}

async fn outlook(reader: &impl Reader, leads: &[LeadId]) -> Result<Outlook> {
    let mut facts: Vec<_> =
        reader.read(projection::facts(leads)).await?.into_iter().map(|(f, _)| f).collect();
    let Some(first) = facts.iter().position(|facts| Some(&facts.lead) == leads.first()) else {
        return Ok(Outlook::default());
    };
    let first = facts.swap_remove(first);
    Ok(facts.iter().fold(first, ProjectedLead::with).outlook())
}

async fn with_attempts(reader: &impl Reader, entries: &mut [TimelineEntry]) -> Result<()> {
    let mut jobs: Vec<_> = entries
        .iter_mut()
        .filter_map(|entry| if let Moment::Job(job) = &mut entry.moment { Some(job) } else { None })
        .collect();
    if jobs.is_empty() {
        return Ok(());
    }
    let ids: Vec<_> = jobs.iter().map(|job| job.id).collect();
    for (of, delivery) in reader.read(timeline::deliveries(&ids)).await? {
        let job = jobs.iter_mut().find(|job| job.id == of);
        if let Some(job) = job.filter(|job| job.deliveries.len() < MAX_ATTEMPTS) {
            job.deliveries.push(delivery);
        }
    }
    for job in jobs {
        job.deliveries.reverse();
    }
    Ok(())
}
