//! Jobs made and attempts ended by many at once: an engine may write them together, and each is as if it were alone.

use std::collections::HashMap;
use std::sync::Arc;

use embudo_domain::bucle::{PasoBucle, Plazos};
use embudo_domain::evento::TipoEvento;
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo};
use embudo_domain::{LeadId, TrabajoId};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::outbox::{
    LARGO, bucle, de, estado, fin, hacer, lead_con_avisos, leer, proceso, solo_trabajos, suyos, terminar,
    trabajo,
};
use super::data::{evento, ficha, ingesta, nota, otro_lead, t, un_lead};
use embudo_store::cola::{FinIntento, Resultado};
use embudo_store::command::Ingest;
use embudo_store::{Hecho, Store, StoreError};

const MUCHOS: usize = 48;

/// Every outcome, a stranger's job and an unknown one among them: each ends as it would alone.
pub async fn ends_at_once_are_each_written_down(store: Arc<dyn Store>) {
    lead_con_avisos(&store).await;
    let (yo, otro) = (proceso(), proceso());
    let mut esperados = HashMap::new();
    let mut fines = Vec::new();
    for n in 0..MUCHOS {
        let lead = otro_lead(&store).await;
        let id = hacer(&store, lead, de(TipoTrabajo::Perfil, yo, LARGO), t(1)).await;
        let con = |resultado| FinIntento {
            evento: Some(evento(TipoEvento::PerfilCompleto, t(2))),
            ..fin(id, yo, resultado, t(2))
        };
        let (fin, acaba, oido) = match n % 8 {
            0 => (con(Resultado::Reintentar(t(60))), EstadoTrabajo::Pendiente, true),
            1 => (con(Resultado::Muerto), EstadoTrabajo::Muerto, true),
            2 => (con(Resultado::Aparcado), EstadoTrabajo::Aparcado, true),
            3 => {
                let trabajos = vec![trabajo(TipoTrabajo::CorreoEmpresa)];
                (FinIntento { trabajos, ..con(Resultado::Muerto) }, EstadoTrabajo::Muerto, true)
            }
            4 => {
                hacer(&store, lead, de(TipoTrabajo::Perfil, otro, LARGO), t(2)).await;
                (con(Resultado::Reintentar(t(60))), EstadoTrabajo::Sustituido, true)
            }
            5 => (FinIntento { quien: otro, ..con(Resultado::Hecho) }, EstadoTrabajo::Pendiente, false),
            6 => {
                let nadie = TrabajoId(Uuid::new_v4());
                (FinIntento { id: nadie, ..con(Resultado::Hecho) }, EstadoTrabajo::Pendiente, false)
            }
            _ => {
                let bucle = Some(Plazos::default());
                (FinIntento { bucle, ..con(Resultado::Hecho) }, EstadoTrabajo::Hecho, true)
            }
        };
        esperados.insert(id, (lead, n % 8, acaba, oido));
        fines.push((id, fin));
    }
    let mut tareas = JoinSet::new();
    for (id, fin) in fines {
        let store = Arc::clone(&store);
        tareas.spawn(async move { (id, store.finish(fin).await.expect("answered")) });
    }
    for (id, oido) in tareas.join_all().await {
        let (lead, n, acaba, esperado) = esperados[&id];
        assert_eq!(oido, esperado, "{n}");
        let (leido, entregas) = store.trabajo(id).await.expect("it exists");
        let veces = usize::from(esperado);
        assert_eq!((leido.estado, leido.intentos as usize, entregas.len()), (acaba, veces, veces), "{n}");
        assert_eq!(ficha(&store, lead).await.eventos.len(), veces, "{n}");
        assert_eq!(suyos(&store, lead).await.len(), 1 + usize::from(n == 3 || n == 4), "{n}");
        let paso = bucle(&store, lead).await.map(|b| (b.paso, b.desde));
        assert_eq!(paso, (n == 7).then_some((PasoBucle::EsperandoRenders, t(2))), "{n}");
    }
}

/// Two accepted signals of one lead, ended at once: both are in the log and in the history, and the lead waits once.
pub async fn two_ends_of_one_lead_at_once(store: Arc<dyn Store>) {
    un_lead(&store).await;
    let quien = proceso();
    for _ in 0..12 {
        let lead = otro_lead(&store).await;
        let mut tareas = JoinSet::new();
        for n in [1, 2, 3] {
            let id = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(n)).await;
            let store = Arc::clone(&store);
            tareas.spawn(async move {
                let evento = Some(evento(TipoEvento::PerfilCompleto, t(10 + n)));
                let bucle = Some(Plazos::default());
                terminar(&store, FinIntento { evento, bucle, ..fin(id, quien, Resultado::Hecho, t(10 + n)) })
                    .await;
            });
        }
        tareas.join_all().await;
        assert!(
            suyos(&store, lead).await.iter().all(|j| j.estado == EstadoTrabajo::Hecho && j.intentos == 1)
        );
        assert_eq!(ficha(&store, lead).await.eventos.len(), 3);
        let bucle = bucle(&store, lead).await.expect("it waits");
        assert_eq!(bucle.paso, PasoBucle::EsperandoRenders);
        assert!([t(11), t(12), t(13)].contains(&bucle.desde), "{bucle:?}");
    }
}

