//! What clients say of quotes: written with its evidence where the quote allows it, and nothing otherwise.

use std::sync::Arc;

use embudo_domain::PresupuestoId;
use embudo_domain::presupuesto::EstadoPresupuesto::{Aceptado, Borrador, Emitido, Rechazado, Sustituido};
use embudo_domain::presupuesto::{Presupuesto, RespuestaCliente};
use embudo_domain::trabajo::TipoTrabajo;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::outbox::{lead_con_avisos, suyos, trabajo};
use super::data::presupuesto::{
    borrador, contestar, dia, dice, documento, en_estado, enviar, estado_de, leer, suceso,
};
use super::data::{TEXTO_RARO, ficha, otro_lead, t, texto_largo, un_lead};
use embudo_store::Store;
use embudo_store::presupuestos::{AnswerPresupuesto, Contestacion};

/// State, evidence, event and jobs come together.
pub async fn an_answer_is_written_whole(store: Arc<dyn Store>) {
    let lead = lead_con_avisos(&store).await;
    let p = enviar(&store, lead, "x").await;
    let antes = ficha(&store, lead).await;
    let aviso = trabajo(TipoTrabajo::CorreoEmpresa);
    let id = aviso.id;
    let command = AnswerPresupuesto { trabajos: vec![aviso], ..dice(&p, true, t(5)) };
    assert_eq!(contestar(&store, command.clone()).await, Contestacion::Hecha);
    let esperado = Presupuesto { estado: Aceptado, respuesta: Some(command.respuesta), ..p };
    assert_eq!(leer(&store, &esperado).await, esperado);
    assert_eq!(store.presupuestos(lead).await.expect("a list"), vec![esperado]);
    let despues = ficha(&store, lead).await;
    assert_eq!(despues.lead, antes.lead);
    assert_eq!(despues.eventos.last(), Some(&suceso(true, t(5))));
    let aviso = store.trabajo(id).await.expect("made").0;
    assert_eq!((aviso.lead, aviso.creado_en, aviso.proximo_en), (lead, t(5), t(5)));
}

/// Each state takes the answers that it can take; of the others nothing is written.
pub async fn each_state_answers_in_its_way(store: Arc<dyn Store>) {
    un_lead(&store).await;
    let casos = [
        (Borrador, true, Contestacion::NoCabe(Borrador)),
        (Borrador, false, Contestacion::NoCabe(Borrador)),
        (Emitido, true, Contestacion::Hecha),
        (Emitido, false, Contestacion::Hecha),
        (Rechazado, true, Contestacion::Hecha),
        (Rechazado, false, Contestacion::Repetida),
        (Aceptado, true, Contestacion::Repetida),
        (Aceptado, false, Contestacion::NoCabe(Aceptado)),
        (Sustituido, true, Contestacion::NoCabe(Sustituido)),
        (Sustituido, false, Contestacion::NoCabe(Sustituido)),
    ];
    for (estado, aceptado, esperada) in casos {
        let lead = otro_lead(&store).await;
        let p = en_estado(&store, lead, "x", estado).await;
        let antes = (ficha(&store, lead).await, suyos(&store, lead).await);
        let trabajos = vec![trabajo(TipoTrabajo::Mensajeria)];
        let command = AnswerPresupuesto { trabajos, ..dice(&p, aceptado, t(6)) };
        assert_eq!(contestar(&store, command).await, esperada, "{estado} {aceptado}");
        if esperada == Contestacion::Hecha {
            let queda = if aceptado { Aceptado } else { Rechazado };
            assert_eq!(estado_de(&store, &p).await, queda, "{estado} {aceptado}");
        } else {
            assert_eq!(leer(&store, &p).await, p, "{estado} {aceptado}");
            assert_eq!((ficha(&store, lead).await, suyos(&store, lead).await), antes, "{estado} {aceptado}");
        }
    }
}

/// A client who declined may accept later; the quote shows the last answer, history both.
pub async fn a_client_may_change_their_mind(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let p = enviar(&store, lead, "x").await;
    for (aceptado, en) in [(false, t(5)), (true, t(4))] {
        assert_eq!(contestar(&store, dice(&p, aceptado, en)).await, Contestacion::Hecha);
        let respuesta = leer(&store, &p).await.respuesta.expect("answered");
        assert_eq!(
            (respuesta.aceptado, respuesta.en),
            (aceptado, en),
            "the last one, whatever its clock says"
        );
    }
    assert_eq!(ficha(&store, lead).await.eventos.len(), 2);
}

