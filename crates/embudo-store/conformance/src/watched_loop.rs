//! The watched loop through the store: a signal accepted, renders, `finalizar`, and deadlines that pass.

use std::sync::Arc;

use embudo_domain::bucle::{Bucle, PasoBucle, Plazos};
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::ingesta::Momento;
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo};
use embudo_domain::{LeadId, ProcesoId, Timestamp, TrabajoId};
use jiff::SignedDuration;
use tokio::task::JoinSet;

use super::data::outbox::{
    LARGO, bucle, de, entrega_mal, fin, hacer, lead_con_avisos, leer, proceso, suyos, terminar, tomar_ids,
    trabajo,
};
use super::data::{evento, ficha, foto, ingesta, nadie, otro_lead, t, un_lead};
use embudo_store::Store;
use embudo_store::cola::{BucleVencido, FinIntento, Resultado, VencerBucle};
use embudo_store::command::{FotoNueva, Ingest};

/// Unequal, so that a deadline shows its step.
const PLAZOS: Plazos =
    Plazos { renders: SignedDuration::from_secs(100), finalizar: SignedDuration::from_secs(200) };

fn espera(paso: PasoBucle, desde: i64) -> Bucle {
    let plazo = if paso == PasoBucle::EsperandoRenders { 100 } else { 200 };
    Bucle { paso, desde: t(desde), limite: t(desde + plazo), vencido: false, resenales: 0 }
}

fn render() -> FotoNueva {
    FotoNueva { momento: Momento::Despues, ..foto() }
}

/// An ingestion of these photos under the unequal deadlines.
fn trae(lead: LeadId, fotos: Vec<FotoNueva>, n: i64) -> Ingest {
    Ingest { plazos: PLAZOS, ..ingesta(lead, fotos, t(n)) }
}

/// The same call with `finalizar`, which leaves its event in the history.
fn finaliza(command: Ingest) -> Ingest {
    Ingest { finalizar: true, eventos: vec![evento(TipoEvento::Finalizar, command.en)], ..command }
}

async fn ingerir(store: &Arc<dyn Store>, command: Ingest) {
    store.ingest(command).await.expect("saved");
}

/// Makes a profile signal at one moment and has it accepted at another.
async fn senalar(store: &Arc<dyn Store>, lead: LeadId, hecha: i64, aceptada: i64) {
    let quien = proceso();
    let id = hacer(store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(hecha)).await;
    aceptar(store, id, quien, aceptada).await;
}

async fn aceptar(store: &Arc<dyn Store>, id: TrabajoId, quien: ProcesoId, n: i64) {
    let fin = FinIntento { bucle: Some(PLAZOS), ..fin(id, quien, Resultado::Hecho, t(n)) };
    terminar(store, fin).await;
}

/// Signal, renders, `finalizar`: each step shows in record and list, and only the first render moves on.
pub async fn the_steps_follow_each_other(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let otra = otro_lead(&store).await;
    ingerir(&store, trae(lead, vec![render()], 1)).await;
    assert_eq!(bucle(&store, lead).await, None, "renders without a signal start nothing");
    senalar(&store, lead, 2, 3).await;
    let uno = espera(PasoBucle::EsperandoRenders, 3);
    assert_eq!(bucle(&store, lead).await, Some(uno));
    ingerir(&store, trae(lead, vec![foto()], 4)).await;
    assert_eq!(bucle(&store, lead).await, Some(uno), "a photo `antes` is no render");
    ingerir(&store, trae(lead, vec![foto(), render()], 5)).await;
    let dos = espera(PasoBucle::EsperandoFinalizar, 5);
    assert_eq!(bucle(&store, lead).await, Some(dos));
    ingerir(&store, trae(lead, vec![render()], 6)).await;
    assert_eq!(bucle(&store, lead).await, Some(dos), "only the first render counts");
    ingerir(&store, finaliza(trae(lead, vec![], 7))).await;
    assert_eq!(bucle(&store, lead).await, None);
    assert_eq!(bucle(&store, otra).await, None);
    senalar(&store, lead, 8, 9).await;
    assert_eq!(bucle(&store, lead).await, Some(espera(PasoBucle::EsperandoRenders, 9)), "a new round");
    ingerir(&store, finaliza(trae(lead, vec![render()], 10))).await;
    assert_eq!(bucle(&store, lead).await, None, "both steps at once");
}

