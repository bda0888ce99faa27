//! The end of an attempt is written down as a whole: the job, its log, the lead's history and what follows.

use std::sync::Arc;

use embudo_domain::TrabajoId;
use embudo_domain::evento::TipoEvento;
use embudo_domain::trabajo::{Entrega, EstadoTrabajo, TipoTrabajo, Trabajo};
use tokio::task::JoinSet;

use super::data::outbox::{
    LARGO, bucle, de, entrega_mal, entrega_ok, fin, hacer, lead_con_avisos, leer, proceso, suyos, terminar,
    tomar, tomar_ids, trabajo,
};
use super::data::{TEXTO_RARO, evento, ficha, instantes_extremos, t, texto_largo, un_lead};
use embudo_store::Store;
use embudo_store::cola::{FinIntento, Resultado};

/// Each outcome leaves the job where it belongs, counted, and held by nobody.
pub async fn each_outcome_leaves_its_state(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    for (resultado, estado) in [
        (Resultado::Hecho, EstadoTrabajo::Hecho),
        (Resultado::Reintentar(t(60)), EstadoTrabajo::Pendiente),
        (Resultado::Muerto, EstadoTrabajo::Muerto),
        (Resultado::Aparcado, EstadoTrabajo::Aparcado),
    ] {
        let id = hacer(&store, lead, de(TipoTrabajo::Mensajeria, quien, LARGO), t(1)).await;
        let antes = leer(&store, id).await;
        terminar(&store, fin(id, quien, resultado, t(3))).await;
        let pendiente = estado == EstadoTrabajo::Pendiente;
        let esperado = Trabajo {
            estado,
            intentos: 1,
            proximo_en: leer(&store, id).await.proximo_en,
            ultimo_error: (resultado != Resultado::Hecho).then(|| "rechazado".to_owned()),
            terminado_en: (!pendiente).then_some(t(3)),
            ..antes
        };
        assert_eq!(leer(&store, id).await, esperado);
        if pendiente {
            assert_eq!(esperado.proximo_en, t(60));
        }
        assert!(!store.finish(fin(id, quien, Resultado::Hecho, t(4))).await.expect("answered"), "freed");
        assert_eq!(leer(&store, id).await, esperado);
    }
    assert_eq!(tomar(&store, quien, t(59)).await, vec![]);
    assert_eq!(tomar(&store, quien, t(60)).await.len(), 1);
}

/// Nobody but its holder ends an attempt, and what was refused leaves nothing behind.
pub async fn only_its_holder_is_heard(store: Arc<dyn Store>) {
    let lead = lead_con_avisos(&store).await;
    let (yo, otro) = (proceso(), proceso());
    let mio = hacer(&store, lead, de(TipoTrabajo::Perfil, yo, LARGO), t(1)).await;
    let de_nadie = hacer(&store, lead, trabajo(TipoTrabajo::Mensajeria), t(1)).await;
    let antes = (ficha(&store, lead).await, suyos(&store, lead).await);
    for (id, quien) in [(mio, otro), (de_nadie, otro), (TrabajoId(uuid::Uuid::new_v4()), yo)] {
        let tardio = FinIntento {
            evento: Some(evento(TipoEvento::PerfilCompleto, t(2))),
            bucle: Some(Default::default()),
            trabajos: vec![trabajo(TipoTrabajo::CorreoEmpresa)],
            ..fin(id, quien, Resultado::Hecho, t(2))
        };
        assert!(!store.finish(tardio).await.expect("answered"));
        assert_eq!((ficha(&store, lead).await, suyos(&store, lead).await), antes);
    }
    assert_eq!(store.trabajo(mio).await.expect("it exists").1, vec![]);
    assert_eq!(bucle(&store, lead).await, None);
}

/// Attempts are counted, and the log keeps their order and every word of them.
pub async fn the_log_keeps_every_attempt(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    let id = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(1)).await;
    let mut entregas = vec![
        Entrega { duracion_ms: 30_001, ..entrega_mal(t(9), TEXTO_RARO) },
        Entrega { status: Some(599), respuesta: Some(String::new()), ..entrega_mal(t(1), "") },
        Entrega { duracion_ms: 1 << 40, respuesta: Some(texto_largo(65_536)), ..entrega_mal(t(1), "x") },
    ];
    entregas.extend(instantes_extremos().into_iter().map(|en| entrega_mal(en, "otra vez")));
    entregas.push(entrega_ok(t(5)));
    let ultima = entregas.len() - 1;
    for (n, entrega) in entregas.iter().enumerate() {
        let resultado = if n == ultima { Resultado::Hecho } else { Resultado::Reintentar(t(1)) };
        terminar(&store, FinIntento { entrega: entrega.clone(), ..fin(id, quien, resultado, t(1)) }).await;
        let leido = leer(&store, id).await;
        let error = entregas[..=n].iter().rfind(|e| !e.ok).and_then(|e| e.error.clone());
        assert_eq!((leido.intentos as usize, leido.ultimo_error), (n + 1, error));
        if n < ultima {
            assert_eq!(tomar_ids(&store, quien, t(1)).await, [id]);
        }
    }
    assert!(store.trabajo(id).await.expect("it exists").1 == entregas);
}

