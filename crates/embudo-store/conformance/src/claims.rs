//! Claims and leases: a due job is worked on by one process, and by another once the first is gone.
//!
//! In which order one claim answers jobs of different kinds, and which of two that are due at the same moment comes
//! first, is left open.

use std::sync::Arc;

use embudo_domain::TrabajoId;
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo};
use tokio::task::JoinSet;

use super::data::outbox::{
    CORTO, LARGO, cupo, de, de_todo, estado, fin, hacer, lead_con_avisos, leer, proceso, que_venzan,
    terminar, tomar, tomar_cuando_venza, tomar_ids, trabajo,
};
use super::data::{micros, otro_lead, t, un_lead};
use embudo_store::Store;
use embudo_store::cola::{Arriendo, Cupo, JobCount, NuevoTrabajo, Resultado};

/// A job is due from its moment on, by the clock of whoever asks, and taken once.
pub async fn a_job_is_taken_when_due(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    assert_eq!(tomar(&store, quien, t(99)).await, vec![]);
    let id = hacer(&store, lead, trabajo(TipoTrabajo::Perfil), t(10)).await;
    let antes = leer(&store, id).await;
    let casi = micros(t(10).as_microsecond() - 1);
    assert_eq!(tomar(&store, quien, casi).await, vec![]);
    assert_eq!(tomar(&store, quien, t(10)).await, vec![antes.clone()]);
    assert_eq!(leer(&store, id).await, antes, "a claim is no attempt");
    for otro in [quien, proceso()] {
        assert_eq!(tomar(&store, otro, t(99)).await, vec![], "also for its holder it is taken");
    }
}

/// Of each kind the jobs that have waited longest are taken, at most so many, in that order.
pub async fn the_longest_due_are_taken_first(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut esperados = Vec::new();
    for n in [7, 3, 9, 1, 5] {
        let id = hacer(&store, lead, trabajo(TipoTrabajo::Mensajeria), t(n)).await;
        esperados.push((n, id));
    }
    let perfil = hacer(&store, lead, trabajo(TipoTrabajo::Perfil), t(8)).await;
    esperados.sort();
    let ids: Vec<TrabajoId> = esperados.into_iter().map(|(_, id)| id).collect();
    let arriendo = Arriendo { quien: proceso(), dura: LARGO };
    let tomar = async |cupos, n| -> Vec<TrabajoId> {
        store.claim(cupos, arriendo, t(n)).await.expect("claimed").into_iter().map(|t| t.id).collect()
    };
    assert_eq!(tomar(vec![], 99).await, vec![]);
    assert_eq!(tomar(cupo(TipoTrabajo::Mensajeria, 0), 99).await, vec![]);
    assert_eq!(tomar(cupo(TipoTrabajo::Mensajeria, 2), 99).await, ids[..2]);
    let dos = [cupo(TipoTrabajo::Mensajeria, 2), cupo(TipoTrabajo::Perfil, 1)].concat();
    let mut tomados = tomar(dos, 8).await;
    tomados.retain(|id| *id != perfil);
    assert_eq!(tomados, ids[2..4], "the fifth is not due at 8");
    assert_eq!(tomar(de_todo(), 99).await, ids[4..]);
}

/// Each kind has its own share, and only the kinds asked for are taken.
pub async fn each_kind_has_its_share(store: Arc<dyn Store>) {
    let lead = lead_con_avisos(&store).await;
    for n in 0..3 {
        for tipo in [TipoTrabajo::Mensajeria, TipoTrabajo::CorreoEmpresa] {
            hacer(&store, lead, trabajo(tipo), t(n)).await;
        }
    }
    hacer(&store, lead, trabajo(TipoTrabajo::Pdf), t(0)).await;
    let cupos = [
        cupo(TipoTrabajo::Mensajeria, 2),
        cupo(TipoTrabajo::CorreoEmpresa, 9),
        cupo(TipoTrabajo::CorreoCliente, 9),
    ];
    let arriendo = Arriendo { quien: proceso(), dura: LARGO };
    let mut tipos: Vec<TipoTrabajo> =
        store.claim(cupos.concat(), arriendo, t(9)).await.expect("claimed").iter().map(|t| t.tipo).collect();
    tipos.sort();
    let (m, c) = (TipoTrabajo::Mensajeria, TipoTrabajo::CorreoEmpresa);
    assert_eq!(tipos, [m, m, c, c, c]);
}

