//! Jobs made for many calls at once: ingestions without photos, and events, that send something out.
//!
//! What `ingesta` and `evento` do for one. Two journeys: the leads are locked and read, the domain says what the jobs say, and they
//! are written with the commit.

use std::collections::HashMap;

use embudo_domain::evento::Evento;
use embudo_domain::ficha::{Ficha, Foto, Lead, Nota};
use embudo_domain::trabajo::{EstadoTrabajo, Trabajo};
use embudo_domain::{LeadId, Timestamp};
use embudo_store::cola::{CargaNueva, NuevoTrabajo};
use embudo_store::command::{Ingest, NotaNueva, RecordEvento};
use embudo_store::{Result, StoreError};
use tokio_postgres::{Client, Error, Row, Statement};
use uuid::Uuid;

use super::trabajo::{carga, micros};
use super::{Grouped, Textos};
use crate::failure::Step;
use crate::outbox::Together;
use crate::rows::{self, Instante};

/// What one call writes and sends out.
#[derive(Debug)]
pub(crate) struct Encargo {
    textos: Textos,
    trabajos: Vec<NuevoTrabajo>,
    en: Timestamp,
}

/// How it ended.
#[derive(Debug)]
pub(crate) struct Hechos {
    /// Jobs under a lease, as they were made.
    pub(crate) propios: Vec<Trabajo>,
    /// Whether it made a job that waits for whoever comes.
    pub(crate) sueltos: bool,
}

impl From<&Ingest> for Encargo {
    fn from(command: &Ingest) -> Self {
        debug_assert!(command.idempotencia.is_none() && !command.finalizar, "such calls run alone");
        debug_assert!(command.fotos.is_empty(), "photos are numbered alone");
        Self::new(command.lead, command.notas.clone(), command.eventos.clone(), &command.trabajos, command.en)
    }
}

impl From<&RecordEvento> for Encargo {
    fn from(command: &RecordEvento) -> Self {
        debug_assert!(command.idempotencia.is_none(), "keys are taken alone");
        let eventos = command.evento.iter().cloned().collect();
        Self::new(command.lead, Vec::new(), eventos, &command.trabajos, command.en)
    }
}

impl Encargo {
    fn new(
        lead: LeadId,
        notas: Vec<NotaNueva>,
        eventos: Vec<Evento>,
        trabajos: &[NuevoTrabajo],
        en: Timestamp,
    ) -> Self {
        Self { textos: Textos::new(lead, notas, eventos, en), trabajos: trabajos.to_vec(), en }
    }

    fn lead(&self) -> LeadId {
        self.textos.lead()
    }
}

/// The statements.
pub(crate) struct Statements {
    textos: Statement,
    leads: Statement,
    fotos: Statement,
    notas: Statement,
    insert: Statement,
}

impl Together for Encargo {
    type End = Hechos;
    type Statements = Statements;

    async fn prepare(client: &Client) -> std::result::Result<Statements, Error> {
        let (textos, leads, fotos, notas, insert) = tokio::try_join!(
            client.prepare(Textos::SQL),
            client.prepare(include_str!("../../sql/lead/lock_many.sql")),
            client.prepare(include_str!("../../sql/foto/list_many.sql")),
            client.prepare(include_str!("../../sql/nota/list_many.sql")),
            client.prepare(include_str!("../../sql/trabajo/insert_many.sql")),
        )?;
        Ok(Statements { textos, leads, fotos, notas, insert })
    }

    fn key(&self) -> Uuid {
        self.lead().0
    }

    fn bytes(&self) -> usize {
        let said = |t: &NuevoTrabajo| match &t.carga {
            CargaNueva::Texto(texto) => texto.len(),
            _ => 1024,
        };
        self.textos.bytes() + self.trabajos.iter().map(said).sum::<usize>()
    }

    async fn run(client: &Client, s: &Statements, group: &[&Self]) -> Step<Vec<Result<Hechos>>> {
        let mut fichas = read(client, s, group).await?;
        let mut nuevos = Vec::with_capacity(group.len());
        for c in group {
            let Some(ficha) = fichas.get_mut(&c.lead()) else { continue };
            for t in &c.trabajos {
                nuevos.push((t, made(t, carga(&t.carga, ficha)?, ficha, c.en)));
            }
        }
        nuevos.sort_by_key(|(_, t)| t.lead);
        let hechos = write(client, s, &nuevos).await?;

        let mut ends: HashMap<LeadId, Hechos> = HashMap::with_capacity(group.len());
        for lead in fichas.into_keys() {
            ends.insert(lead, Hechos { propios: Vec::new(), sueltos: false });
        }
        for (t, hecho) in nuevos {
            let end = ends.get_mut(&hecho.lead).expect("jobs are made for leads that exist");
            match t.arriendo {
                // One that was there already waits for whoever makes it be tried, as it did before.
                Some(_) if hechos.contains(&t.id.0) => end.propios.push(hecho),
                Some(_) => {}
                None => end.sueltos = true,
            }
        }
        // Two calls of one lead never share a group.
        Ok(group.iter().map(|c| ends.remove(&c.lead()).ok_or(StoreError::LeadNotFound)).collect())
    }
}