/// A workflow may bring renders, or everything, before it answers the signal that asked for them.
pub async fn a_workflow_may_call_back_before_it_answers(store: Arc<dyn Store>) {
    un_lead(&store).await;
    for (renders, finalizar, esperado) in [
        (true, false, Some(espera(PasoBucle::EsperandoFinalizar, 20))),
        (false, true, None),
        (true, true, None),
        (false, false, Some(espera(PasoBucle::EsperandoRenders, 20))),
    ] {
        let lead = otro_lead(&store).await;
        let quien = proceso();
        let id = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(10)).await;
        let fotos = if renders { vec![render()] } else { vec![foto()] };
        let llamada = trae(lead, fotos, 15);
        ingerir(&store, if finalizar { finaliza(llamada) } else { llamada }).await;
        assert_eq!(bucle(&store, lead).await, None);
        aceptar(&store, id, quien, 20).await;
        assert_eq!(bucle(&store, lead).await, esperado, "{renders} {finalizar}");
    }
}

/// What came in before the signal was made, or in the very call that made it, is not what it asked for.
pub async fn only_what_came_since_counts(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    ingerir(&store, finaliza(trae(lead, vec![render()], 5))).await;
    let signal = de(TipoTrabajo::Perfil, quien, LARGO);
    let id = signal.id;
    ingerir(&store, Ingest { trabajos: vec![signal], ..trae(lead, vec![render()], 10) }).await;
    aceptar(&store, id, quien, 20).await;
    assert_eq!(bucle(&store, lead).await, Some(espera(PasoBucle::EsperandoRenders, 20)));
}

/// An accepted signal of a lead that already waits starts its step anew.
pub async fn a_new_signal_starts_anew(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    senalar(&store, lead, 1, 2).await;
    ingerir(&store, trae(lead, vec![render()], 3)).await;
    senalar(&store, lead, 4, 5).await;
    assert_eq!(bucle(&store, lead).await, Some(espera(PasoBucle::EsperandoRenders, 5)));
}

/// An ingestion that is refused or a replay moves no loop.
pub async fn a_refused_call_moves_nothing(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    senalar(&store, lead, 1, 2).await;
    let blob = embudo_domain::Huella::of(b"barrido");
    assert!(store.mark_blob(lead, blob, t(3)).await.expect("answered").is_some());
    let marcada = FotoNueva { momento: Momento::Despues, ..super::data::foto_de(blob) };
    let command = finaliza(trae(lead, vec![marcada], 4));
    assert_fails!(store.ingest(command).await, BlobMarked);
    assert_eq!(bucle(&store, lead).await, Some(espera(PasoBucle::EsperandoRenders, 2)));
    let con_clave = |n| Ingest {
        idempotencia: Some(super::data::clave("POST", "k", 1, t(5))),
        ..trae(lead, vec![render()], n)
    };
    ingerir(&store, con_clave(5)).await;
    senalar(&store, lead, 6, 7).await;
    ingerir(&store, con_clave(8)).await;
    assert_eq!(bucle(&store, lead).await, Some(espera(PasoBucle::EsperandoRenders, 7)));
}

/// A failed attempt of a profile signal that began at one moment and ended at another.
fn fallida(id: TrabajoId, quien: ProcesoId, resultado: Resultado, inicio: i64, en: i64) -> FinIntento {
    FinIntento {
        entrega: entrega_mal(t(inicio), "no contestó"),
        evento: Some(Evento {
            ok: false,
            detalle: Some("se repite".into()),
            ..evento(TipoEvento::PerfilCompleto, t(en))
        }),
        answered: Some("ya ha vuelto".into()),
        bucle: Some(PLAZOS),
        ..fin(id, quien, resultado, t(en))
    }
}

