//! The ends of many attempts at once. What `cola::finish` does for one; ends from which jobs follow run alone.
//!
//! One journey: the leads that matter are locked by one statement and everything is written by the next, which sees what happened
//! until the locks were had.

use std::collections::HashSet;

use embudo_domain::bucle::{Bucle, Vuelta};
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo};
use embudo_store::Result;
use embudo_store::cola::{FinIntento, Resultado};
use tokio_postgres::{Client, Error, Statement};
use uuid::Uuid;

use super::len;
use crate::failure::Step;
use crate::outbox::Together;
use crate::rows::Instante;

/// The end of one attempt, with an id for its event.
#[derive(Debug)]
pub(crate) struct Fin {
    pub(crate) fin: FinIntento,
    evento: Option<Uuid>,
}

impl From<FinIntento> for Fin {
    fn from(fin: FinIntento) -> Self {
        debug_assert!(fin.trabajos.is_empty(), "ends from which jobs follow run alone");
        let evento = fin.evento.as_ref().map(|_| Uuid::now_v7());
        Self { fin, evento }
    }
}

impl Fin {
    /// Whether the lead must be locked first: its loop moves, or a newer job may take this one's place.
    fn is_locking(&self) -> bool {
        self.fin.bucle.is_some()
            || self.fin.answerable().is_some()
            || matches!(self.fin.resultado, Resultado::Reintentar(_))
    }

    fn estado(&self) -> &'static str {
        let estado = match self.fin.resultado {
            Resultado::Hecho => EstadoTrabajo::Hecho,
            Resultado::Reintentar(_) => EstadoTrabajo::Pendiente,
            Resultado::Muerto => EstadoTrabajo::Muerto,
            Resultado::Aparcado => EstadoTrabajo::Aparcado,
        };
        estado.as_str()
    }

    fn proximo_en(&self) -> Option<Instante> {
        match self.fin.resultado {
            Resultado::Reintentar(cuando) => Some(cuando.into()),
            _ => None,
        }
    }

    /// Where the lead will stand if this came in since the job was made. How often it was signalled by itself is left as it is.
    fn bucle(&self, renders: bool, finalizar: bool) -> Option<Bucle> {
        let vuelta = Vuelta { renders, finalizar };
        self.fin.bucle.and_then(|plazos| Bucle::tras_senal(None, vuelta, self.fin.en, plazos))
    }
}

/// The statements.
pub(crate) struct Statements {
    lock: Statement,
    finish: Statement,
}

impl Together for Fin {
    /// Whether the job was still the process's.
    type End = bool;
    type Statements = Statements;

    async fn prepare(client: &Client) -> std::result::Result<Statements, Error> {
        let (lock, finish) = tokio::try_join!(
            client.prepare(include_str!("../../sql/lead/lock_of_jobs.sql")),
            client.prepare(include_str!("../../sql/trabajo/finish_many.sql")),
        )?;
        Ok(Statements { lock, finish })
    }

    fn key(&self) -> Uuid {
        self.fin.id.0
    }

    fn bytes(&self) -> usize {
        let detalle = self.fin.evento.as_ref().and_then(|e| e.detalle.as_ref());
        256 + len(self.fin.entrega.error.as_ref()) + len(self.fin.entrega.respuesta.as_ref()) + len(detalle)
    }

    async fn run(client: &Client, s: &Statements, group: &[&Self]) -> Step<Vec<Result<bool>>> {
        /// The column of one value.
        macro_rules! column {
            ($rows:ident, $f:ident => $value:expr) => {
                &$rows.iter().map(|$f| $value).collect::<Vec<_>>()
            };
        }
        let mut rows = group.to_vec();
        rows.sort_by_key(|f| f.fin.id);
        let locking: Vec<Uuid> = rows.iter().filter(|f| f.is_locking()).map(|f| f.fin.id.0).collect();
        let replaceable: Vec<&str> =
            TipoTrabajo::TODOS.iter().filter(|t| t.se_sustituye()).map(|t| t.as_str()).collect();
        let nada: Vec<_> = rows.iter().map(|f| f.bucle(false, false)).collect();
        let renders: Vec<_> = rows.iter().map(|f| f.bucle(true, false)).collect();
        let finalizar: Vec<_> = rows.iter().map(|f| f.bucle(true, true)).collect();
        let paso = |b: &Option<Bucle>| b.map(|b| b.paso.as_str());
        let limite = |b: &Option<Bucle>| b.map(|b| Instante::from(b.limite));
        let finish = async {
            client
                .query(
                    &s.finish,
                    &[
                        column!(rows, f => f.fin.id.0),
                        column!(rows, f => f.fin.quien.0),
                        column!(rows, f => f.estado()),
                        column!(rows, f => f.proximo_en()),
                        column!(rows, f => Instante::from(f.fin.en)),
                        column!(rows, f => Instante::from(f.fin.entrega.inicio)),
                        column!(rows, f => f.fin.entrega.duracion_ms),
                        column!(rows, f => f.fin.entrega.ok),
                        column!(rows, f => f.fin.entrega.status.map(i32::from)),
                        column!(rows, f => f.fin.entrega.error.as_deref()),
                        column!(rows, f => f.fin.entrega.respuesta.as_deref()),
                        column!(rows, f => f.evento),
                        column!(rows, f => f.fin.evento.as_ref().map(|e| e.tipo.as_str())),
                        column!(rows, f => f.fin.evento.as_ref().map(|e| e.simulado)),
                        column!(rows, f => f.fin.evento.as_ref().map(|e| e.ok)),
                        column!(rows, f => f.fin.evento.as_ref().and_then(|e| e.detalle.as_deref())),
                        column!(rows, f => f.fin.evento.as_ref().map(|e| Instante::from(e.creado_en))),
                        column!(nada, b => paso(b)),
                        column!(nada, b => limite(b)),
                        column!(renders, b => paso(b)),
                        column!(renders, b => limite(b)),
                        column!(finalizar, b => paso(b)),
                        column!(finalizar, b => limite(b)),
                        column!(rows, f => f.fin.bucle.is_some()),
                        &replaceable,
                        column!(rows, f => f.fin.answerable()),
                    ],
                )
                .await
        };
        let (begun, locked, ended, committed) = tokio::join!(
            biased;
            client.batch_execute("BEGIN"),
            async { client.query(&s.lock, &[&locking]).await },
            finish,
            client.batch_execute("COMMIT"),
        );
        begun?;
        locked?;
        // A commit after an error is a roll-back, and says nothing of it.
        let ended = ended?;
        committed?;
        let ended =
            ended.iter().map(|row| row.try_get(0)).collect::<std::result::Result<HashSet<Uuid>, _>>()?;
        Ok(group.iter().map(|f| Ok(ended.contains(&f.fin.id.0))).collect())
    }
}
