//! The works in which a worker on site takes part: accepted, not finished, and with a visit of that worker.

use embudo_app::work_label;
use embudo_domain::etapa::Etapa;
use embudo_domain::{EmpresaId, Timestamp};
use embudo_store::inbox::Viewer;
use jiff::SignedDuration;

use crate::WebState;
use crate::panel::Signed;
use crate::parts::Refusal;

/// A worker takes part in a work if they had a visit there within this time.
const PAST: SignedDuration = SignedDuration::from_hours(2 * 365 * 24);

pub(super) struct OwnWork {
    /// The address of the person's last visit there.
    pub path: String,
    pub nombre: String,
    pub place: String,
    /// «En obra, inicio el 1 de diciembre de 2026».
    pub state: String,
}

/// The person's works in a company, the last visited one first.
pub(super) async fn own(
    state: &WebState,
    signed: &Signed,
    empresa: EmpresaId,
) -> Result<Vec<OwnWork>, Refusal> {
    let (store, who) = (&state.app.store, signed.open.user.id);
    let since = state.app.now().saturating_sub(PAST).unwrap_or(Timestamp::MIN);
    let mut visits = store.calendar_of(who, since).await?;
    visits.retain(|one| one.visita.empresa == empresa && one.visita.is_of(who));
    let viewer = Viewer { who, empresas: vec![empresa] };
    let mut leads: Vec<_> = visits.iter().map(|one| one.visita.lead).collect();
    leads.sort();
    leads.dedup();
    let rows = store.inbox_rows(&viewer, leads).await?.into_iter();
    let mut going = rows.filter(|row| matches!(row.etapa, Etapa::Aceptado | Etapa::EnObra));
    let mut going: Vec<_> = going.by_ref().map(|row| row.summary.lead.id).collect();
    let mut works = Vec::new();
    for one in visits {
        let Some(at) = going.iter().position(|lead| *lead == one.visita.lead) else { continue };
        let desk = store.desk(&viewer, going.swap_remove(at)).await?;
        works.push(OwnWork {
            path: format!("/panel/visitas/{}", one.visita.id),
            nombre: embudo_domain::words::name(&one.nombre),
            place: one.visita.address,
            state: work_label(desk.work),
        });
    }
    Ok(works)
}