/// The last event of a lead: whether it is ok, and what it says.
async fn ultimo(store: &Arc<dyn Store>, lead: LeadId) -> (bool, Option<String>) {
    let e = ficha(store, lead).await.eventos.pop().expect("an event");
    (e.ok, e.detalle)
}

/// A receiver that takes too long to answer, or answers with an error, and calls back meanwhile: the signal is done, the loop goes
/// on, and nobody is told of a failure.
pub async fn a_signal_whose_work_came_back_is_done_whatever_its_answer(store: Arc<dyn Store>) {
    lead_con_avisos(&store).await;
    for resultado in [Resultado::Reintentar(t(99)), Resultado::Muerto] {
        for avisos in [vec![], vec![trabajo(TipoTrabajo::CorreoEmpresa)]] {
            for (llamada, esperado) in
                [(vec![render()], Some(espera(PasoBucle::EsperandoFinalizar, 40))), (vec![], None)]
            {
                let lead = otro_lead(&store).await;
                let quien = proceso();
                let id = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(10)).await;
                let llamada = trae(lead, llamada, 20);
                let llamada = if llamada.fotos.is_empty() { finaliza(llamada) } else { llamada };
                ingerir(&store, llamada).await;
                assert_eq!(leer(&store, id).await.estado, EstadoTrabajo::Pendiente, "it is being tried");
                let fin = FinIntento { trabajos: avisos.clone(), ..fallida(id, quien, resultado, 11, 40) };
                terminar(&store, fin).await;
                let leido = leer(&store, id).await;
                assert_eq!((leido.estado, leido.terminado_en), (EstadoTrabajo::Hecho, Some(t(40))));
                assert_eq!((leido.intentos, leido.ultimo_error.as_deref()), (1, Some("no contestó")));
                assert_eq!(ultimo(&store, lead).await, (true, Some("ya ha vuelto".into())));
                assert_eq!(bucle(&store, lead).await, esperado);
                assert_eq!(suyos(&store, lead).await.len(), 1, "nobody is told");
            }
        }
    }
}

/// Renders that came before the first attempt were not asked for by it; those that came since count whichever attempt fails.
pub async fn what_came_before_it_was_sent_is_no_answer(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    let id = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(10)).await;
    ingerir(&store, trae(lead, vec![render()], 12)).await;
    terminar(&store, fallida(id, quien, Resultado::Reintentar(t(30)), 12, 20)).await;
    assert_eq!(leer(&store, id).await.estado, EstadoTrabajo::Pendiente);
    assert_eq!(ultimo(&store, lead).await, (false, Some("se repite".into())));
    assert_eq!(bucle(&store, lead).await, None, "it was not accepted either");
    assert_eq!(tomar_ids(&store, quien, t(30)).await, [id]);
    // A slow call: it began while the signal waited and ends while it is tried again.
    ingerir(&store, trae(lead, vec![render()], 25)).await;
    terminar(&store, fallida(id, quien, Resultado::Reintentar(t(90)), 30, 60)).await;
    assert_eq!(leer(&store, id).await.estado, EstadoTrabajo::Hecho);
}

/// What came back may be the newer signal's: the older one ends as replaced, and the loop is the newer one's.
pub async fn a_newer_signal_comes_before_the_answer(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for (resultado, estado) in [
        (Resultado::Reintentar(t(90)), EstadoTrabajo::Sustituido),
        (Resultado::Muerto, EstadoTrabajo::Muerto),
    ] {
        let quien = proceso();
        let viejo = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(10)).await;
        hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(11)).await;
        ingerir(&store, trae(lead, vec![render()], 20)).await;
        terminar(&store, fallida(viejo, quien, resultado, 10, 40)).await;
        assert_eq!(leer(&store, viejo).await.estado, estado);
        assert_eq!(bucle(&store, lead).await, None);
    }
}

