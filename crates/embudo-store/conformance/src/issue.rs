//! A quote is completed as a whole: its PDF, its state, the end of its job, its deliveries and what history says.

use std::sync::Arc;

use embudo_domain::PresupuestoId;
use embudo_domain::evento::TipoEvento;
use embudo_domain::presupuesto::EstadoPresupuesto::{Aceptado, Emitido, Rechazado, Sustituido};
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::outbox::{estado, proceso, suyos, trabajo};
use super::data::presupuesto::{dibujado, en_estado, enviar, estado_de, leer, pdf, redactar};
use super::data::{evento, ficha, otro_lead, t, un_lead};
use embudo_store::Store;
use embudo_store::presupuestos::CompletePresupuesto;

/// The same with a delivery, the event of its job and one of a simulated delivery.
fn con_entregas(mut command: CompletePresupuesto) -> CompletePresupuesto {
    command.fin.trabajos = vec![trabajo(TipoTrabajo::Pdf), trabajo(TipoTrabajo::CorreoCliente)];
    command.fin.evento = Some(evento(TipoEvento::Presupuesto, t(2)));
    command.eventos = vec![evento(TipoEvento::Pdf, t(2)), evento(TipoEvento::CorreoCliente, t(2))];
    command
}

/// What a refused command must leave as it was.
async fn todo(store: &Arc<dyn Store>, p: &Presupuesto) -> impl PartialEq + std::fmt::Debug + use<> {
    (leer(store, p).await, ficha(store, p.lead).await, suyos(store, p.lead).await)
}

/// A draft gets its PDF and is sent; its job ends, its deliveries wait, and history tells of all of it in order.
pub async fn a_completed_quote_is_sent(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let p = redactar(&store, lead, "x").await;
    let command = con_entregas(dibujado(&store, &p, pdf("uno")).await);
    let (id, nuevos) = (command.fin.id, command.fin.trabajos.iter().map(|t| t.id).collect::<Vec<_>>());
    assert!(store.complete_presupuesto(command).await.expect("completed"));
    let esperado = Presupuesto { estado: Emitido, pdf: Some(pdf("uno")), emitido_en: Some(t(2)), ..p };
    assert_eq!(leer(&store, &esperado).await, esperado);
    let f = ficha(&store, lead).await;
    assert_eq!(f.presupuestos, vec![esperado.resumen()]);
    let tipos: Vec<_> = f.eventos.iter().map(|e| e.tipo).collect();
    assert_eq!(tipos, [TipoEvento::Presupuesto, TipoEvento::Pdf, TipoEvento::CorreoCliente]);
    let (hecho, entregas) = store.trabajo(id).await.expect("it exists");
    assert_eq!((hecho.estado, hecho.intentos, entregas.len()), (EstadoTrabajo::Hecho, 1, 1));
    for nuevo in nuevos {
        assert_eq!(estado(&store, nuevo).await, EstadoTrabajo::Pendiente);
    }
}

/// Completed again by another job, a quote keeps its first PDF and the moment it went out, and is delivered again. The PDF that
/// is not taken may well be swept.
pub async fn the_first_pdf_stays(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let p = enviar(&store, lead, "x").await;
    assert!(store.mark_blob(lead, pdf("otro").huella, t(3)).await.expect("answered").is_some());
    let mut command = con_entregas(dibujado(&store, &p, pdf("otro")).await);
    command.fin.en = t(9);
    let nuevo = command.fin.trabajos[0].id;
    assert!(store.complete_presupuesto(command).await.expect("completed"));
    assert_eq!(leer(&store, &p).await, p);
    assert_eq!(estado(&store, nuevo).await, EstadoTrabajo::Pendiente);
    assert_eq!(ficha(&store, lead).await.eventos.len(), 3);
}

/// A quote that was superseded while it was drawn gets its PDF and stays superseded; nobody is sent it, and its job ends.
pub async fn a_superseded_quote_keeps_its_state(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let p = redactar(&store, lead, "viejo").await;
    let command = con_entregas(dibujado(&store, &p, pdf("uno")).await);
    let id = command.fin.id;
    redactar(&store, lead, "nuevo").await;
    assert!(store.complete_presupuesto(command).await.expect("completed"));
    assert_eq!(leer(&store, &p).await, Presupuesto { estado: Sustituido, pdf: Some(pdf("uno")), ..p });
    let trabajos: Vec<_> = suyos(&store, lead).await.into_iter().map(|t| (t.id, t.estado)).collect();
    assert_eq!(trabajos, [(id, EstadoTrabajo::Hecho)]);
    let tipos: Vec<_> = ficha(&store, lead).await.eventos.into_iter().map(|e| e.tipo).collect();
    assert_eq!(tipos, [TipoEvento::Presupuesto]);
}

/// What a client said of a quote stands when it is completed again.
pub async fn an_answered_quote_keeps_its_state(store: Arc<dyn Store>) {
    un_lead(&store).await;
    for estado in [Aceptado, Rechazado] {
        let lead = otro_lead(&store).await;
        let p = en_estado(&store, lead, "x", estado).await;
        let command = dibujado(&store, &p, pdf("otro")).await;
        assert!(store.complete_presupuesto(command).await.expect("completed"));
        assert_eq!(leer(&store, &p).await, p);
    }
}