/// Whoever knows a receiver to be down takes only jobs that were never tried.
pub async fn first_attempts_can_be_taken_alone(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    let probado = hacer(&store, lead, de(TipoTrabajo::Mensajeria, quien, LARGO), t(1)).await;
    terminar(&store, fin(probado, quien, Resultado::Reintentar(t(2)), t(2))).await;
    let virgen = hacer(&store, lead, trabajo(TipoTrabajo::Mensajeria), t(3)).await;
    let arriendo = Arriendo { quien, dura: LARGO };
    let primeros = vec![Cupo { tipo: TipoTrabajo::Mensajeria, cuantos: 9, solo_primeros: true }];
    let tomados = store.claim(primeros.clone(), arriendo, t(9)).await.expect("claimed");
    assert_eq!(tomados.iter().map(|t| t.id).collect::<Vec<_>>(), [virgen]);
    assert_eq!(store.claim(primeros, arriendo, t(9)).await.expect("claimed"), vec![]);
    assert_eq!(tomar_ids(&store, quien, t(9)).await, [probado]);
}

/// A job made under a lease is its process's from the start; nobody takes it while the lease lives.
pub async fn a_lease_from_the_start_is_respected(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    let id = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(1)).await;
    for otro in [quien, proceso()] {
        assert_eq!(tomar(&store, otro, t(9)).await, vec![]);
    }
    assert!(store.finish(fin(id, quien, Resultado::Hecho, t(2))).await.expect("ended"));
}

/// A lease that ran out frees the job, whether it came with the job or with a claim; its old holder is not heard any more.
pub async fn a_lease_that_ran_out_frees_the_job(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let (uno, dos, tres) = (proceso(), proceso(), proceso());
    let id = hacer(&store, lead, de(TipoTrabajo::Perfil, uno, CORTO), t(1)).await;
    tomar_cuando_venza(&store, id, Arriendo { quien: dos, dura: CORTO }, t(1)).await;
    tomar_cuando_venza(&store, id, Arriendo { quien: tres, dura: LARGO }, t(1)).await;
    for viejo in [uno, dos] {
        assert!(!store.finish(fin(id, viejo, Resultado::Hecho, t(2))).await.expect("answered"));
        assert!(!store.begin_send(id, viejo).await.expect("answered"));
        let largo = Arriendo { quien: viejo, dura: LARGO };
        assert_eq!(store.renew(vec![id], largo).await.expect("answered"), vec![]);
        assert_eq!(store.release(viejo).await.expect("answered"), 0);
    }
    let (leido, entregas) = store.trabajo(id).await.expect("it exists");
    assert_eq!((leido.estado, leido.intentos, entregas), (EstadoTrabajo::Pendiente, 0, vec![]));
    assert!(store.finish(fin(id, tres, Resultado::Hecho, t(2))).await.expect("ended"));
}

/// Processes that claim at once never take the same job, and together take all.
pub async fn claimers_at_once_take_disjoint_sets(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let otra = otro_lead(&store).await;
    let mut todos = Vec::new();
    for n in 0..60 {
        let de_quien = if n % 2 == 0 { lead } else { otra };
        todos.push(hacer(&store, de_quien, trabajo(TipoTrabajo::Mensajeria), t(n % 4)).await);
    }
    let mut tareas = JoinSet::new();
    for _ in 0..8 {
        let (store, quien) = (Arc::clone(&store), proceso());
        tareas.spawn(async move {
            let mut suyos = Vec::new();
            let arriendo = Arriendo { quien, dura: LARGO };
            // A claim may find everything locked by its neighbours and come back empty once.
            let mut vacios = 0;
            while vacios < 3 {
                let cupos = cupo(TipoTrabajo::Mensajeria, 3);
                let tomados = store.claim(cupos, arriendo, t(9)).await.expect("claimed");
                assert!(tomados.len() <= 3);
                vacios = if tomados.is_empty() { vacios + 1 } else { 0 };
                suyos.extend(tomados.into_iter().map(|t| t.id));
            }
            assert_eq!(store.renew(suyos.clone(), arriendo).await.expect("renewed").len(), suyos.len());
            suyos
        });
    }
    let mut tomados = tareas.join_all().await.concat();
    tomados.extend(tomar_ids(&store, proceso(), t(9)).await);
    tomados.sort();
    todos.sort();
    assert_eq!(tomados, todos);
}