/// A signal that failed and waits for its next attempt is not sent again once its work has come back.
pub async fn a_signal_that_waits_is_done_when_its_work_comes_back(store: Arc<dyn Store>) {
    un_lead(&store).await;
    for (finalizar, esperado) in [(false, Some(espera(PasoBucle::EsperandoFinalizar, 30))), (true, None)] {
        let lead = otro_lead(&store).await;
        let quien = proceso();
        let id = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(10)).await;
        terminar(&store, fallida(id, quien, Resultado::Reintentar(t(90)), 10, 20)).await;
        ingerir(&store, trae(lead, vec![foto()], 25)).await;
        assert_eq!(leer(&store, id).await.estado, EstadoTrabajo::Pendiente, "a photo `antes` is no answer");
        let llamada = trae(lead, vec![render()], 30);
        ingerir(&store, if finalizar { finaliza(llamada) } else { llamada }).await;
        let leido = leer(&store, id).await;
        assert_eq!((leido.estado, leido.terminado_en), (EstadoTrabajo::Hecho, Some(t(30))));
        assert_eq!(bucle(&store, lead).await, esperado);
        let Evento { ok, detalle, .. } = Evento::signal_answered(t(30));
        assert_eq!(ultimo(&store, lead).await, (ok, detalle));
        assert_eq!(tomar_ids(&store, quien, t(99)).await, []);
    }
    // One that was never sent is not answered by what comes from elsewhere; neither is another kind.
    let lead = otro_lead(&store).await;
    let nuevo = hacer(&store, lead, trabajo(TipoTrabajo::Perfil), t(10)).await;
    let quien = proceso();
    let pdf = hacer(&store, lead, de(TipoTrabajo::Pdf, quien, LARGO), t(10)).await;
    terminar(&store, fin(pdf, quien, Resultado::Reintentar(t(90)), t(11))).await;
    ingerir(&store, finaliza(trae(lead, vec![render()], 20))).await;
    for id in [nuevo, pdf] {
        assert_eq!(leer(&store, id).await.estado, EstadoTrabajo::Pendiente);
    }
}

/// Whoever has a dead signal tried again wants it sent: what came back in an earlier run is no answer to it.
pub async fn a_signal_that_a_person_tries_again_is_sent(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let quien = proceso();
    let id = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(10)).await;
    terminar(&store, fallida(id, quien, Resultado::Muerto, 10, 11)).await;
    ingerir(&store, trae(lead, vec![render()], 20)).await;
    store.retry(id, t(30)).await.expect("due");
    assert_eq!(tomar_ids(&store, quien, t(30)).await, [id]);
    terminar(&store, fallida(id, quien, Resultado::Reintentar(t(50)), 30, 40)).await;
    assert_eq!(leer(&store, id).await.estado, EstadoTrabajo::Pendiente);
    assert_eq!(tomar_ids(&store, quien, t(50)).await, [id]);
    terminar(&store, fallida(id, quien, Resultado::Reintentar(t(70)), 50, 60)).await;
    assert_eq!(leer(&store, id).await.estado, EstadoTrabajo::Pendiente);
    ingerir(&store, trae(lead, vec![render()], 65)).await;
    assert_eq!(leer(&store, id).await.estado, EstadoTrabajo::Hecho);
}

async fn vencidos(store: &Arc<dyn Store>, ahora: Timestamp) -> Vec<BucleVencido> {
    let mut lista = store.bucles_vencidos(ahora, 100).await.expect("a list");
    lista.sort_by_key(|v| v.lead);
    lista
}

fn vencer(lead: LeadId, paso: PasoBucle, n: i64) -> VencerBucle {
    let detalle = Some(paso.to_string());
    let evento = Evento { detalle, ..evento(TipoEvento::BucleVencido, t(n)) };
    VencerBucle { lead, paso, evento, resenal: None, avisos: Vec::new(), en: t(n) }
}

