//! What a person sees and does of the outbox: lists, another try, an end, and the purge.

use std::sync::Arc;

use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_domain::{LeadId, ProcesoId, TrabajoId};
use uuid::Uuid;

use super::data::outbox::{
    LARGO, de, estado, fin, hacer, leer, proceso, suyos, terminar, tomar_ids, trabajo,
};
use super::data::{micros, otro_lead, t, un_lead};
use embudo_store::Store;
use embudo_store::cola::{Arriendo, FiltroTrabajos, NuevoTrabajo, Resultado};

fn desconocido() -> TrabajoId {
    TrabajoId(Uuid::new_v4())
}

/// A job that ended in this state at `t(2)`.
async fn acabado(store: &Arc<dyn Store>, lead: LeadId, en: EstadoTrabajo, quien: ProcesoId) -> TrabajoId {
    let id = hacer(store, lead, de(TipoTrabajo::CorreoCliente, quien, LARGO), t(1)).await;
    assert!(store.begin_send(id, quien).await.expect("noted"));
    let resultado = match en {
        EstadoTrabajo::Hecho => Resultado::Hecho,
        EstadoTrabajo::Muerto => Resultado::Muerto,
        EstadoTrabajo::Aparcado => Resultado::Aparcado,
        EstadoTrabajo::Sustituido => {
            hacer(
                store,
                lead,
                trabajo(TipoTrabajo::CorreoCliente),
                t(1) + jiff::SignedDuration::from_millis(1),
            )
            .await;
            Resultado::Reintentar(t(9))
        }
        EstadoTrabajo::Descartado => {
            store.discard(id, t(2)).await.expect("discarded");
            return id;
        }
        EstadoTrabajo::Pendiente => Resultado::Reintentar(t(9)),
    };
    terminar(store, fin(id, quien, resultado, t(2))).await;
    assert_eq!(estado(store, id).await, en);
    id
}

const FALLIDOS: [EstadoTrabajo; 4] =
    [EstadoTrabajo::Muerto, EstadoTrabajo::Aparcado, EstadoTrabajo::Sustituido, EstadoTrabajo::Descartado];

/// Several jobs come in the order asked, unknown ones left out.
pub async fn several_come_in_the_order_asked(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut ids = Vec::new();
    for n in 0..4 {
        ids.push(hacer(&store, lead, trabajo(TipoTrabajo::Mensajeria), t(n)).await);
    }
    let pedidos = vec![ids[2], desconocido(), ids[0], ids[3]];
    let leidos = store.trabajos(pedidos).await.expect("read");
    assert_eq!(leidos.iter().map(|t| t.id).collect::<Vec<_>>(), [ids[2], ids[0], ids[3]]);
    assert_eq!(leidos[0], leer(&store, ids[2]).await);
    assert_eq!(store.trabajos(vec![]).await.expect("read"), vec![]);
    assert_fails!(store.trabajo(desconocido()).await, TrabajoNotFound);
}

