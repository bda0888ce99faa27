//! Jobs ready to be made, claimed and ended, on the suite's fixed clock.
//!
//! Leases are the one thing that runs on the database's clock: [`LARGO`] outlives any case, [`CORTO`] is over before the
//! next call, and a case that needs it to be over polls.

use std::sync::Arc;
use std::time::Duration;

use embudo_domain::bucle::Bucle;
use embudo_domain::empresa::Empresa;
use embudo_domain::trabajo::{Entrega, EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_domain::{LeadId, ProcesoId, Timestamp, TrabajoId};
use uuid::Uuid;

use super::{empresa, ficha, nuevo_lead, t};
use embudo_store::cola::{Arriendo, CargaNueva, Cupo, FiltroTrabajos, FinIntento, NuevoTrabajo, Resultado};
use embudo_store::command::{CreateLead, RecordEvento};
use embudo_store::{Hecho, Store};

/// A lease that outlives the case.
pub const LARGO: Duration = Duration::from_secs(3600);
/// A lease that runs out at once.
pub const CORTO: Duration = Duration::from_millis(1);

/// A process.
pub fn proceso() -> ProcesoId {
    ProcesoId(Uuid::new_v4())
}

/// A job that says this, held by nobody.
pub fn trabajo(tipo: TipoTrabajo) -> NuevoTrabajo {
    let carga = match tipo {
        TipoTrabajo::Perfil => CargaNueva::Perfil,
        TipoTrabajo::Mensajeria => CargaNueva::Mensajeria,
        _ => CargaNueva::Texto(r#"{"a":1}"#.into()),
    };
    NuevoTrabajo { id: TrabajoId(Uuid::new_v4()), tipo, carga, arriendo: None, proximo_en: None }
}

/// A job that this process will try first.
pub fn de(tipo: TipoTrabajo, quien: ProcesoId, dura: Duration) -> NuevoTrabajo {
    NuevoTrabajo { arriendo: Some(Arriendo { quien, dura }), ..trabajo(tipo) }
}

/// Jobs and no event.
pub fn solo_trabajos(lead: LeadId, trabajos: Vec<NuevoTrabajo>, en: Timestamp) -> RecordEvento {
    RecordEvento { lead, evento: None, trabajos, en, idempotencia: None }
}

/// Makes this job and gives its id.
pub async fn hacer(store: &Arc<dyn Store>, lead: LeadId, nuevo: NuevoTrabajo, en: Timestamp) -> TrabajoId {
    let id = nuevo.id;
    let hecho = store.record_evento(solo_trabajos(lead, vec![nuevo], en)).await.expect("made");
    assert_eq!(hecho, Hecho::Ahora);
    id
}

/// A lead of a default company that has an address and wants notices.
pub async fn lead_con_avisos(store: &Arc<dyn Store>) -> LeadId {
    let casa = Empresa { email_avisos: Some("avisos@ejemplo.es".into()), ..empresa("Reformas Uno") };
    store.ensure_default_empresa(casa, t(0)).await.expect("ensured");
    let CreateLead { id, .. } = nuevo_lead("Ana");
    store.create_lead(CreateLead { id, ..nuevo_lead("Ana") }).await.expect("created");
    id
}

/// Up to a thousand jobs of every kind.
pub fn de_todo() -> Vec<Cupo> {
    TipoTrabajo::TODOS.into_iter().map(|tipo| Cupo { tipo, cuantos: 1000, solo_primeros: false }).collect()
}

/// Up to `cuantos` jobs of one kind.
pub fn cupo(tipo: TipoTrabajo, cuantos: u32) -> Vec<Cupo> {
    vec![Cupo { tipo, cuantos, solo_primeros: false }]
}

/// Takes everything that is due for a long time.
pub async fn tomar(store: &Arc<dyn Store>, quien: ProcesoId, ahora: Timestamp) -> Vec<Trabajo> {
    store.claim(de_todo(), Arriendo { quien, dura: LARGO }, ahora).await.expect("claimed")
}

/// The ids of what [`tomar`] takes, in a fixed order.
pub async fn tomar_ids(store: &Arc<dyn Store>, quien: ProcesoId, ahora: Timestamp) -> Vec<TrabajoId> {
    let mut ids: Vec<TrabajoId> = tomar(store, quien, ahora).await.into_iter().map(|t| t.id).collect();
    ids.sort();
    ids
}

/// Claims until a lease that is about to run out has set this job free.
pub async fn tomar_cuando_venza(
    store: &Arc<dyn Store>,
    id: TrabajoId,
    arriendo: Arriendo,
    ahora: Timestamp,
) -> Trabajo {
    for _ in 0..2_000 {
        let tomados = store.claim(de_todo(), arriendo, ahora).await.expect("claimed");
        if let Some(t) = tomados.into_iter().find(|t| t.id == id) {
            return t;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic!("the lease never ran out");
}

/// Waits until leases of [`CORTO`] that were given before this call have run out, seen by one given here.
pub async fn que_venzan(store: &Arc<dyn Store>, lead: LeadId) {
    let testigo = hacer(store, lead, de(TipoTrabajo::Mensajeria, proceso(), CORTO), t(-1_000_000)).await;
    let cupo = || cupo(TipoTrabajo::Mensajeria, 1);
    for _ in 0..2_000 {
        let arriendo = Arriendo { quien: proceso(), dura: LARGO };
        let tomados = store.claim(cupo(), arriendo, t(-1_000_000)).await.expect("claimed");
        if tomados.iter().any(|t| t.id == testigo) {
            store.discard(testigo, t(-1_000_000)).await.expect("discarded");
            return;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic!("the lease never ran out");
}

/// An attempt that was accepted.
pub fn entrega_ok(inicio: Timestamp) -> Entrega {
    Entrega {
        inicio,
        duracion_ms: 12,
        ok: true,
        status: Some(200),
        error: None,
        respuesta: Some("{}".into()),
    }
}

/// An attempt that was not.
pub fn entrega_mal(inicio: Timestamp, error: &str) -> Entrega {
    Entrega { inicio, duracion_ms: 0, ok: false, status: None, error: Some(error.into()), respuesta: None }
}

/// The end of an attempt, with nothing that follows from it.
pub fn fin(id: TrabajoId, quien: ProcesoId, resultado: Resultado, en: Timestamp) -> FinIntento {
    let entrega = if resultado == Resultado::Hecho { entrega_ok(en) } else { entrega_mal(en, "rechazado") };
    FinIntento {
        id,
        quien,
        resultado,
        entrega,
        evento: None,
        answered: None,
        bucle: None,
        trabajos: Vec::new(),
        en,
    }
}

/// Ends an attempt of a job that the process holds.
pub async fn terminar(store: &Arc<dyn Store>, fin: FinIntento) {
    assert!(store.finish(fin).await.expect("ended"), "the job is this process's");
}

/// A job as it stands.
pub async fn leer(store: &Arc<dyn Store>, id: TrabajoId) -> Trabajo {
    store.trabajo(id).await.expect("the job exists").0
}

/// In which state a job is.
pub async fn estado(store: &Arc<dyn Store>, id: TrabajoId) -> EstadoTrabajo {
    leer(store, id).await.estado
}

/// Every job of a lead, newest first.
pub async fn suyos(store: &Arc<dyn Store>, lead: LeadId) -> Vec<Trabajo> {
    let filtro = FiltroTrabajos { lead: Some(lead), ..Default::default() };
    store.list_trabajos(filtro, None, 1000).await.expect("a list")
}

/// The loop of a lead, which record and list show alike.
pub async fn bucle(store: &Arc<dyn Store>, lead: LeadId) -> Option<Bucle> {
    let de_la_ficha = ficha(store, lead).await.lead.bucle;
    let lista =
        store.list_leads(embudo_store::query::FiltroLeads::default(), None, 1000).await.expect("a list");
    let de_la_lista = lista.into_iter().find(|r| r.lead.id == lead).expect("the lead is listed").lead.bucle;
    assert_eq!(de_la_lista, de_la_ficha);
    de_la_ficha
}