/// Steps past their deadline are found, at most so many; those that wait, moved on or are marked are not.
pub async fn overdue_steps_are_found(store: Arc<dyn Store>) {
    let (a, b, c) = (un_lead(&store).await, otro_lead(&store).await, otro_lead(&store).await);
    for lead in [a, b, c] {
        senalar(&store, lead, 1, 10).await;
    }
    ingerir(&store, trae(b, vec![render()], 20)).await;
    ingerir(&store, finaliza(trae(c, vec![], 20))).await;
    let de = |lead, paso| BucleVencido { lead, paso, resenales: 0 };
    let (va, vb) = (de(a, PasoBucle::EsperandoRenders), de(b, PasoBucle::EsperandoFinalizar));
    assert_eq!(vencidos(&store, t(109)).await, vec![]);
    assert_eq!(vencidos(&store, t(111)).await, [va]);
    assert_eq!(vencidos(&store, t(219)).await, [va]);
    let mut los_dos = [va, vb];
    los_dos.sort_by_key(|v| v.lead);
    assert_eq!(vencidos(&store, t(221)).await, los_dos);
    assert_eq!(store.bucles_vencidos(t(221), 1).await.expect("a list").len(), 1);
    assert_eq!(store.bucles_vencidos(t(221), 0).await.expect("a list"), vec![]);
    assert!(store.vencer_bucle(vencer(a, va.paso, 222)).await.expect("marked"));
    assert_eq!(vencidos(&store, t(999)).await, [vb]);
}

/// A deadline is marked once, with its event; the lead shows it until it moves on.
pub async fn a_deadline_passes_once(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    senalar(&store, lead, 1, 10).await;
    let paso = PasoBucle::EsperandoRenders;
    assert!(store.vencer_bucle(vencer(lead, paso, 150)).await.expect("marked"));
    let marcado = Bucle { vencido: true, ..espera(paso, 10) };
    assert_eq!(bucle(&store, lead).await, Some(marcado));
    for n in 151..153 {
        assert!(!store.vencer_bucle(vencer(lead, paso, n)).await.expect("answered"));
    }
    assert_eq!(ficha(&store, lead).await.eventos, vec![vencer(lead, paso, 150).evento]);
    assert_eq!(suyos(&store, lead).await.len(), 1, "no signal was asked for");
    ingerir(&store, trae(lead, vec![render()], 160)).await;
    let paso = PasoBucle::EsperandoFinalizar;
    assert_eq!(bucle(&store, lead).await, Some(espera(paso, 160)), "late renders are renders");
    assert!(store.vencer_bucle(vencer(lead, paso, 400)).await.expect("marked"));
    assert_eq!(bucle(&store, lead).await, Some(Bucle { vencido: true, ..espera(paso, 160) }));
    ingerir(&store, finaliza(trae(lead, vec![], 500))).await;
    assert_eq!(bucle(&store, lead).await, None);
}

/// A lead that moved on is not marked: neither event nor signal.
pub async fn a_lead_that_moved_on_is_left_alone(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let paso = PasoBucle::EsperandoRenders;
    let con_senal = |n| VencerBucle { resenal: Some(trabajo(TipoTrabajo::Perfil)), ..vencer(lead, paso, n) };
    let rechazado = async |n: i64| {
        let antes = (ficha(&store, lead).await, suyos(&store, lead).await.len());
        assert!(!store.vencer_bucle(con_senal(n)).await.expect("answered"));
        assert_eq!((ficha(&store, lead).await, suyos(&store, lead).await.len()), antes);
    };
    rechazado(150).await;
    senalar(&store, lead, 1, 10).await;
    ingerir(&store, trae(lead, vec![render()], 20)).await;
    rechazado(400).await;
    ingerir(&store, finaliza(trae(lead, vec![], 401))).await;
    rechazado(500).await;
    // The step that was overdue when someone looked began anew before it was marked.
    senalar(&store, lead, 510, 600).await;
    rechazado(620).await;
    assert!(!store.vencer_bucle(vencer(nadie(), paso, 900)).await.unwrap_or(false));
}

