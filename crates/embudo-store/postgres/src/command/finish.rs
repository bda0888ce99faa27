//! Ends of attempts.
//!
//! Two journeys, and one more where jobs follow: the leads that matter are locked, then the jobs, and what the end is decided by is
//! looked up once the locks are had; the store's rules decide; everything is written with the commit. Done again after a commit in
//! doubt, a job is found freed, and nothing is done.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use embudo_domain::bucle::Bucle;
use embudo_domain::evento::Evento;
use embudo_domain::{LeadId, TrabajoId};
use embudo_store::Result;
use embudo_store::cola::FinIntento;
use embudo_store::finish::{Decided, Seen};
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::evento::{self, EventoDe};
use super::{bucle, len, locked_leads, trabajo};
use crate::failure::Step;
use crate::rows::{self, Held, Instante};
use crate::writer::{Claim, Grouped, Lane, Session};

const LOCK: &str = include_str!("../../sql/bucle/lock_of_jobs.sql");
const HELD: &str = include_str!("../../sql/trabajo/held.sql");
const FINISH: &str = include_str!("../../sql/trabajo/finish.sql");
const ENTREGA: &str = include_str!("../../sql/entrega/insert.sql");

/// An end, what it is about, and what becomes of it.
struct Ended<'a> {
    fin: &'a FinIntento,
    lead: LeadId,
    empresa: Uuid,
    decided: Decided,
}

/// Where leads stand in the loop.
type Bucles = HashMap<LeadId, Option<Bucle>>;

impl Grouped for FinIntento {
    /// `None`: the job is not the process's any more; else whether a job was made that waits for whoever comes.
    type End = Option<bool>;

    const LANE: Lane = Lane::Ends;
    const IS_TRANSACTION: bool = true;
    /// An end that is lost means another attempt, and nobody waits for it.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn sql() -> Vec<&'static str> {
        vec![
            LOCK,
            HELD,
            FINISH,
            ENTREGA,
            evento::INSERT,
            bucle::SET,
            locked_leads::LEADS,
            locked_leads::FOTOS,
            locked_leads::NOTAS,
            trabajo::INSERT,
        ]
    }

    /// Ends that run alone take few turns together: which leads they wait for is not known before.
    fn key(&self) -> Uuid {
        Uuid::nil()
    }

    fn claim(&self) -> Claim {
        Claim::Only(self.id.0)
    }

    fn bytes(&self) -> usize {
        let detalle = self.evento.as_ref().and_then(|e| e.detalle.as_ref());
        256 + len(self.entrega.error.as_ref()) + len(self.entrega.respuesta.as_ref()) + len(detalle)
    }

    async fn run(on: &Session<'_>, group: &[&Self]) -> Step<Vec<Result<Option<bool>>>> {
        let mut fines = group.to_vec();
        fines.sort_by_key(|fin| fin.id);
        let (mut held, mut bucles) = look(on, &fines).await?;
        let mut ended = Vec::with_capacity(fines.len());
        let mut moved = BTreeSet::new();
        for fin in fines {
            let Some(Held { lead, empresa, seen }) = held.remove(&fin.id) else { continue };
            // A lead that is gone has no loop.
            let antes = bucles.get_mut(&lead);
            let decided = fin.decide(Seen { bucle: antes.as_deref().copied().flatten(), ..seen });
            if let (Some(antes), Some(despues)) = (antes, decided.bucle) {
                *antes = despues;
                moved.insert(lead);
            }
            ended.push(Ended { fin, lead, empresa, decided });
        }
        let moved: Vec<_> = moved.into_iter().map(|lead| (lead, bucles[&lead])).collect();
        let sueltos = write(on, &ended, &moved).await?;
        let ends: HashMap<TrabajoId, bool> =
            ended.iter().map(|e| (e.fin.id, sueltos.contains(&e.fin.id))).collect();
        Ok(group.iter().map(|fin| Ok(ends.get(&fin.id).copied())).collect())
    }
}

