//! Random sequences of commands, run by the store and by a simple model: both must end alike (promise D8).
//!
//! The generator is our own and seeded, so a failure names a seed and a step and can be repeated on every machine and
//! on the other engine. `EMBUDO_MODEL_SEQUENCES` raises the number of sequences, `EMBUDO_MODEL_SEED` picks the first
//! seed.

pub(super) mod outbox;
mod outbox_steps;
#[cfg_attr(not(test), allow(dead_code, reason = "the suite's own test asks the model"))]
mod pauses;
mod placed;
pub(super) mod step;
pub(super) mod steps;
pub(super) mod world;

use std::sync::Arc;

use embudo_domain::UserId;
use embudo_domain::empresa::Empresa;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::job::{Job, JobKind, JobState};
use embudo_domain::record::{LeadRecord, StateChange};

use self::step::Step;
use self::steps::Draw;
use self::world::World;
use super::data::inbox::audit_entry;
use super::data::{empresa, t};
use super::lists::pages;
use embudo_store::inbox::Viewer;
use embudo_store::outbox_admin::{JobCount, JobFilter};
use embudo_store::{Result, Store, StoreError};

const STEPS: usize = 80;

fn variable(nombre: &str, por_defecto: u64) -> u64 {
    let Ok(text) = std::env::var(nombre) else { return por_defecto };
    text.parse().unwrap_or_else(|_| panic!("{nombre}: «{text}» is not a number"))
}

/// After any sequence of commands, record, history, outbox and lists equal those of the model.
pub async fn the_store_agrees_with_the_model(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let first = variable("EMBUDO_MODEL_SEED", 1);
    for seed in first..first + variable("EMBUDO_MODEL_SEQUENCES", 20) {
        one_sequence(&store, seed).await;
    }
}

async fn one_sequence(store: &Arc<dyn Store>, seed: u64) {
    let mut draw = Draw::new(seed);
    let mut world = World::default();
    // Each sequence has companies of its own, which keep it apart from earlier sequences on the same store.
    for nombre in ["Una", "Dos"] {
        // One of the companies wants notices.
        let email_avisos = (nombre == "Una").then(|| "avisos@ejemplo.es".to_owned());
        let new = Empresa { email_avisos, ..empresa(nombre) };
        store.create_empresa(new.clone(), t(0)).await.expect("created");
        world.empresas.push(new);
    }
    for n in 0..STEPS {
        let step = draw.step(&world, n);
        let context = format!("EMBUDO_MODEL_SEED={seed}, step {n}: {step:?}");
        let of_store = make(store, like_the_store(store, step.clone()).await).await;
        let of_model = world.make(step.clone());
        assert_eq!(class(&of_store), class(&of_model), "{context}");
        if let Some(lead) = step.lead() {
            let (read, expected) = (store.record(lead).await.map(ordered), world.record(lead).map(ordered));
            assert_eq!(read.ok(), expected.ok(), "{context}");
        }
    }
    compare(store, &world, &mut draw, &format!("EMBUDO_MODEL_SEED={seed}")).await;
    // The next sequence would claim jobs that still wait.
    for id in world.ids(|t| t.state == JobState::Pending) {
        store.discard(id, t(0), None).await.expect("the model has it");
    }
}

/// The store chooses the numbers of marks, so the traces that a step names get the store's numbers.
async fn like_the_store(store: &Arc<dyn Store>, mut step: Step) -> Step {
    if let Step::Ingesta(c) = &mut step {
        let marks = store.blob_marks(c.lead).await.expect("a list");
        for (digest, nth) in &mut c.swept {
            *nth = marks.iter().find(|m| m.digest == *digest).expect("the model has its trace").nth;
        }
    }
    step
}

/// Runs one step on the store; returns its answer as text that can be compared.
async fn make(store: &Arc<dyn Store>, step: Step) -> Result<String> {
    let done = match step {
        Step::Create(c) => store.create_lead(*c).await,
        Step::Turno(c) => store.append_turno(c).await,
        Step::Perfil(c) => store.update_perfil(c).await,
        Step::Calificacion(c) => store.upsert_calificacion(c).await,
        Step::Intento(c) => store.record_intento(c).await,
        Step::Ingesta(c) => store.ingest(c).await,
        Step::Event(c) => store.record_event(c).await,
        Step::Contact(c) => return store.update_contact(c).await.map(|()| String::new()),
        Step::Empty(c) => return store.clear_perfil(c).await.map(|()| String::new()),
        Step::Nota(c) => return store.set_nota(c).await.map(|()| String::new()),
        Step::DeleteFoto(lead, foto, at) => {
            return store.delete_foto(lead, foto, at).await.map(|()| String::new());
        }
        Step::Mark(lead, digest, at) => {
            return store.mark_blob(lead, digest, at).await.map(|nth| nth.is_some().to_string());
        }
        Step::Sweep(lead, digest) => {
            let marks = store.blob_marks(lead).await?;
            let nth = marks.iter().find(|m| m.digest == digest).map_or(0, |m| m.nth);
            return store.blob_swept(lead, digest, nth).await.map(|()| String::new());
        }
        Step::Archive(lead, at) => {
            let viewer = viewer_of(store).await?;
            let archived =
                store.archive(&viewer, vec![lead], "sin presupuesto".into(), at, audit_entry()).await?;
            return Ok(archived.contains(&lead).to_string());
        }
        Step::Reopen(lead, at) => {
            let viewer = viewer_of(store).await?;
            return store.reopen(&viewer, lead, at, audit_entry()).await.map(|etapa| etapa.to_string());
        }
        Step::Outbox(step) => return outbox_steps::make(store, step).await,
    };
    done.map(|done| format!("{done:?}"))
}