/// A signal that goes out by itself is made with the mark and counted; the flag stays until it is accepted.
pub async fn a_signal_by_itself_is_counted(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let paso = PasoBucle::EsperandoRenders;
    senalar(&store, lead, 1, 10).await;
    for (n, resenales) in [(200, 1), (600, 2)] {
        let quien = proceso();
        let signal = de(TipoTrabajo::Perfil, quien, LARGO);
        let id = signal.id;
        let command = VencerBucle { resenal: Some(signal), ..vencer(lead, paso, n) };
        assert!(store.vencer_bucle(command).await.expect("marked"));
        let b = bucle(&store, lead).await.expect("it waits");
        assert_eq!((b.paso, b.vencido, b.resenales), (paso, true, resenales));
        let leido = leer(&store, id).await;
        assert_eq!((leido.tipo, leido.estado), (TipoTrabajo::Perfil, EstadoTrabajo::Pendiente));
        assert_eq!((leido.creado_en, leido.proximo_en), (t(n), t(n)));
        aceptar(&store, id, quien, n + 10).await;
        assert_eq!(bucle(&store, lead).await, Some(Bucle { resenales, ..espera(paso, n + 10) }));
        assert_eq!(vencidos(&store, t(n + 200)).await, [BucleVencido { lead, paso, resenales }]);
    }
    ingerir(&store, trae(lead, vec![render()], 700)).await;
    let dos = espera(PasoBucle::EsperandoFinalizar, 700);
    assert_eq!(bucle(&store, lead).await, Some(Bucle { resenales: 2, ..dos }));
}

/// The company is told with the mark and not without it, once for each step.
pub async fn notices_come_with_the_mark(store: Arc<dyn Store>) {
    let lead = lead_con_avisos(&store).await;
    senalar(&store, lead, 1, 10).await;
    let avisos =
        async || suyos(&store, lead).await.iter().filter(|t| t.tipo == TipoTrabajo::CorreoEmpresa).count();
    for (paso, n, marcado, esperados) in [
        (PasoBucle::EsperandoRenders, 50, false, 0),
        (PasoBucle::EsperandoRenders, 150, true, 1),
        (PasoBucle::EsperandoRenders, 160, false, 1),
        (PasoBucle::EsperandoFinalizar, 400, true, 2),
    ] {
        if paso == PasoBucle::EsperandoFinalizar {
            ingerir(&store, trae(lead, vec![render()], 170)).await;
        }
        let aviso = vec![trabajo(TipoTrabajo::CorreoEmpresa)];
        let command = VencerBucle { avisos: aviso, ..vencer(lead, paso, n) };
        assert_eq!(store.vencer_bucle(command).await.expect("answered"), marcado);
        assert_eq!(avisos().await, esperados);
    }
}

/// Of many processes that mark the same deadline one succeeds.
pub async fn racers_mark_a_deadline_once(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    senalar(&store, lead, 1, 10).await;
    let mut tareas = JoinSet::new();
    for _ in 0..16 {
        let store = Arc::clone(&store);
        tareas.spawn(async move {
            let command = vencer(lead, PasoBucle::EsperandoRenders, 200);
            let resenal = Some(trabajo(TipoTrabajo::Perfil));
            store.vencer_bucle(VencerBucle { resenal, ..command }).await.expect("answered")
        });
    }
    assert_eq!(tareas.join_all().await.into_iter().filter(|marcado| *marcado).count(), 1);
    assert_eq!(bucle(&store, lead).await.map(|b| b.resenales), Some(1));
    assert_eq!((ficha(&store, lead).await.eventos.len(), suyos(&store, lead).await.len()), (1, 2));
}
