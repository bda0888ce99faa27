//! Contact attempts.

use embudo_domain::intento::IntentoResult;
use embudo_store::Result;
use embudo_store::lead_writes::RecordIntento;
use uuid::Uuid;

use super::{by_lead, column, len, run_on_leads};
use crate::failure::Step;
use crate::rows::Instant;
use crate::statement::{Sql, params, sql};
use crate::writer::{Grouped, Session};

static RECORD: &Sql = sql!("intento/record.sql");

impl Grouped for RecordIntento {
    type End = ();

    fn sql() -> Vec<&'static Sql> {
        vec![RECORD]
    }

    fn key(&self) -> Uuid {
        self.lead.0
    }

    fn bytes(&self) -> usize {
        len(self.intento.notas.as_ref()) + len(self.intento.metadata.as_ref())
    }

    async fn run(on: &Session<'_>, group: &[&Self]) -> Step<Vec<Result<()>>> {
        let rows = by_lead(group);
        let params = params! {
            id: column(&rows, |c| c.id.0),
            lead: column(&rows, |c| c.lead.0),
            canal: column(&rows, |c| c.intento.channel.as_str()),
            numero_intento: column(&rows, |c| c.intento.numero_intento),
            resultado: column(&rows, |c| c.intento.result.map(IntentoResult::as_str)),
            completado: column(&rows, |c| c.intento.completed),
            duracion_seg: column(&rows, |c| c.intento.duracion_seg),
            notas: column(&rows, |c| c.intento.notas.as_deref()),
            metadata: column(&rows, |c| c.intento.metadata.as_deref()),
            now: column(&rows, |c| Instant::from(c.at)),
        };
        run_on_leads(on, group, RECORD, params).await
    }
}