/// A person who may see everything.
async fn viewer_of(store: &Arc<dyn Store>) -> Result<Viewer> {
    let empresas = store.list_empresas().await?.into_iter().map(|empresa| empresa.id).collect();
    Ok(Viewer { who: UserId(uuid::Uuid::from_u128(1)), empresas })
}

fn class(result: &Result<String>) -> std::result::Result<&str, String> {
    result.as_deref().map_err(StoreError::to_string)
}

/// A record with its duplicates in a fixed order, and changes of state of one moment ordered by field.
fn ordered(mut record: LeadRecord) -> LeadRecord {
    record.duplicates.sort();
    let change = |e: &Event| matches!(e.kind, EventKind::EstadoWa | EventKind::BotStep);
    let together = |a: &Event, b: &Event| change(a) && change(b) && a.creado_en == b.creado_en;
    record.events.chunk_by_mut(together).for_each(|group| group.sort_by_key(|e| e.kind));
    record
}

async fn compare(store: &Arc<dyn Store>, world: &World, draw: &mut Draw, context: &str) {
    for lead in world.leads() {
        let read = store.record(lead).await.expect("the model has it");
        assert_eq!(
            Ok(ordered(read)),
            world.record(lead).map(ordered).map_err(|e| e.to_string()),
            "{context}"
        );
        let desk =
            store.desk(&viewer_of(store).await.expect("a viewer"), lead).await.expect("the model has it");
        assert_eq!(Ok(desk.etapa), world.etapa(lead).map_err(|e| e.to_string()), "{context}");
        let read = store.history(lead).await.expect("the model has it");
        assert_eq!(by_field(&read), by_field(world.history(lead)), "{context}");
        let filter = JobFilter { lead: Some(lead), ..Default::default() };
        let jobs = store.list_jobs(filter.clone(), None, 1000).await.expect("a list");
        let expected_ones = world.job_list(&filter);
        assert_eq!(without_deadline(&jobs), without_deadline(&expected_ones), "{context}");
        for job in jobs {
            let (_, deliveries) = store.job(job.id).await.expect("it was listed");
            let expected_ones = &world.put(job.id).expect("the model has it").deliveries;
            assert_eq!(&deliveries, expected_ones, "{context}");
        }
        let mut marks = store.blob_marks(lead).await.expect("a list");
        marks.sort_by_key(|m| m.digest);
        let marks: Vec<_> = marks.into_iter().map(|m| (m.digest, m.sweep)).collect();
        let expected_ones = world.marks.iter().filter(|((of, _), _)| *of == lead);
        let expected_ones: Vec<_> = expected_ones.map(|(_, (m, _))| (m.digest, m.sweep)).collect();
        assert_eq!(marks, expected_ones, "{context}");
    }
    let mut overdue_ones = store.overdue_loops(t(1_000), 10_000).await.expect("a list");
    overdue_ones.retain(|v| world.leads().any(|l| l == v.lead));
    overdue_ones.sort_by_key(|v| v.lead);
    assert_eq!(overdue_ones, world.overdue_ones(t(1_000)), "{context}");
    for kinds in [&JobKind::ALL[..], &[JobKind::Perfil, JobKind::Pdf], &[]] {
        if let (free, false) = world.next(kinds) {
            assert_eq!(store.next_due(kinds.into()).await.expect("answered"), free, "{context}");
        }
    }
    let pending = |mut counts: Vec<JobCount>| {
        // Ended jobs may belong to an earlier sequence.
        counts.retain(|c| c.state == JobState::Pending);
        counts.sort();
        counts
    };
    let counts = store.count_jobs().await.expect("counted");
    assert_eq!(pending(counts), pending(world.tally()), "{context}");
    let mut marked = store.marked_blobs().await.expect("a list");
    marked.retain(|(lead, _)| world.leads().any(|l| l == *lead));
    marked.sort();
    assert_eq!(marked, world.marked(), "{context}");
    for _ in 0..12 {
        let (filter, limit) = draw.filter(world);
        assert_eq!(pages(store, &filter, limit).await, world.list(&filter), "{context}, {filter:?}");
    }
}

/// Jobs without the moment of the next attempt where there is none: an ended job keeps any value there.
fn without_deadline(jobs: &[Job]) -> Vec<Job> {
    let without = |t: &Job| match t.state {
        JobState::Pending => t.clone(),
        _ => Job { proximo_en: t.creado_en, ..t.clone() },
    };
    jobs.iter().map(without).collect()
}

/// The changes of each field in their order; the two changes of one call may come in either order.
fn by_field(history: &[StateChange]) -> [Vec<&StateChange>; 2] {
    ["estado_wa", "bot_step"].map(|field| history.iter().filter(|c| c.field == field).collect())
}
