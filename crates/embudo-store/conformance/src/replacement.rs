//! A newer job makes an older one that still waits pointless: only of its kind and lead, only while nobody works on it.

use std::sync::Arc;

use embudo_domain::TrabajoId;
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo};

use super::data::outbox::{
    CORTO, LARGO, de, estado, fin, hacer, lead_con_avisos, leer, proceso, que_venzan, terminar, tomar_ids,
    trabajo,
};
use super::data::{crear, ingesta, nuevo_lead, otro_lead, t};
use embudo_store::Store;
use embudo_store::cola::{FinIntento, Resultado};
use embudo_store::command::{CreateLead, Ingest};

/// A newer job ends older ones of its kind that wait, if the kind is one of those; others stand side by side.
pub async fn a_newer_one_replaces_those_that_wait(store: Arc<dyn Store>) {
    let lead = lead_con_avisos(&store).await;
    for tipo in TipoTrabajo::TODOS {
        let viejo = hacer(&store, lead, trabajo(tipo), t(1)).await;
        let nuevo = hacer(&store, lead, trabajo(tipo), t(2)).await;
        let leido = leer(&store, viejo).await;
        if tipo.se_sustituye() {
            assert_eq!((leido.estado, leido.terminado_en), (EstadoTrabajo::Sustituido, Some(t(2))), "{tipo}");
        } else {
            assert_eq!((leido.estado, leido.terminado_en), (EstadoTrabajo::Pendiente, None), "{tipo}");
        }
        assert_eq!(estado(&store, nuevo).await, EstadoTrabajo::Pendiente, "{tipo}");
    }
    // The newer one of each kind, and the older one where it stands beside it.
    let wait =
        TipoTrabajo::TODOS.into_iter().map(|tipo| if tipo.se_sustituye() { 1 } else { 2 }).sum::<usize>();
    assert_eq!(tomar_ids(&store, proceso(), t(9)).await.len(), wait);
}

/// Every command replaces: an ingestion, the end of an attempt, and not the creation of another lead.
pub async fn every_command_replaces(store: Arc<dyn Store>) {
    let lead = lead_con_avisos(&store).await;
    let quien = proceso();
    let uno = hacer(&store, lead, trabajo(TipoTrabajo::Perfil), t(1)).await;
    crear(&store, CreateLead { trabajos: vec![trabajo(TipoTrabajo::Perfil)], ..nuevo_lead("Eva") }).await;
    assert_eq!(estado(&store, uno).await, EstadoTrabajo::Pendiente);
    let dos = trabajo(TipoTrabajo::Perfil);
    let dos_id = dos.id;
    store.ingest(Ingest { trabajos: vec![dos], ..ingesta(lead, vec![], t(2)) }).await.expect("saved");
    assert_eq!(estado(&store, uno).await, EstadoTrabajo::Sustituido);
    let aviso = hacer(&store, lead, de(TipoTrabajo::CorreoEmpresa, quien, LARGO), t(3)).await;
    let trabajos = vec![trabajo(TipoTrabajo::Perfil)];
    terminar(&store, FinIntento { trabajos, ..fin(aviso, quien, Resultado::Hecho, t(4)) }).await;
    assert_eq!(estado(&store, dos_id).await, EstadoTrabajo::Sustituido);
}

/// Another lead's job, another kind and a job that someone works on are left alone; a lease that ran out protects nothing.
pub async fn only_what_waits_is_replaced(store: Arc<dyn Store>) {
    let lead = lead_con_avisos(&store).await;
    let otra = otro_lead(&store).await;
    let quien = proceso();
    let vivo = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(1)).await;
    let vencido = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, CORTO), t(1)).await;
    que_venzan(&store, lead).await;
    let ajeno = hacer(&store, otra, trabajo(TipoTrabajo::Perfil), t(1)).await;
    let distinto = hacer(&store, lead, trabajo(TipoTrabajo::Pdf), t(1)).await;
    let nuevo = hacer(&store, lead, de(TipoTrabajo::Perfil, quien, LARGO), t(2)).await;
    let ahora = async |id| estado(&store, id).await;
    assert_eq!(ahora(vivo).await, EstadoTrabajo::Pendiente);
    assert_eq!(ahora(vencido).await, EstadoTrabajo::Sustituido);
    for id in [ajeno, distinto, nuevo] {
        assert_eq!(ahora(id).await, EstadoTrabajo::Pendiente);
    }
    // A process that comes late with what became of the replaced one is not heard.
    assert!(!store.finish(fin(vencido, quien, Resultado::Hecho, t(3))).await.expect("answered"));
    assert_eq!(ahora(vencido).await, EstadoTrabajo::Sustituido);
}

