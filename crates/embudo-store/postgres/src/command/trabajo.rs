//! Jobs are made here, inside the transaction of whatever causes them.

use std::time::Duration;

use deadpool_postgres::Transaction;
use embudo_domain::ficha::Ficha;
use embudo_domain::senal::{MensajeriaSenal, PerfilSenal};
use embudo_domain::trabajo::TipoTrabajo;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::cola::{CargaNueva, NuevoTrabajo};
use embudo_store::{Hecho, StoreError};
use serde::Serialize;
use uuid::Uuid;

use crate::failure::Step;
use crate::query;
use crate::rows::Instante;

/// How a command that may make jobs ended.
pub(crate) struct Con {
    pub(crate) hecho: Hecho,
    /// Whether it made a job that waits for whoever comes.
    pub(crate) sueltos: bool,
}

impl Con {
    /// The end of a command that was done before.
    pub(crate) fn nada(hecho: Hecho) -> Self {
        Self { hecho, sueltos: false }
    }
}

/// Whether these must be made under the lead's lock: of two that take each other's place one must see the other.
pub(super) fn needs_lock(trabajos: &[NuevoTrabajo]) -> bool {
    trabajos.iter().any(|t| t.tipo.se_sustituye())
}

/// A lease's length, as the statements want it. A hundred years are for ever.
pub(super) fn micros(dura: Duration) -> i64 {
    const FOR_EVER: i64 = 100 * 366 * 86_400 * 1_000_000;
    i64::try_from(dura.as_micros()).map_or(FOR_EVER, |us| us.min(FOR_EVER))
}

/// Makes jobs; says whether one of them waits for whoever comes.
pub(super) async fn insert(
    tx: &Transaction<'_>,
    lead: LeadId,
    empresa: Uuid,
    trabajos: &[NuevoTrabajo],
    en: Timestamp,
) -> Step<bool> {
    let mut sueltos = false;
    for t in trabajos {
        let said = match &t.carga {
            CargaNueva::Perfil | CargaNueva::Mensajeria => {
                carga(&t.carga, &query::ficha_de_senal(tx, lead).await?)?
            }
            CargaNueva::Texto(texto) => texto.clone(),
        };
        let quien = t.arriendo.map(|a| a.quien.0);
        let dura = t.arriendo.map(|a| micros(a.dura));
        let (tipo, sustituye) = (t.tipo.as_str(), t.tipo.se_sustituye());
        let proximo_en = Instante::from(t.proximo_en.unwrap_or(en));
        let statement = tx.prepare_cached(include_str!("../../sql/trabajo/insert.sql")).await?;
        let made = tx
            .execute(
                &statement,
                &[
                    &t.id.0,
                    &lead.0,
                    &empresa,
                    &tipo,
                    &said,
                    &Instante::from(en),
                    &sustituye,
                    &quien,
                    &dura,
                    &proximo_en,
                ],
            )
            .await?;
        sueltos |= made == 1 && quien.is_none();
    }
    Ok(sueltos)
}

/// Ends the profile signals that were sent and wait for another attempt, because what they ask for came; says whether there was one.
pub(super) async fn answer_waiting(tx: &Transaction<'_>, lead: LeadId, en: Timestamp) -> Step<bool> {
    let statement = tx.prepare_cached(include_str!("../../sql/trabajo/answer.sql")).await?;
    Ok(tx.execute(&statement, &[&lead.0, &TipoTrabajo::Perfil.as_str(), &Instante::from(en)]).await? > 0)
}

/// What a job says, fixed now.
pub(super) fn carga(carga: &CargaNueva, ficha: &Ficha) -> Step<String> {
    match carga {
        CargaNueva::Perfil => json(&PerfilSenal::from(ficha)),
        CargaNueva::Mensajeria => json(&MensajeriaSenal::from(&ficha.lead)),
        CargaNueva::Texto(texto) => Ok(texto.clone()),
    }
}

fn json(senal: &impl Serialize) -> Step<String> {
    let text = serde_json::to_string(senal);
    Ok(text.map_err(|e| StoreError::Internal(format!("a signal cannot be written as JSON: {e}")))?)
}
