//! The outbox as only this engine can show it: leases on SQLite's clock, numbers that never come back, a batch shared with
//! other commands.

use std::time::{Duration, Instant};

use embudo_domain::trabajo::{Entrega, EstadoTrabajo, TipoTrabajo};
use embudo_domain::{Huella, LeadId, ProcesoId, TrabajoId};
use embudo_store::cola::{Arriendo, CargaNueva, Cupo, FinIntento, NuevoTrabajo, Resultado};
use embudo_store::command::RecordEvento;
use embudo_store::{Cola, Store, StoreError};
use embudo_store_conformance::data::{foto_de, ingesta, t, turno};
use uuid::Uuid;

use super::{Mesa, queued};

const RATO: Duration = Duration::from_secs(60);

fn proceso() -> ProcesoId {
    ProcesoId(Uuid::new_v4())
}

fn nuevo(tipo: TipoTrabajo, arriendo: Option<Arriendo>) -> NuevoTrabajo {
    NuevoTrabajo {
        id: TrabajoId(Uuid::new_v4()),
        tipo,
        carga: CargaNueva::Texto("{}".into()),
        arriendo,
        proximo_en: None,
    }
}

fn encargo(lead: LeadId, trabajo: NuevoTrabajo) -> RecordEvento {
    RecordEvento { lead, evento: None, trabajos: vec![trabajo], en: t(0), idempotencia: None }
}

fn cupo(tipo: TipoTrabajo) -> Vec<Cupo> {
    vec![Cupo { tipo, cuantos: 10, solo_primeros: false }]
}

fn fallo(id: TrabajoId, quien: ProcesoId, resultado: Resultado) -> FinIntento {
    let entrega = Entrega {
        inicio: t(1),
        duracion_ms: 5,
        ok: false,
        status: Some(500),
        error: Some("500".into()),
        respuesta: None,
    };
    FinIntento {
        id,
        quien,
        resultado,
        entrega,
        evento: None,
        answered: None,
        bucle: None,
        trabajos: vec![],
        en: t(2),
    }
}

/// Takes what there is, once there is something.
async fn tomar(mesa: &Mesa, quien: ProcesoId) -> TrabajoId {
    let start = Instant::now();
    loop {
        let arriendo = Arriendo { quien, dura: RATO };
        let taken = mesa.store.claim(cupo(TipoTrabajo::Mensajeria), arriendo, t(10)).await.expect("claimed");
        if let [trabajo] = taken.as_slice() {
            return trabajo.id;
        }
        assert!(taken.is_empty() && start.elapsed() < RATO, "the lease runs out");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_lease_that_ran_out_frees_the_job_on_the_database_clock() {
    let mesa = Mesa::nueva().await;
    let (muerto, vivo) = (proceso(), proceso());
    let corto = Arriendo { quien: muerto, dura: Duration::from_millis(30) };
    let trabajo = nuevo(TipoTrabajo::Mensajeria, Some(corto));
    let id = trabajo.id;
    mesa.store.record_evento(encargo(mesa.lead, trabajo)).await.expect("made");
    let vence =
        mesa.store.next_due(TipoTrabajo::TODOS.into()).await.expect("asked").expect("a lease runs out");
    assert!(vence >= t(0), "a living lease or, once it ran out, the job itself");
    assert_eq!(tomar(&mesa, vivo).await, id);
    let (antes, ahora) = (fallo(id, muerto, Resultado::Hecho), fallo(id, vivo, Resultado::Hecho));
    assert_eq!(
        mesa.store.renew(vec![id], Arriendo { quien: muerto, dura: RATO }).await.expect("asked"),
        vec![]
    );
    assert!(!mesa.store.begin_send(id, muerto).await.expect("asked"));
    assert!(!mesa.store.finish(antes).await.expect("asked"), "it is another's now");
    assert!(mesa.store.finish(ahora).await.expect("asked"));
    assert_eq!(mesa.store.trabajo(id).await.expect("a job").0.estado, EstadoTrabajo::Hecho);
}

#[tokio::test]
async fn a_late_attempt_is_written_down_while_nobody_else_took_the_job() {
    let mesa = Mesa::nueva().await;
    let quien = proceso();
    let trabajo = nuevo(TipoTrabajo::Mensajeria, Some(Arriendo { quien, dura: Duration::ZERO }));
    let id = trabajo.id;
    mesa.store.record_evento(encargo(mesa.lead, trabajo)).await.expect("made");
    let again = Resultado::Reintentar(t(7));
    assert!(mesa.store.finish(fallo(id, quien, again)).await.expect("asked"));
    let (trabajo, entregas) = mesa.store.trabajo(id).await.expect("a job");
    assert_eq!((trabajo.intentos, trabajo.proximo_en, entregas.len()), (1, t(7), 1));
    assert_eq!(mesa.store.next_due(TipoTrabajo::TODOS.into()).await.expect("asked"), Some(t(7)));
}

#[tokio::test]
async fn a_failing_end_harms_no_neighbour() {
    let mesa = Mesa::nueva().await;
    let quien = proceso();
    let trabajo = nuevo(TipoTrabajo::Mensajeria, Some(Arriendo { quien, dura: RATO }));
    let id = trabajo.id;
    mesa.store.record_evento(encargo(mesa.lead, trabajo.clone())).await.expect("made");
    // The job that follows has an id that is taken: everything of this end is undone.
    let malo = FinIntento { trabajos: vec![trabajo], ..fallo(id, quien, Resultado::Muerto) };
    let (held, gate) = mesa.hold_writer();
    let antes = queued(mesa.store.append_turno(turno(mesa.lead, "antes", t(1))));
    let malo = queued(mesa.store.finish(malo));
    let despues = queued(mesa.store.append_turno(turno(mesa.lead, "después", t(2))));
    drop(gate);
    held.await.expect("opened");
    antes.await.expect("appended");
    assert!(matches!(malo.await, Err(StoreError::Internal(_))));
    despues.await.expect("appended");
    let (trabajo, entregas) = mesa.store.trabajo(id).await.expect("a job");
    assert_eq!((trabajo.estado, trabajo.intentos), (EstadoTrabajo::Pendiente, 0));
    assert!(entregas.is_empty());
}

#[tokio::test]
async fn the_number_of_a_mark_never_comes_back() {
    let mesa = Mesa::nueva().await;
    let blob = Huella::of(b"vuelve");
    let mut last = 0;
    for ronda in 0..3 {
        let vez = mesa.store.mark_blob(mesa.lead, blob, t(ronda)).await.expect("answered").expect("marked");
        mesa.store.blob_swept(mesa.lead, blob, vez).await.expect("swept");
        let marks = mesa.store.blob_marks(mesa.lead).await.expect("marks");
        assert!(marks.len() == 1 && marks[0].barrido && marks[0].vez > last, "{marks:?}");
        let stale = last;
        last = marks[0].vez;
        let mut command = ingesta(mesa.lead, vec![foto_de(blob)], t(ronda));
        command.barridos = vec![(blob, stale)];
        assert!(matches!(mesa.store.ingest(command.clone()).await, Err(StoreError::BlobMarked)));
        command.barridos = vec![(blob, last)];
        let foto = command.fotos[0].id;
        mesa.store.ingest(command).await.expect("put again after that deletion");
        assert!(mesa.store.blob_marks(mesa.lead).await.expect("marks").is_empty());
        mesa.store.delete_foto(mesa.lead, foto).await.expect("removed");
    }
}