/// What has ended stays as it ended.
pub async fn what_has_ended_stays_so(store: Arc<dyn Store>) {
    let lead = lead_con_avisos(&store).await;
    let quien = proceso();
    let mut acabados: Vec<(TrabajoId, EstadoTrabajo)> = Vec::new();
    for (resultado, acaba) in [
        (Resultado::Hecho, EstadoTrabajo::Hecho),
        (Resultado::Muerto, EstadoTrabajo::Muerto),
        (Resultado::Aparcado, EstadoTrabajo::Aparcado),
    ] {
        let id = hacer(&store, lead, de(TipoTrabajo::CorreoCliente, quien, LARGO), t(1)).await;
        terminar(&store, fin(id, quien, resultado, t(2))).await;
        acabados.push((id, acaba));
    }
    let id = hacer(&store, lead, trabajo(TipoTrabajo::CorreoCliente), t(1)).await;
    store.discard(id, t(2)).await.expect("discarded");
    acabados.push((id, EstadoTrabajo::Descartado));
    hacer(&store, lead, trabajo(TipoTrabajo::CorreoCliente), t(3)).await;
    for (id, acaba) in acabados {
        let leido = leer(&store, id).await;
        assert_eq!((leido.estado, leido.terminado_en), (acaba, Some(t(2))));
    }
}

/// A job that someone worked on while a newer one was made is not tried again: it ends as replaced. Kinds that stand side
/// by side are.
pub async fn a_failed_attempt_gives_way_to_a_newer_one(store: Arc<dyn Store>) {
    let lead = lead_con_avisos(&store).await;
    let quien = proceso();
    for tipo in TipoTrabajo::TODOS {
        let viejo = hacer(&store, lead, de(tipo, quien, LARGO), t(1)).await;
        let nuevo = hacer(&store, lead, de(tipo, quien, LARGO), t(2)).await;
        // The newer one counts also when it was already accepted.
        if tipo == TipoTrabajo::Perfil {
            terminar(&store, fin(nuevo, quien, Resultado::Hecho, t(3))).await;
        }
        terminar(&store, fin(viejo, quien, Resultado::Reintentar(t(60)), t(4))).await;
        let (leido, entregas) = store.trabajo(viejo).await.expect("it exists");
        assert_eq!((leido.intentos, entregas.len()), (1, 1), "{tipo}");
        if tipo.se_sustituye() {
            assert_eq!((leido.estado, leido.terminado_en), (EstadoTrabajo::Sustituido, Some(t(4))), "{tipo}");
        } else {
            assert_eq!((leido.estado, leido.proximo_en), (EstadoTrabajo::Pendiente, t(60)), "{tipo}");
        }
    }
}

/// A newer job of another lead or of another kind, or an older one, takes no place.
pub async fn a_failed_attempt_without_a_newer_one_is_tried_again(store: Arc<dyn Store>) {
    let lead = lead_con_avisos(&store).await;
    let otra = otro_lead(&store).await;
    let quien = proceso();
    let viejo = hacer(&store, lead, de(TipoTrabajo::Pdf, quien, LARGO), t(1)).await;
    let nuevo = hacer(&store, lead, de(TipoTrabajo::Pdf, quien, LARGO), t(2)).await;
    hacer(&store, otra, trabajo(TipoTrabajo::Pdf), t(3)).await;
    hacer(&store, lead, trabajo(TipoTrabajo::Perfil), t(3)).await;
    terminar(&store, fin(nuevo, quien, Resultado::Reintentar(t(60)), t(4))).await;
    assert_eq!(estado(&store, nuevo).await, EstadoTrabajo::Pendiente);
    assert_eq!(estado(&store, viejo).await, EstadoTrabajo::Pendiente);
}
