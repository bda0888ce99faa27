//! The open visit of a lead, and the slots that are still free for it.

use embudo_domain::visita::{SpanishTimeZone, Visita, VisitaState};
use embudo_domain::{EmpresaId, LeadId, Timestamp, UserId};
use embudo_store::inbox::Viewer;
use embudo_store::{Result, StoreError};

use super::Visits;

/// The maximum number of slots that are listed.
const MOST: usize = 12;
/// The maximum number of people whose calendars are read. In a larger company only the first ones are considered.
const MAX_PEOPLE: usize = 8;

/// A lead's open visit, and slots for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub visita: Option<Visita>,
    /// The slots in order: for an existing visit, those that the client may choose or move it to; otherwise, those at
    /// which somebody could go.
    pub slots: Vec<Timestamp>,
    pub minutes: u32,
    pub zone: SpanishTimeZone,
}

impl Visits<'_> {
    /// The open visit and the slots of a lead. Fails with [`StoreError::LeadNotFound`].
    pub async fn offer(self, lead: LeadId) -> Result<Offer> {
        let empresa = self.app.store.lead_empresa(lead).await?.ok_or(StoreError::LeadNotFound)?;
        let (settings, zone) = self.settings(empresa).await?;
        let visita = self.open_visit(lead).await?;
        let mut slots = match &visita {
            Some(visita) if visita.state == VisitaState::Propuesta => self.open_slots(visita).await?,
            Some(visita) => match visita.may_client_change(self.app.now(), settings.client_limit()) {
                Ok(()) => self.slots_to_move(visita).await?,
                Err(_) => Vec::new(),
            },
            None => {
                let mut free = Vec::new();
                for person in self.could_go(empresa, lead).await? {
                    let place = (&settings, zone);
                    free.extend(
                        self.free_slots(empresa, place, &[person], settings.minutes, None, MOST).await?,
                    );
                }
                free
            }
        };
        slots.sort_unstable();
        slots.dedup();
        slots.truncate(MOST);
        let minutes = visita.as_ref().map_or(settings.minutes, |visita| visita.minutes);
        Ok(Offer { visita, slots, minutes, zone })
    }

    /// The person in charge of the lead; otherwise everybody who goes on visits for the company.
    async fn could_go(self, empresa: EmpresaId, lead: LeadId) -> Result<Vec<UserId>> {
        let nobody = Viewer { who: UserId(uuid::Uuid::nil()), empresas: vec![empresa] };
        let assigned = self.app.store.desk(&nobody, lead).await?.assigned;
        let users = self.app.store.list_users().await?;
        let goers: Vec<UserId> =
            users.iter().filter(|user| user.goes_in(empresa)).map(|user| user.id).collect();
        Ok(match assigned.filter(|own| goers.contains(own)) {
            Some(own) => vec![own],
            None => goers.into_iter().take(MAX_PEOPLE).collect(),
        })
    }
}