/// Only what a process holds is prolonged, and a prolonged lease lives on.
pub async fn only_what_is_held_is_renewed(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let (yo, otro) = (proceso(), proceso());
    let mio = hacer(&store, lead, de(TipoTrabajo::Mensajeria, yo, LARGO), t(1)).await;
    let suyo = hacer(&store, lead, de(TipoTrabajo::Mensajeria, otro, LARGO), t(1)).await;
    let de_nadie = hacer(&store, lead, trabajo(TipoTrabajo::Mensajeria), t(1)).await;
    let acabado = hacer(&store, lead, de(TipoTrabajo::Mensajeria, yo, LARGO), t(1)).await;
    terminar(&store, fin(acabado, yo, Resultado::Hecho, t(2))).await;
    let devuelto = hacer(&store, lead, de(TipoTrabajo::Mensajeria, yo, LARGO), t(1)).await;
    terminar(&store, fin(devuelto, yo, Resultado::Reintentar(t(50)), t(2))).await;
    let ids = vec![mio, suyo, de_nadie, acabado, devuelto, TrabajoId(uuid::Uuid::new_v4())];
    let renovados = store.renew(ids, Arriendo { quien: yo, dura: LARGO }).await.expect("renewed");
    assert_eq!(renovados, [mio]);
    assert_eq!(store.renew(vec![], Arriendo { quien: yo, dura: LARGO }).await.expect("renewed"), vec![]);
    // Nobody but the free one is up for taking.
    assert_eq!(tomar_ids(&store, proceso(), t(2)).await, [de_nadie]);
    // A lease can be cut short, too; then it runs out.
    let corto = Arriendo { quien: yo, dura: CORTO };
    assert_eq!(store.renew(vec![mio], corto).await.expect("renewed"), [mio]);
    tomar_cuando_venza(&store, mio, Arriendo { quien: otro, dura: LARGO }, t(2)).await;
}

/// A process gives back all it holds and nothing else; no attempt is counted.
pub async fn a_release_gives_back_what_is_held(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let (yo, otro) = (proceso(), proceso());
    assert_eq!(store.release(yo).await.expect("released"), 0);
    let mut mios = Vec::new();
    for n in 0..3 {
        mios.push(hacer(&store, lead, de(TipoTrabajo::Mensajeria, yo, LARGO), t(n)).await);
    }
    hacer(&store, lead, de(TipoTrabajo::Mensajeria, otro, LARGO), t(1)).await;
    let acabado = hacer(&store, lead, de(TipoTrabajo::Mensajeria, yo, LARGO), t(1)).await;
    terminar(&store, fin(acabado, yo, Resultado::Hecho, t(1))).await;
    assert_eq!(store.release(yo).await.expect("released"), 3);
    assert_eq!(store.release(yo).await.expect("released"), 0);
    assert!(!store.finish(fin(mios[0], yo, Resultado::Hecho, t(2))).await.expect("answered"));
    assert!(!store.begin_send(mios[0], yo).await.expect("answered"));
    mios.sort();
    let tercero = proceso();
    assert_eq!(tomar_ids(&store, tercero, t(9)).await, mios);
    assert_eq!(leer(&store, mios[0]).await.intentos, 0);
}

/// A mail that was about to be handed over is in doubt for whoever takes it next, however its process went.
pub async fn a_doubt_survives_its_process(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let (yo, otro) = (proceso(), proceso());
    let cerrado = hacer(&store, lead, de(TipoTrabajo::CorreoCliente, yo, LARGO), t(1)).await;
    assert!(!store.begin_send(cerrado, otro).await.expect("answered"));
    assert!(!leer(&store, cerrado).await.en_duda);
    for _ in 0..2 {
        assert!(store.begin_send(cerrado, yo).await.expect("noted"));
        assert!(leer(&store, cerrado).await.en_duda);
    }
    assert_eq!(store.release(yo).await.expect("released"), 1);
    let tomados = tomar(&store, otro, t(1)).await;
    assert_eq!(tomados.iter().map(|t| (t.id, t.en_duda)).collect::<Vec<_>>(), [(cerrado, true)]);

    let muerto = hacer(&store, lead, de(TipoTrabajo::CorreoCliente, yo, LARGO), t(2)).await;
    assert!(store.begin_send(muerto, yo).await.expect("noted"));
    let corto = Arriendo { quien: yo, dura: CORTO };
    assert_eq!(store.renew(vec![muerto], corto).await.expect("renewed"), [muerto]);
    let largo = Arriendo { quien: otro, dura: LARGO };
    assert!(tomar_cuando_venza(&store, muerto, largo, t(2)).await.en_duda);
    assert!(!store.begin_send(TrabajoId(uuid::Uuid::new_v4()), yo).await.expect("answered"));
}