/// Pages cover every job once, newest first, also where many were made at the same moment; each filter holds.
pub async fn lists_cover_everything_once(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let otra = otro_lead(&store).await;
    let quien = proceso();
    for n in 0..24_i64 {
        let tipo = if n % 2 == 0 { TipoTrabajo::Mensajeria } else { TipoTrabajo::Pdf };
        let de_quien = if n % 3 == 0 { otra } else { lead };
        let id = hacer(&store, de_quien, de(tipo, quien, LARGO), t(n / 8)).await;
        if n % 4 == 0 {
            terminar(&store, fin(id, quien, Resultado::Muerto, t(9))).await;
        }
    }
    let mut todos = store.list_trabajos(FiltroTrabajos::default(), None, 1000).await.expect("a list");
    assert_eq!(todos.len(), 24);
    assert!(todos.is_sorted_by(|a, b| (a.creado_en, a.id) > (b.creado_en, b.id)));
    assert_eq!(store.list_trabajos(FiltroTrabajos::default(), None, 0).await.expect("a list"), vec![]);
    let estado = Some(EstadoTrabajo::Muerto);
    let tipo = Some(TipoTrabajo::Mensajeria);
    for (filtro, cuantos) in [
        (FiltroTrabajos::default(), 24),
        (FiltroTrabajos { estado, ..Default::default() }, 6),
        (FiltroTrabajos { tipo, ..Default::default() }, 12),
        (FiltroTrabajos { lead: Some(otra), ..Default::default() }, 8),
        (FiltroTrabajos { estado, tipo, lead: Some(otra) }, 2),
        (FiltroTrabajos { estado: Some(EstadoTrabajo::Hecho), ..Default::default() }, 0),
    ] {
        let cumple = |t: &Trabajo| {
            filtro.estado.is_none_or(|e| t.estado == e)
                && filtro.tipo.is_none_or(|tipo| t.tipo == tipo)
                && filtro.lead.is_none_or(|l| t.lead == l)
        };
        let esperados: Vec<Trabajo> = todos.iter().filter(|t| cumple(t)).cloned().collect();
        assert_eq!(esperados.len(), cuantos, "{filtro:?}");
        for limit in [1, 5, 24] {
            let (mut leidos, mut cursor) = (Vec::<Trabajo>::new(), None);
            loop {
                let pagina = store.list_trabajos(filtro.clone(), cursor, limit).await.expect("a page");
                assert!(pagina.len() <= limit as usize);
                let Some(ultimo) = pagina.last() else { break };
                cursor = Some((ultimo.creado_en, ultimo.id));
                leidos.extend(pagina);
            }
            assert_eq!(leidos, esperados, "{filtro:?} by {limit}");
        }
    }
    todos.reverse();
    assert_eq!(store.trabajos(todos.iter().map(|t| t.id).collect()).await.expect("read"), todos);
}

/// What ended otherwise than done can be tried again from the start, its log kept; what is done cannot.
pub async fn what_failed_can_be_tried_again(store: Arc<dyn Store>) {
    un_lead(&store).await;
    let quien = proceso();
    assert_fails!(store.retry(desconocido(), t(3)).await, TrabajoNotFound);
    for acaba in FALLIDOS {
        let lead = otro_lead(&store).await;
        let id = acabado(&store, lead, acaba, quien).await;
        let (antes, entregas) = store.trabajo(id).await.expect("it exists");
        store.retry(id, t(20)).await.expect("again");
        let (leido, despues) = store.trabajo(id).await.expect("it exists");
        assert_eq!((leido.estado, leido.proximo_en), (EstadoTrabajo::Pendiente, t(20)), "{acaba}");
        assert_eq!((leido.intentos, leido.en_duda, leido.terminado_en), (0, false, None), "{acaba}");
        assert_eq!((leido.carga, leido.creado_en, despues), (antes.carga, antes.creado_en, entregas));
        assert!(!tomar_ids(&store, quien, t(19)).await.contains(&id), "{acaba}");
        assert!(tomar_ids(&store, quien, t(20)).await.contains(&id), "{acaba}");
    }
    let lead = otro_lead(&store).await;
    let hecho = acabado(&store, lead, EstadoTrabajo::Hecho, quien).await;
    let antes = leer(&store, hecho).await;
    assert_fails!(store.retry(hecho, t(3)).await, TrabajoTerminado);
    assert_eq!(leer(&store, hecho).await, antes);
}

/// One that waits becomes due now; one that someone works on stays that process's.
pub async fn what_waits_can_be_hurried(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    let espera = hacer(&store, lead, de(TipoTrabajo::Mensajeria, quien, LARGO), t(1)).await;
    terminar(&store, fin(espera, quien, Resultado::Reintentar(t(1000)), t(2))).await;
    let tomado = hacer(&store, lead, de(TipoTrabajo::Mensajeria, quien, LARGO), t(1)).await;
    store.retry(espera, t(5)).await.expect("hurried");
    store.retry(tomado, t(5)).await.expect("hurried");
    assert_eq!(leer(&store, espera).await.proximo_en, t(5));
    assert_eq!(tomar_ids(&store, proceso(), t(5)).await, [espera]);
    assert!(store.finish(fin(tomado, quien, Resultado::Hecho, t(6))).await.expect("ended"));
}