/// Begins, takes the locks, and looks up what is needed: of each job that its process holds, and of the leads that are locked.
async fn look(on: &Session<'_>, fines: &[&FinIntento]) -> Step<(HashMap<TrabajoId, Held>, Bucles)> {
    let locking: Vec<Uuid> = fines.iter().filter(|fin| fin.needs_lock()).map(|fin| fin.id.0).collect();
    let ids: Vec<Uuid> = fines.iter().map(|fin| fin.id.0).collect();
    let quienes: Vec<Uuid> = fines.iter().map(|fin| fin.quien.0).collect();
    let newer: Vec<bool> = fines.iter().map(|fin| fin.lookups().has_newer).collect();
    let sent: Vec<bool> = fines.iter().map(|fin| fin.lookups().since_sent).collect();
    let made: Vec<bool> = fines.iter().map(|fin| fin.lookups().since_made).collect();
    let inicios: Vec<Instante> = fines.iter().map(|fin| fin.entrega.inicio.into()).collect();
    let locking: [&(dyn ToSql + Sync); 1] = [&locking];
    let values: [&(dyn ToSql + Sync); 6] = [&ids, &quienes, &newer, &sent, &made, &inicios];
    let (begun, locked, held) =
        tokio::join!(biased; on.begin(), on.query(LOCK, &locking), on.query(HELD, &values));
    begun?;
    let mut bucles = Bucles::new();
    for row in &locked? {
        bucles.insert(LeadId(row.try_get("id")?), rows::bucle(row)?);
    }
    let held = held?;
    let held = held.iter().map(|row| Ok((TrabajoId(row.try_get("id")?), rows::held(row)?)));
    Ok((held.collect::<Step<_>>()?, bucles))
}

/// Writes everything and commits; returns the ends after which a job waits for whoever comes.
async fn write(
    on: &Session<'_>,
    ended: &[Ended<'_>],
    moved: &[(LeadId, Option<Bucle>)],
) -> Step<Vec<TrabajoId>> {
    let following: Vec<&Ended> =
        ended.iter().filter(|e| e.decided.is_followed && !e.fin.trabajos.is_empty()).collect();
    let mut nuevos = Vec::new();
    if !following.is_empty() {
        let jobs = following.iter().map(|e| (e.lead, &e.fin.trabajos[..]));
        let fichas = locked_leads::read(on, jobs).await?;
        for e in &following {
            let Some(ficha) = fichas.get(&e.lead) else { continue };
            nuevos.extend(trabajo::ready(&e.fin.trabajos, ficha, e.fin.en)?);
        }
    }
    let eventos: Vec<(&Ended, &Evento)> =
        ended.iter().filter_map(|e| Some((e, e.decided.evento.as_ref()?))).collect();
    let eventos: Vec<EventoDe> = eventos.iter().map(|(e, evento)| (e.lead, e.empresa, *evento)).collect();
    // They travel together, in this order.
    let (finished, logged, told, stands, made, committed) = tokio::join!(
        biased;
        write_jobs(on, ended),
        write_log(on, ended),
        evento::write(on, &eventos),
        bucle::write(on, moved),
        trabajo::write(on, &nuevos),
        on.commit(),
    );
    finished?;
    logged?;
    told?;
    stands?;
    let made = made?;
    committed?;
    let is_loose =
        |e: &&&Ended| e.fin.trabajos.iter().any(|t| t.arriendo.is_none() && made.contains(&t.id.0));
    Ok(following.iter().filter(is_loose).map(|e| e.fin.id).collect())
}

async fn write_jobs(on: &Session<'_>, ended: &[Ended<'_>]) -> Step<()> {
    let ids: Vec<Uuid> = ended.iter().map(|e| e.fin.id.0).collect();
    let estados: Vec<&str> = ended.iter().map(|e| e.decided.estado.as_str()).collect();
    let proximos: Vec<Option<Instante>> =
        ended.iter().map(|e| e.decided.proximo_en.map(Instante::from)).collect();
    let terminados: Vec<Option<Instante>> =
        ended.iter().map(|e| e.decided.terminado_en.map(Instante::from)).collect();
    let dudas: Vec<bool> = ended.iter().map(|e| e.decided.en_duda).collect();
    let errores: Vec<Option<&str>> = ended.iter().map(|e| e.decided.ultimo_error.as_deref()).collect();
    on.query(FINISH, &[&ids, &estados, &proximos, &terminados, &dudas, &errores]).await?;
    Ok(())
}

async fn write_log(on: &Session<'_>, ended: &[Ended<'_>]) -> Step<()> {
    let ids: Vec<Uuid> = ended.iter().map(|e| e.fin.id.0).collect();
    let log = || ended.iter().map(|e| &e.fin.entrega);
    let inicios: Vec<Instante> = log().map(|l| l.inicio.into()).collect();
    let duraciones: Vec<i64> = log().map(|l| l.duracion_ms).collect();
    let oks: Vec<bool> = log().map(|l| l.ok).collect();
    let statuses: Vec<Option<i32>> = log().map(|l| l.status.map(i32::from)).collect();
    let errores: Vec<Option<&str>> = log().map(|l| l.error.as_deref()).collect();
    let respuestas: Vec<Option<&str>> = log().map(|l| l.respuesta.as_deref()).collect();
    on.query(ENTREGA, &[&ids, &inicios, &duraciones, &oks, &statuses, &errores, &respuestas]).await?;
    Ok(())
}
