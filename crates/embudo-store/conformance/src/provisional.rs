//! Outcomes that wait for jobs: provisional with the work, final once the jobs have been tried.

use std::sync::Arc;

use embudo_domain::trabajo::{TipoTrabajo, Trabajo};
use embudo_domain::{Timestamp, TrabajoId};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::outbox::{proceso, solo_trabajos, tomar_ids, trabajo};
use super::data::{TEXTO_RARO, clave, foto, ingesta, micros, nuevo_lead, outcome, t, un_lead};
use super::idempotency::{Mandato, TODOS, estado, mandar};
use embudo_store::cola::FiltroTrabajos;
use embudo_store::command::{CreateLead, Ingest, RecordEvento};
use embudo_store::{Hecho, Idempotencia, Store};

/// A key with a provisional outcome, for these jobs.
fn provisional(ambito: &str, cuerpo: u8, trabajos: Vec<TrabajoId>, en: Timestamp) -> Idempotencia {
    Idempotencia { outcome: outcome("de momento"), trabajos, ..clave(ambito, "k", cuerpo, en) }
}

/// An outcome that waits for jobs is provisional until it is completed; the work is done once all the same.
pub async fn a_provisional_outcome_waits_to_be_completed(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for mandato in TODOS {
        let ambito = format!("POST {mandato:?}");
        let trabajos = vec![TrabajoId(Uuid::new_v4()), TrabajoId(Uuid::new_v4())];
        let primera = provisional(&ambito, 1, trabajos.clone(), t(1));
        assert_eq!(mandar(&store, mandato, lead, 1, primera).await.expect("done"), Hecho::Ahora);
        let antes = estado(&store, lead).await;
        let en_curso = Hecho::EnCurso { outcome: outcome("de momento"), trabajos };
        for n in 2..4 {
            let hecho = mandar(&store, mandato, lead, n, clave(&ambito, "k", 1, t(n))).await;
            assert_eq!(hecho.expect("answered"), en_curso, "{mandato:?}");
        }
        assert_fails!(mandar(&store, mandato, lead, 4, clave(&ambito, "k", 2, t(4))).await, KeyReused);
        let entera = outcome(TEXTO_RARO);
        store.complete_outcome(ambito.clone(), "k".into(), entera.clone(), None).await.expect("completed");
        let hecho = mandar(&store, mandato, lead, 5, clave(&ambito, "k", 1, t(5))).await;
        assert_eq!(hecho.expect("replayed"), Hecho::Antes(entera), "{mandato:?}");
        assert_fails!(mandar(&store, mandato, lead, 6, clave(&ambito, "k", 2, t(6))).await, KeyReused);
        assert_eq!(estado(&store, lead).await, antes, "{mandato:?}");
    }
}

/// Completing an outcome touches its own key and no other, and a key that is gone is no error.
pub async fn completing_touches_its_own_key(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let trabajos = vec![TrabajoId(Uuid::new_v4())];
    for ambito in ["a", "b"] {
        let k = provisional(ambito, 1, trabajos.clone(), t(1));
        mandar(&store, Mandato::Turno, lead, 1, k).await.expect("done");
    }
    for (ambito, k) in [("a", "K"), ("A", "k"), ("c", "k"), ("a", "k")] {
        let hecho = store.complete_outcome(ambito.into(), k.into(), outcome("entera"), None).await;
        hecho.expect("a key that the purge has taken is no error");
    }
    let leer = async |ambito| {
        mandar(&store, Mandato::Turno, lead, 2, clave(ambito, "k", 1, t(2))).await.expect("answered")
    };
    assert_eq!(leer("a").await, Hecho::Antes(outcome("entera")));
    assert_eq!(leer("b").await, Hecho::EnCurso { outcome: outcome("de momento"), trabajos });
}

/// A provisional outcome expires like any other.
pub async fn a_provisional_outcome_expires(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let k = provisional("a", 1, vec![TrabajoId(Uuid::new_v4())], t(1));
    mandar(&store, Mandato::Turno, lead, 1, k.clone()).await.expect("done");
    let otra = clave("a", "k", 2, k.expira_en);
    assert_eq!(mandar(&store, Mandato::Turno, lead, 2, otra.clone()).await.expect("done"), Hecho::Ahora);
    let hecho = mandar(&store, Mandato::Turno, lead, 3, otra).await.expect("replayed");
    assert_eq!(hecho, Hecho::Antes(outcome("k")));
}