/// Every job but one that is done can be ended by a person, for good.
pub async fn a_person_can_end_a_job(store: Arc<dyn Store>) {
    un_lead(&store).await;
    let quien = proceso();
    assert_fails!(store.discard(desconocido(), t(3)).await, TrabajoNotFound);
    for acaba in FALLIDOS.into_iter().chain([EstadoTrabajo::Pendiente]) {
        let lead = otro_lead(&store).await;
        let id = acabado(&store, lead, acaba, quien).await;
        store.discard(id, t(8)).await.expect("discarded");
        let leido = leer(&store, id).await;
        assert_eq!(leido.estado, EstadoTrabajo::Descartado, "{acaba}");
        assert!(leido.terminado_en.is_some(), "{acaba}");
        if acaba == EstadoTrabajo::Pendiente {
            assert_eq!(leido.terminado_en, Some(t(8)));
        }
        assert!(!tomar_ids(&store, quien, t(99)).await.contains(&id), "{acaba}");
    }
    let lead = otro_lead(&store).await;
    let hecho = acabado(&store, lead, EstadoTrabajo::Hecho, quien).await;
    assert_fails!(store.discard(hecho, t(8)).await, TrabajoTerminado);
    assert_eq!(estado(&store, hecho).await, EstadoTrabajo::Hecho);
}

/// A job that a person ends while a process works on it stays ended, whatever that process says later.
pub async fn an_ended_job_is_taken_from_its_process(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    let id = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(1)).await;
    store.discard(id, t(2)).await.expect("discarded");
    let antes = leer(&store, id).await;
    assert_eq!(store.renew(vec![id], Arriendo { quien, dura: LARGO }).await.expect("renewed"), vec![]);
    assert!(!store.begin_send(id, quien).await.expect("answered"));
    assert!(!store.finish(fin(id, quien, Resultado::Reintentar(t(9)), t(3))).await.expect("answered"));
    assert_eq!(leer(&store, id).await, antes);
    store.retry(id, t(4)).await.expect("again");
    assert_eq!(tomar_ids(&store, proceso(), t(4)).await, [id], "its old lease is over");
}

/// The purge deletes jobs that ended before a moment, at most so many, with their logs, and never one that waits.
pub async fn the_purge_deletes_what_ended_long_ago(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    let corte = micros(t(2).as_microsecond() + 1);
    let mut viejos = Vec::new();
    for acaba in FALLIDOS.into_iter().chain([EstadoTrabajo::Hecho]) {
        viejos.push(acabado(&store, otro_lead(&store).await, acaba, quien).await);
    }
    let pendiente = acabado(&store, otro_lead(&store).await, EstadoTrabajo::Pendiente, quien).await;
    let joven = hacer(&store, lead, de(TipoTrabajo::Pdf, quien, LARGO), t(1)).await;
    terminar(&store, fin(joven, quien, Resultado::Hecho, corte)).await;
    for (antes, max, cuantos) in
        [(t(2), 100, 0), (corte, 0, 0), (corte, 2, 2), (corte, 100, 3), (corte, 9, 0)]
    {
        assert_eq!(store.purge_trabajos(antes, max).await.expect("purged"), cuantos);
    }
    for id in &viejos {
        assert_fails!(store.trabajo(*id).await, TrabajoNotFound);
        assert_fails!(store.retry(*id, t(9)).await, TrabajoNotFound);
    }
    for id in [pendiente, joven] {
        assert_eq!(store.trabajo(id).await.expect("it stays").1.len(), 1);
    }
    // A job that bears a purged one's id has no log of it.
    let otra_vez = NuevoTrabajo { id: viejos[0], ..trabajo(TipoTrabajo::Mensajeria) };
    hacer(&store, lead, otra_vez, t(9)).await;
    assert_eq!(store.trabajo(viejos[0]).await.expect("made again").1, vec![]);
    assert_eq!(suyos(&store, lead).await.len(), 2);
}