/// The lead's history gets the event of the attempt, the queue the jobs that follow from it.
pub async fn history_and_follow_ups_come_with_it(store: Arc<dyn Store>) {
    let lead = lead_con_avisos(&store).await;
    let quien = proceso();
    let id = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(1)).await;
    let antes = ficha(&store, lead).await.lead;
    let pasado = evento(TipoEvento::PerfilCompleto, t(3));
    let (aviso, inicio) = (trabajo(TipoTrabajo::CorreoEmpresa), de(TipoTrabajo::Mensajeria, quien, LARGO));
    let nuevos = [aviso.id, inicio.id];
    let command = FinIntento {
        evento: Some(pasado.clone()),
        trabajos: vec![aviso, inicio],
        ..fin(id, quien, Resultado::Muerto, t(4))
    };
    terminar(&store, command).await;
    assert_eq!(ficha(&store, lead).await.eventos, vec![pasado]);
    assert_eq!(ficha(&store, lead).await.lead, antes, "no loop was asked for");
    for nuevo in nuevos {
        let leido = leer(&store, nuevo).await;
        assert_eq!((leido.lead, leido.estado), (lead, EstadoTrabajo::Pendiente));
        assert_eq!((leido.creado_en, leido.proximo_en), (t(4), t(4)));
    }
    assert_eq!(tomar_ids(&store, proceso(), t(4)).await, [nuevos[0]], "the other one is leased");
}

/// A company without an address gets no notice that its signal is dead, and the attempt ends all the same.
pub async fn an_unwanted_notice_is_no_obstacle(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    let id = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(1)).await;
    let trabajos = vec![trabajo(TipoTrabajo::CorreoEmpresa)];
    terminar(&store, FinIntento { trabajos, ..fin(id, quien, Resultado::Muerto, t(2)) }).await;
    assert_eq!(leer(&store, id).await.estado, EstadoTrabajo::Muerto);
    assert_eq!(suyos(&store, lead).await.len(), 1);
}

/// A known outcome ends the doubt; a parked mail keeps it for the person who decides.
pub async fn a_known_outcome_ends_the_doubt(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    for (resultado, queda) in [
        (Resultado::Hecho, false),
        (Resultado::Reintentar(t(9)), false),
        (Resultado::Muerto, false),
        (Resultado::Aparcado, true),
    ] {
        let id = hacer(&store, lead, de(TipoTrabajo::CorreoCliente, quien, LARGO), t(1)).await;
        assert!(store.begin_send(id, quien).await.expect("noted"));
        terminar(&store, fin(id, quien, resultado, t(2))).await;
        assert_eq!(leer(&store, id).await.en_duda, queda, "{resultado:?}");
    }
    let id = hacer(&store, lead, de(TipoTrabajo::CorreoCliente, quien, LARGO), t(1)).await;
    terminar(&store, fin(id, quien, Resultado::Aparcado, t(2))).await;
    assert!(!leer(&store, id).await.en_duda, "parking makes no doubt of its own");
}

/// Of many who end the same attempt one is heard.
pub async fn an_attempt_ends_once(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    let id = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(1)).await;
    let mut tareas = JoinSet::new();
    for _ in 0..16 {
        let store = Arc::clone(&store);
        tareas.spawn(async move {
            let evento = Some(evento(TipoEvento::PerfilCompleto, t(2)));
            let trabajos = vec![trabajo(TipoTrabajo::Mensajeria)];
            let fin = FinIntento { evento, trabajos, ..fin(id, quien, Resultado::Reintentar(t(9)), t(2)) };
            store.finish(fin).await.expect("answered")
        });
    }
    assert_eq!(tareas.join_all().await.into_iter().filter(|oido| *oido).count(), 1);
    let (leido, entregas) = store.trabajo(id).await.expect("it exists");
    assert_eq!((leido.intentos, entregas.len()), (1, 1));
    assert_eq!((ficha(&store, lead).await.eventos.len(), suyos(&store, lead).await.len()), (1, 2));
}