/// Completing an outcome can set when its key is free again, once; without a moment the first one stays.
pub async fn a_final_outcome_can_expire_elsewhen(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let trabajos = vec![TrabajoId(Uuid::new_v4())];
    for (ambito, expira_en) in [("antes", Some(t(5))), ("igual", None), ("despues", Some(t(500)))] {
        let k = provisional(ambito, 1, trabajos.clone(), t(1));
        let fin = expira_en.unwrap_or(k.expira_en);
        mandar(&store, Mandato::Turno, lead, 1, k).await.expect("done");
        // The second outcome comes too late to change anything.
        for (entera, expira_en) in [("entera", expira_en), ("tardía", Some(t(9_000)))] {
            let hecho = store.complete_outcome(ambito.into(), "k".into(), outcome(entera), expira_en).await;
            hecho.expect("completed");
        }
        let justo_antes = micros(fin.as_microsecond() - 1);
        let hecho = mandar(&store, Mandato::Turno, lead, 2, clave(ambito, "k", 1, justo_antes)).await;
        assert_eq!(hecho.expect("replayed"), Hecho::Antes(outcome("entera")), "{ambito}");
        let hecho = mandar(&store, Mandato::Turno, lead, 3, clave(ambito, "k", 1, fin)).await;
        assert_eq!(hecho.expect("done"), Hecho::Ahora, "{ambito}");
    }
}

/// Sixteen racers with one key and a job each make one job, and the others are told which one to wait for; a worker that
/// claims meanwhile takes it once.
pub async fn racers_with_one_key_make_one_job(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for mandato in [Mandato::Lead, Mandato::Ingesta, Mandato::Evento] {
        let antes = todos_los_trabajos(&store).await.len();
        let mut tareas = JoinSet::new();
        for _ in 0..16 {
            let (store, nuevo) = (Arc::clone(&store), trabajo(TipoTrabajo::Mensajeria));
            let idempotencia = Some(provisional(&format!("POST {mandato:?}"), 1, vec![nuevo.id], t(1)));
            tareas.spawn(async move {
                let (id, trabajos) = (nuevo.id, vec![nuevo]);
                let hecho = match mandato {
                    Mandato::Lead => {
                        let command = CreateLead { trabajos, idempotencia, ..nuevo_lead("Ana") };
                        store.create_lead(command).await
                    }
                    Mandato::Ingesta => {
                        let command = Ingest { trabajos, idempotencia, ..ingesta(lead, vec![foto()], t(1)) };
                        store.ingest(command).await
                    }
                    _ => {
                        let command = solo_trabajos(lead, trabajos, t(1));
                        store.record_evento(RecordEvento { idempotencia, ..command }).await
                    }
                };
                let tomados = tomar_ids(&store, proceso(), t(1)).await;
                (id, hecho.expect("done or replayed"), tomados)
            });
        }
        let hechos = tareas.join_all().await;
        let ganadores: Vec<TrabajoId> =
            hechos.iter().filter(|(_, h, _)| *h == Hecho::Ahora).map(|(id, ..)| *id).collect();
        assert_eq!(ganadores.len(), 1, "{mandato:?}");
        let en_curso = Hecho::EnCurso { outcome: outcome("de momento"), trabajos: ganadores.clone() };
        assert_eq!(hechos.iter().filter(|(_, h, _)| *h == en_curso).count(), 15, "{mandato:?}");
        let tomados: Vec<TrabajoId> = hechos.into_iter().flat_map(|(.., tomados)| tomados).collect();
        assert_eq!(tomados, ganadores, "{mandato:?}");
        assert_eq!(todos_los_trabajos(&store).await.len(), antes + 1, "{mandato:?}");
    }
}

async fn todos_los_trabajos(store: &Arc<dyn Store>) -> Vec<Trabajo> {
    store.list_trabajos(FiltroTrabajos::default(), None, 1000).await.expect("a list")
}