/// On its last day a quote can be answered, later not; what was answered in time stays so.
pub async fn it_can_be_too_late(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let p = enviar(&store, lead, "x").await;
    let el = |hoy, aceptado| AnswerPresupuesto { hoy, ..dice(&p, aceptado, t(5)) };
    for aceptado in [true, false] {
        assert_eq!(contestar(&store, el(dia(31), aceptado)).await, Contestacion::Caducado);
    }
    assert_eq!(leer(&store, &p).await, p);
    assert_eq!(contestar(&store, el(dia(30), true)).await, Contestacion::Hecha);
    assert_eq!(contestar(&store, el(dia(31), true)).await, Contestacion::Repetida);
    assert_eq!(contestar(&store, el(dia(31), false)).await, Contestacion::NoCabe(Aceptado));
    assert_eq!(ficha(&store, lead).await.eventos.len(), 1);
}

/// Whoever saw another PDF answered another quote.
pub async fn another_pdf_is_refused(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let p = enviar(&store, lead, "x").await;
    let mut command = dice(&p, true, t(5));
    command.respuesta.pdf_sha256[31] ^= 1;
    assert_eq!(contestar(&store, command).await, Contestacion::Caducado);
    assert_eq!(leer(&store, &p).await, p);
    assert_eq!(ficha(&store, lead).await.eventos, vec![]);
}

/// Of sixteen who accept at once one is written down, and the others are told that it was.
pub async fn racers_answer_once(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let p = enviar(&store, lead, "x").await;
    let mut tareas = JoinSet::new();
    for _ in 0..16 {
        let trabajos = vec![trabajo(TipoTrabajo::Mensajeria)];
        let command = AnswerPresupuesto { trabajos, ..dice(&p, true, t(5)) };
        let store = Arc::clone(&store);
        tareas.spawn(async move { contestar(&store, command).await });
    }
    let todas = tareas.join_all().await;
    assert_eq!(todas.iter().filter(|c| **c == Contestacion::Hecha).count(), 1);
    assert_eq!(todas.iter().filter(|c| **c == Contestacion::Repetida).count(), 15);
    assert_eq!((ficha(&store, lead).await.eventos.len(), suyos(&store, lead).await.len()), (1, 2));
}

/// A client who accepts while a newer quote is drafted: either the contract stands, or they learn that it was superseded.
pub async fn a_newer_quote_and_an_answer_never_both_win(store: Arc<dyn Store>) {
    un_lead(&store).await;
    for _ in 0..10 {
        let lead = otro_lead(&store).await;
        let p = enviar(&store, lead, "x").await;
        let nuevo = borrador(lead, documento(&store, lead, "y").await, dia(0), t(6));
        let (s1, s2, command) = (Arc::clone(&store), Arc::clone(&store), dice(&p, true, t(6)));
        let acepta = tokio::spawn(async move { contestar(&s1, command).await });
        let redacta = tokio::spawn(async move { s2.draft_presupuesto(nuevo).await });
        let contestacion = acepta.await.expect("no panic");
        assert_eq!(redacta.await.expect("no panic").expect("drafted").version, 2);
        match estado_de(&store, &p).await {
            Aceptado => assert_eq!(contestacion, Contestacion::Hecha),
            otro => assert_eq!((otro, contestacion), (Sustituido, Contestacion::NoCabe(Sustituido))),
        }
    }
}

/// Every word of the evidence survives.
pub async fn strange_and_long_texts_survive(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for (n, texto) in [TEXTO_RARO.to_owned(), String::new(), texto_largo(1 << 20)].into_iter().enumerate() {
        let p = enviar(&store, lead, &n.to_string()).await;
        let mut command = dice(&p, false, t(5));
        command.respuesta = RespuestaCliente {
            motivo: Some(texto.clone()),
            ip: Some(texto.clone()),
            texto_version: texto,
            ..command.respuesta
        };
        assert_eq!(contestar(&store, command.clone()).await, Contestacion::Hecha);
        assert!(leer(&store, &p).await.respuesta == Some(command.respuesta));
    }
}

/// An unknown quote is not found.
pub async fn an_unknown_quote_is_not_found(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let p = enviar(&store, lead, "x").await;
    let command = AnswerPresupuesto { id: PresupuestoId(Uuid::new_v4()), ..dice(&p, true, t(5)) };
    assert_fails!(store.answer_presupuesto(command).await, PresupuestoNotFound);
}