/// A job that another process holds, that nobody holds or that has ended completes nothing.
pub async fn only_its_holder_completes(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let p = redactar(&store, lead, "x").await;
    let suyo = con_entregas(dibujado(&store, &p, pdf("uno")).await);
    let mut ajeno = suyo.clone();
    ajeno.fin.quien = proceso();
    let mut sin_trabajo = suyo.clone();
    sin_trabajo.fin.id = trabajo(TipoTrabajo::Presupuesto).id;
    let antes = todo(&store, &p).await;
    for tardio in [ajeno, sin_trabajo] {
        assert!(!store.complete_presupuesto(tardio).await.expect("answered"));
        assert_eq!(todo(&store, &p).await, antes);
    }
    store.release(suyo.fin.quien).await.expect("released");
    assert!(!store.complete_presupuesto(suyo.clone()).await.expect("answered"), "the lease is lost");
    assert_eq!(todo(&store, &p).await, antes);
    let otro = con_entregas(dibujado(&store, &p, pdf("dos")).await);
    assert!(store.complete_presupuesto(otro.clone()).await.expect("completed"));
    let antes = todo(&store, &p).await;
    assert!(!store.complete_presupuesto(otro).await.expect("answered"), "the job has ended");
    assert_eq!(todo(&store, &p).await, antes);
}

/// A job completes a quote of its own lead; another lead's and an unknown one are not found, and the job goes on.
pub async fn a_quote_of_another_lead_is_not_found(store: Arc<dyn Store>) {
    let (lead, otra) = (un_lead(&store).await, otro_lead(&store).await);
    let (p, ajeno) = (redactar(&store, lead, "x").await, redactar(&store, otra, "x").await);
    let bueno = con_entregas(dibujado(&store, &p, pdf("uno")).await);
    let antes = (todo(&store, &p).await, todo(&store, &ajeno).await);
    for id in [ajeno.id, PresupuestoId(Uuid::new_v4())] {
        let malo = CompletePresupuesto { id, ..bueno.clone() };
        assert_fails!(store.complete_presupuesto(malo).await, PresupuestoNotFound);
        assert_eq!((todo(&store, &p).await, todo(&store, &ajeno).await), antes);
    }
    assert!(store.complete_presupuesto(bueno).await.expect("completed"), "the job was kept");
}

/// A PDF whose blob is being swept, or was, is refused as a whole, unless it was put again after that very deletion.
pub async fn a_swept_pdf_is_refused(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let p = redactar(&store, lead, "x").await;
    let blob = pdf("uno").huella;
    let vez = store.mark_blob(lead, blob, t(1)).await.expect("answered").expect("marked");
    let command = con_entregas(dibujado(&store, &p, pdf("uno")).await);
    let con = |barridos| CompletePresupuesto { barridos, ..command.clone() };
    let antes = todo(&store, &p).await;
    assert_fails!(store.complete_presupuesto(con(vec![(blob, vez)])).await, BlobMarked);
    store.blob_swept(lead, blob, vez).await.expect("swept");
    for barridos in [vec![], vec![(blob, vez - 1)], vec![(pdf("otro").huella, vez)]] {
        assert_fails!(store.complete_presupuesto(con(barridos)).await, BlobMarked);
        assert_eq!(todo(&store, &p).await, antes);
    }
    assert!(store.complete_presupuesto(con(vec![(blob, vez)])).await.expect("completed"));
    assert_eq!(store.blob_marks(lead).await.expect("a list"), vec![]);
    assert_eq!(estado_de(&store, &p).await, Emitido);
}

/// The blob of a quote's PDF is in use, also of a superseded one; another lead's same bytes are not.
pub async fn a_pdf_in_use_is_not_marked(store: Arc<dyn Store>) {
    let (lead, otra) = (un_lead(&store).await, otro_lead(&store).await);
    let p = enviar(&store, lead, "x").await;
    let blob = p.pdf.expect("drawn").huella;
    assert_eq!(store.mark_blob(lead, blob, t(3)).await.expect("answered"), None);
    redactar(&store, lead, "y").await;
    assert_eq!(store.mark_blob(lead, blob, t(3)).await.expect("answered"), None);
    assert!(store.mark_blob(otra, blob, t(3)).await.expect("answered").is_some());
    assert!(store.mark_blob(lead, pdf("nadie").huella, t(3)).await.expect("answered").is_some());
}

/// Of many who complete the same job one is heard.
pub async fn a_quote_is_completed_once(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let p = redactar(&store, lead, "x").await;
    let command = dibujado(&store, &p, pdf("uno")).await;
    let mut tareas = JoinSet::new();
    for _ in 0..16 {
        let mut command = con_entregas(command.clone());
        command.fin.trabajos = vec![trabajo(TipoTrabajo::Mensajeria)];
        let store = Arc::clone(&store);
        tareas.spawn(async move { store.complete_presupuesto(command).await.expect("answered") });
    }
    assert_eq!(tareas.join_all().await.into_iter().filter(|oido| *oido).count(), 1);
    assert_eq!((ficha(&store, lead).await.eventos.len(), suyos(&store, lead).await.len()), (3, 2));
}