/// What came in before an end is seen by it, also when many end at once: renders move the lead on, `finalizar` takes it out.
pub async fn ends_at_once_see_what_came_in(store: Arc<dyn Store>) {
    un_lead(&store).await;
    let quien = proceso();
    let mut tareas = JoinSet::new();
    for n in 0..MUCHOS {
        let lead = otro_lead(&store).await;
        let id = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(1)).await;
        let mut vuelta = ingesta(lead, Vec::new(), t(2));
        match n % 3 {
            0 => {}
            1 => {
                let foto = super::data::foto();
                vuelta.fotos = vec![embudo_store::command::FotoNueva {
                    momento: embudo_domain::ingesta::Momento::Despues,
                    ..foto
                }];
            }
            _ => {
                vuelta.finalizar = true;
                vuelta.eventos = vec![evento(TipoEvento::Finalizar, t(2))];
            }
        }
        let store = Arc::clone(&store);
        tareas.spawn(async move {
            store.ingest(vuelta).await.expect("saved");
            let bucle = Some(Plazos::default());
            terminar(&store, FinIntento { bucle, ..fin(id, quien, Resultado::Hecho, t(3)) }).await;
            (n, lead)
        });
    }
    for (n, lead) in tareas.join_all().await {
        let paso = bucle(&store, lead).await.map(|b| b.paso);
        let esperado = [Some(PasoBucle::EsperandoRenders), Some(PasoBucle::EsperandoFinalizar), None][n % 3];
        assert_eq!(paso, esperado, "{n}");
    }
}

/// Calls that send something out, at once: each makes its own job with its own note in it, and one for an unknown lead fails alone.
pub async fn calls_at_once_make_each_their_job(store: Arc<dyn Store>) {
    lead_con_avisos(&store).await;
    let quien = proceso();
    let mut leads = Vec::new();
    for n in 0..MUCHOS {
        leads.push(if n % 12 == 5 { LeadId(Uuid::new_v4()) } else { otro_lead(&store).await });
    }
    let mut tareas = JoinSet::new();
    for (n, lead) in leads.into_iter().enumerate() {
        let store = Arc::clone(&store);
        tareas.spawn(async move {
            let propio = de(TipoTrabajo::Perfil, quien, LARGO);
            let (id, aviso) = (propio.id, trabajo(TipoTrabajo::CorreoEmpresa));
            let notas = vec![nota(&format!("nota {n}"), None)];
            let eventos = vec![evento(TipoEvento::PerfilCompleto, t(1))];
            let trabajos = vec![aviso, propio];
            let fin = store.ingest(Ingest { notas, eventos, trabajos, ..ingesta(lead, vec![], t(1)) }).await;
            (n, lead, id, fin)
        });
    }
    for (n, lead, id, fin) in tareas.join_all().await {
        if n % 12 == 5 {
            assert_fails!(fin, LeadNotFound);
            assert!(store.trabajos(vec![id]).await.expect("read").is_empty());
            continue;
        }
        assert_eq!(fin.expect("saved"), Hecho::Ahora);
        let leido = leer(&store, id).await;
        assert!(leido.carga.contains(&format!(r#""nota {n}""#)), "{}", leido.carga);
        assert_eq!((leido.lead, leido.creado_en), (lead, t(1)));
        let guardada = ficha(&store, lead).await;
        assert_eq!((guardada.notas.len(), guardada.eventos.len()), (1, 1));
        assert_eq!(suyos(&store, lead).await.len(), 2, "the signal and the notice");
    }
}

/// Many calls for one lead at once: one signal waits, the others made way for it.
pub async fn calls_at_once_for_one_lead_leave_one_signal(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut tareas = JoinSet::new();
    for n in 0..16 {
        let store = Arc::clone(&store);
        tareas.spawn(async move {
            let nuevo = trabajo(TipoTrabajo::Perfil);
            store.record_evento(solo_trabajos(lead, vec![nuevo], t(n))).await.expect("made");
        });
    }
    tareas.join_all().await;
    let jobs = suyos(&store, lead).await;
    let pendientes = jobs.iter().filter(|j| j.estado == EstadoTrabajo::Pendiente).count();
    assert_eq!((jobs.len(), pendientes), (16, 1));
    assert!(jobs.iter().all(|j| matches!(j.estado, EstadoTrabajo::Pendiente | EstadoTrabajo::Sustituido)));
}

/// What was just made is what stands in the database, asked once or twice.
pub async fn what_was_just_made_is_known(store: Arc<dyn Store>) {
    let lead = lead_con_avisos(&store).await;
    let quien = proceso();
    let mut ids = Vec::new();
    for tipo in TipoTrabajo::TODOS {
        ids.push(hacer(&store, lead, de(tipo, quien, LARGO), t(1)).await);
    }
    let leidos = store.trabajos(ids.clone()).await.expect("read");
    assert_eq!(leidos.len(), ids.len());
    assert_eq!(store.recien_hechos(ids.clone()).await.expect("known"), leidos);
    assert_eq!(store.recien_hechos(ids.clone()).await.expect("read"), leidos);
    // One that is there and one that never was.
    let extrano = TrabajoId(Uuid::new_v4());
    assert_eq!(store.recien_hechos(vec![ids[0], extrano]).await.expect("read"), leidos[..1]);
    terminar(&store, fin(ids[0], quien, Resultado::Hecho, t(2))).await;
    assert_eq!(estado(&store, ids[0]).await, EstadoTrabajo::Hecho);
    // A call that fails leaves nothing behind to be tried.
    let nadie = LeadId(Uuid::new_v4());
    let nuevo = de(TipoTrabajo::Perfil, quien, LARGO);
    let id = nuevo.id;
    match store.record_evento(solo_trabajos(nadie, vec![nuevo], t(1))).await {
        Err(StoreError::LeadNotFound) => {}
        otro => panic!("{otro:?}"),
    }
    assert!(store.recien_hechos(vec![id]).await.expect("read").is_empty());
}