/// The next moment is that of the pending job due soonest, or else the end of a lease.
pub async fn the_next_moment_is_known(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    let proximo = async || store.next_due(TipoTrabajo::TODOS.into()).await.expect("answered");
    assert_eq!(proximo().await, None);
    let tarde = hacer(&store, lead, trabajo(TipoTrabajo::Mensajeria), t(-500)).await;
    assert_eq!(proximo().await, Some(t(-500)));
    let pronto = hacer(&store, lead, trabajo(TipoTrabajo::Pdf), t(-900)).await;
    assert_eq!(proximo().await, Some(t(-900)));
    let arriendo = Arriendo { quien, dura: LARGO };
    store.claim(cupo(TipoTrabajo::Pdf, 1), arriendo, t(0)).await.expect("claimed");
    let con_arriendo = proximo().await.expect("something waits");
    assert_ne!(con_arriendo, t(-900), "what someone holds is not due before its lease ends");
    terminar(&store, fin(pronto, quien, Resultado::Hecho, t(0))).await;
    assert_eq!(proximo().await, Some(t(-500)));
    store.claim(cupo(TipoTrabajo::Mensajeria, 1), arriendo, t(0)).await.expect("claimed");
    assert!(proximo().await.is_some(), "a lease may run out");
    terminar(&store, fin(tarde, quien, Resultado::Reintentar(t(700)), t(0))).await;
    assert_eq!(proximo().await, Some(t(700)));
    let otras = vec![TipoTrabajo::Perfil, TipoTrabajo::Pdf];
    assert_eq!(store.next_due(otras).await.expect("answered"), None, "it is of another kind");
    store.discard(tarde, t(1)).await.expect("discarded");
    assert_eq!(proximo().await, None);
}

/// A kind that is not asked for wakes nobody, not even when its lease has run out.
pub async fn what_is_held_back_wakes_nobody(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    hacer(&store, lead, de(TipoTrabajo::Perfil, proceso(), CORTO), t(-500)).await;
    que_venzan(&store, lead).await;
    let proximo = async |tipo| store.next_due(vec![tipo]).await.expect("answered");
    assert_eq!(proximo(TipoTrabajo::Perfil).await, Some(t(-500)));
    assert_eq!(proximo(TipoTrabajo::Pdf).await, None);
}

/// What waits, is dead or is parked is counted by kind, and what ended otherwise is not.
pub async fn jobs_are_counted_by_kind_and_state(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    assert_eq!(store.count_trabajos().await.expect("counted"), vec![]);
    for (tipo, resultado) in [
        (TipoTrabajo::Mensajeria, Some(Resultado::Muerto)),
        (TipoTrabajo::Mensajeria, Some(Resultado::Muerto)),
        (TipoTrabajo::Mensajeria, None),
        (TipoTrabajo::Mensajeria, Some(Resultado::Reintentar(t(9)))),
        (TipoTrabajo::Mensajeria, Some(Resultado::Hecho)),
        (TipoTrabajo::CorreoCliente, Some(Resultado::Aparcado)),
    ] {
        let id = hacer(&store, lead, de(tipo, quien, LARGO), t(1)).await;
        if let Some(resultado) = resultado {
            terminar(&store, fin(id, quien, resultado, t(2))).await;
        }
    }
    let descartado = hacer(&store, lead, trabajo(TipoTrabajo::Mensajeria), t(1)).await;
    store.discard(descartado, t(2)).await.expect("discarded");
    let mut counts = store.count_trabajos().await.expect("counted");
    counts.sort();
    let count = |tipo, estado, count| JobCount { tipo, estado, count };
    let mut esperado = vec![
        count(TipoTrabajo::Mensajeria, EstadoTrabajo::Pendiente, 2),
        count(TipoTrabajo::Mensajeria, EstadoTrabajo::Muerto, 2),
        count(TipoTrabajo::CorreoCliente, EstadoTrabajo::Aparcado, 1),
    ];
    esperado.sort();
    assert_eq!(counts, esperado);
}

/// A job made for later waits until then; a newer one of its kind and lead that is due at once takes its place.
pub async fn a_job_for_later_waits(store: Arc<dyn Store>) {
    let lead = lead_con_avisos(&store).await;
    let quien = proceso();
    let luego =
        |segundo| NuevoTrabajo { proximo_en: Some(t(segundo)), ..trabajo(TipoTrabajo::AvisoFormulario) };
    let primero = hacer(&store, lead, luego(60), t(1)).await;
    assert_eq!(
        (leer(&store, primero).await.proximo_en, leer(&store, primero).await.creado_en),
        (t(60), t(1))
    );
    assert_eq!(store.next_due(vec![TipoTrabajo::AvisoFormulario]).await.expect("known"), Some(t(60)));
    assert_eq!(tomar_ids(&store, quien, t(59)).await, []);
    let completo = hacer(&store, lead, trabajo(TipoTrabajo::AvisoFormulario), t(30)).await;
    assert_eq!(estado(&store, primero).await, EstadoTrabajo::Sustituido);
    assert_eq!(tomar_ids(&store, quien, t(90)).await, [completo]);
    let segundo = hacer(&store, lead, luego(100), t(95)).await;
    assert_eq!(tomar_ids(&store, quien, t(100)).await, [segundo]);
}