/// Begins, writes notes and events, locks the leads, and reads what the signals say. Leads that do not exist are left out.
async fn read(client: &Client, s: &Statements, group: &[&Encargo]) -> Step<HashMap<LeadId, Ficha>> {
    let leads: Vec<Uuid> = group.iter().map(|c| c.lead().0).collect();
    let has_perfil = |c: &&&Encargo| c.trabajos.iter().any(|t| matches!(t.carga, CargaNueva::Perfil));
    let senalados: Vec<Uuid> = group.iter().filter(has_perfil).map(|c| c.lead().0).collect();
    let textos: Vec<&Textos> = group.iter().map(|c| &c.textos).filter(|t| !t.is_empty()).collect();
    let write_textos = async {
        match textos.is_empty() {
            true => Ok(Vec::new()),
            false => Textos::run(client, &s.textos, &textos).await,
        }
    };
    let (only, many) = (&[&leads as &(dyn tokio_postgres::types::ToSql + Sync)], &[&senalados as _]);
    // They travel together, in this order. Notes come first, so that they are in the signal.
    let (begun, written, leads, fotos, notas) = tokio::join!(
        biased;
        client.batch_execute("BEGIN"),
        write_textos,
        client.query(&s.leads, only),
        client.query(&s.fotos, many),
        client.query(&s.notas, many),
    );
    begun?;
    written?;
    let mut fichas = HashMap::with_capacity(group.len());
    for row in &leads? {
        let lead = rows::lead(row)?;
        fichas.insert(lead.id, de_senal(lead));
    }
    for row in &fotos? {
        if let Some(ficha) = fichas.get_mut(&lead_of(row)?) {
            ficha.fotos.push(rows::foto(row)?);
        }
    }
    for row in &notas? {
        if let Some(ficha) = fichas.get_mut(&lead_of(row)?) {
            ficha.notas.push(rows::nota(row)?);
        }
    }
    Ok(fichas)
}

fn lead_of(row: &Row) -> Step<LeadId> {
    Ok(LeadId(row.try_get("lead_id")?))
}

/// A record with what a signal says and nothing else, as in `query::ficha_de_senal`.
fn de_senal(lead: Lead) -> Ficha {
    Ficha {
        lead,
        duplicados: Vec::new(),
        fotos: Vec::<Foto>::new(),
        notas: Vec::<Nota>::new(),
        presupuestos: Vec::new(),
        conversacion: Vec::new(),
        calificacion: None,
        intentos: Vec::new(),
        eventos: Vec::new(),
        consentimientos: Vec::new(),
    }
}

/// A job as it will stand.
fn made(t: &NuevoTrabajo, carga: String, ficha: &Ficha, en: Timestamp) -> Trabajo {
    Trabajo {
        id: t.id,
        lead: ficha.lead.id,
        empresa: ficha.lead.empresa.id,
        tipo: t.tipo,
        carga,
        estado: EstadoTrabajo::Pendiente,
        intentos: 0,
        proximo_en: t.proximo_en.unwrap_or(en),
        en_duda: false,
        ultimo_error: None,
        creado_en: en,
        terminado_en: None,
    }
}

/// Writes the jobs and commits; returns those that were made.
async fn write(client: &Client, s: &Statements, nuevos: &[(&NuevoTrabajo, Trabajo)]) -> Step<Vec<Uuid>> {
    let ids: Vec<Uuid> = nuevos.iter().map(|(t, _)| t.id.0).collect();
    let leads: Vec<Uuid> = nuevos.iter().map(|(_, h)| h.lead.0).collect();
    let empresas: Vec<Uuid> = nuevos.iter().map(|(_, h)| h.empresa.0).collect();
    let tipos: Vec<&str> = nuevos.iter().map(|(t, _)| t.tipo.as_str()).collect();
    let cargas: Vec<&str> = nuevos.iter().map(|(_, h)| h.carga.as_str()).collect();
    let times: Vec<Instante> = nuevos.iter().map(|(_, h)| h.creado_en.into()).collect();
    let due: Vec<Instante> = nuevos.iter().map(|(_, h)| h.proximo_en.into()).collect();
    let quienes: Vec<Option<Uuid>> = nuevos.iter().map(|(t, _)| t.arriendo.map(|a| a.quien.0)).collect();
    let duran: Vec<Option<i64>> = nuevos.iter().map(|(t, _)| t.arriendo.map(|a| micros(a.dura))).collect();

    let nuevas: Vec<_> = nuevos.iter().filter(|(t, _)| t.tipo.se_sustituye()).collect();
    let s_ids: Vec<Uuid> = nuevas.iter().map(|(t, _)| t.id.0).collect();
    let s_leads: Vec<Uuid> = nuevas.iter().map(|(_, h)| h.lead.0).collect();
    let s_tipos: Vec<&str> = nuevas.iter().map(|(t, _)| t.tipo.as_str()).collect();
    let s_times: Vec<Instante> = nuevas.iter().map(|(_, h)| h.creado_en.into()).collect();

    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 13] = [
        &ids, &leads, &empresas, &tipos, &cargas, &times, &quienes, &duran, &s_ids, &s_leads, &s_tipos,
        &s_times, &due,
    ];
    let (made, committed) =
        tokio::join!(biased; client.query(&s.insert, &values), client.batch_execute("COMMIT"));
    // A commit after an error is a roll-back, and says nothing of it.
    let made = made?;
    committed?;
    made.iter().map(|row| Ok(row.try_get(0)?)).collect()
}
